import { describe, expect, it } from "vitest";
import { measure } from "../../../bench/areas/size.js";
import { measure as measureVersions } from "../../../bench/areas/versions.js";
import { quick } from "../../../bench/clock.js";
import budget from "../../../bench/budget.json" with { type: "json" };

const { bundles } = budget;

describe("a client that validates responses", () => {
  // An increase must be justified by a change of bench/budget.json.
  it.each([
    // 570 of these bytes are whole classes of errors and the check of the library, since the client
    // imports the library. 1,400 of these bytes accept and report deviations of agents, detect
    // streams without an event, and end streams of versions before 1.0 at their last event. 70 of
    // these bytes read the text of a response that is not of the protocol, for the message of its
    // error. 135 of these bytes check and copy the fields of a response in three quarters of the
    // time.
    ["client bundle, JSON-RPC at a known address, gzipped", 2.11],
    // The texts that explain why no interface of a card is usable are in a separate file, and do
    // not count. 375 of these bytes find cards at any URL, and pass options for HTTP on to the
    // transports. 25 of these bytes let an interceptor add a key to the query of a request, and
    // read the challenge of a response. 430 of these bytes decide whether an address of a card must
    // be checked, and pass the text of a card to a check.
    ["client bundle with discovery, JSON-RPC and HTTP+JSON, gzipped", 1.19],
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

  it("the client grows by 6.4 kB with an adapter, and by nothing without one", async () => {
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
