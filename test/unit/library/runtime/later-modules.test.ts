import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";

const runtime = join(packageFolder, "library", "runtime");
const fixed = /^(?:import|export) (?!type )[^"]*? from "(\.[^"]+)"/gm;
const later = /\bimport\("(\.[^"]+)"\)/g;

/** Returns the modules that the modules at `paths` import as `form`, directly or indirectly. */
function reachedFrom(paths: readonly string[], form: RegExp): Set<string> {
  const reached = new Set(paths);
  for (const path of reached)
    for (const [, to = ""] of readFileSync(join(runtime, path), "utf8").matchAll(form))
      reached.add(relative(runtime, join(runtime, dirname(path), to.replace(/\.js$/, ".ts"))));
  return reached;
}

it("a module that a client loads later imports no module that the client loads at once", () => {
  const clients = [
    "bindings/jsonrpc/client.ts",
    "bindings/rest/client.ts",
    "client/connect.ts",
    "client/core.ts",
    "client/discover.ts",
  ];
  const first = reachedFrom(clients, fixed);
  const targets = [...reachedFrom([...first], later)].filter((path) => !first.has(path));
  expect(targets.length).toBeGreaterThan(5);
  // A bundler moves shared modules into a file of their own, which every client loads. Only the
  // lenient reader shares modules: the predicates of guards, and the issues of transports.
  const shared = [...reachedFrom(targets, fixed)].filter((path) => first.has(path));
  expect(shared.sort()).toEqual(["base/json.ts", "schema/issue.ts"]);
});
