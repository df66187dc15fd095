import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle, measure } from "../../../bench/areas/size.js";
import { measure as measureVersions } from "../../../bench/areas/versions.js";
import { quick } from "../../../bench/clock.js";
import { findSource, generateFrom, libraryOptions, writeTo } from "../../support/output.js";
import budget from "../../../bench/budget.json" with { type: "json" };

const { bundles } = budget;

describe("a client that validates responses", () => {
  // An increase must be justified by a change of bench/budget.json.
  it.each([
    // 500 of these bytes are whole classes of errors and their names, which programs compare. The
    // code that reads streams, reads responses which are not in canonical JSON, reads deviations of
    // agents, and explains errors is in separate files, and does not count. 120 bytes report the
    // headers and trailers of responses.
    ["client bundle, JSON-RPC at a known address, gzipped", 2.9],
    // The code that explains why no card or interface is usable, and repeats failed calls, is in
    // separate files, and does not count. 375 of these bytes find cards at any URL, and pass options
    // for HTTP on to the transports. 430 of these bytes decide whether an address of a card must be
    // checked, and pass the text of a card to a check.
    ["client bundle with discovery, JSON-RPC and HTTP+JSON, gzipped", 1.5],
  ] as const)(
    "the client is small in a browser, compared to the official SDK: %s",
    async (name, times) => {
      for await (const { name: found, ours, ratio } of measure(quick)) {
        if (found !== name) continue;
        expect(ours).toBeLessThanOrEqual(bundles[name]);
        expect(ratio).toBeGreaterThanOrEqual(times);
        return;
      }
      expect.unreachable(`nothing is measured by the name ${name}`);
    },
  );

  it("the client of a service from any proto is small in a browser", async () => {
    const source = findSource(join("test", "fixtures", "services", "shop.proto"));
    const folder = writeTo("service-size", await generateFrom(source, libraryOptions));
    const size = await bundle(`
      import { connectOrders } from "${folder}/index.ts";
      connectOrders(location.href).getOrder({ id: "1" }).then(console.log);`);
    expect(size).toBeLessThanOrEqual(bundles["client bundle of a service, HTTP+JSON, gzipped"]);
  });

  it("the client grows by 7.4 kB with an adapter, and by nothing without one", async () => {
    for await (const { unit, ours, peer } of measureVersions(quick)) {
      if (unit !== "B") continue;
      expect(ours - peer).toBeLessThanOrEqual(
        bundles["growth of a client by an adapter for another version, gzipped"],
      );
      expect(peer).toBeLessThanOrEqual(
        bundles["client bundle, JSON-RPC at a known address, gzipped"],
      );
      return;
    }
    expect.unreachable("nothing is measured");
  });
});
