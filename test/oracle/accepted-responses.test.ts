import { describe, expect, it } from "vitest";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { packageFolder } from "../../support/package-folder.js";
import type { ClientOperation } from "../../library/runtime/protocol/operation.js";
import { check, type Type } from "../../library/runtime/schema/schema.js";
import { outputs } from "../tools/outputs.mjs";
import { changed } from "../support/random/json.js";
import { keysOf, Values } from "../support/random/values.js";
import { casesOf, tryAll } from "./cases.js";
import { bundled } from "./subjects.js";

const counts = { accepted: 0, different: 0 };

/** Returns the exports of a module of a committed output. */
async function load<T>(folder: string, module: string): Promise<T> {
  const path = join(packageFolder, "generated", folder, `${module}.ts`);
  return (await import(pathToFileURL(path).href)) as T;
}

describe.each(outputs.map(({ folder }) => folder))("the client of %s", (version) => {
  it("each response that a guard accepts is also accepted by the lenient reader", async () => {
    const { protocol } = bundled(version);
    const values = new Values(protocol);
    const keys = keysOf(protocol);
    const calls = await load<Record<string, ClientOperation>>(version, "client/calls");
    const { responses } = await load<{ responses: Record<string, Type<unknown>> }>(
      version,
      "client/responses",
    );
    for (const { name, response } of protocol.operations) {
      const { accepts } = Object.values(calls).find((call) => call.name === name) ?? {};
      const type = responses[name];
      if (type === undefined) expect.unreachable(`no type for ${name}`);
      if (accepts === undefined || response.kind !== "named") continue;
      await tryAll({
        name: `${version} ${name}`,
        cases: casesOf(4_000),
        generate: (random) => {
          const value = values.of(response.name, random);
          return random.oneIn(3) ? value : changed(value, random, keys);
        },
        complaint: (value) => {
          if (!accepts(value)) return undefined;
          counts.accepted += 1;
          const { value: read, issues } = check(type, value, "tolerant");
          if (issues !== undefined) return `the lenient reader refuses it: ${issues[0]?.message}`;
          if (JSON.stringify(read) !== JSON.stringify(value)) counts.different += 1;
          // The canonical form has the same meaning: it has the same canonical form.
          const again = check(type, read, "tolerant").value;
          if (JSON.stringify(again) !== JSON.stringify(read)) return "it has no canonical form";
          return accepts(read) ? undefined : "its canonical form is refused";
        },
      });
    }
  });
});

it("the comparison covered canonical responses and responses with additions", () => {
  expect(counts.accepted).toBeGreaterThan(casesOf(4_000));
  expect(counts.different).toBeGreaterThan(0);
});
