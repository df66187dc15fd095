import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";

const documented =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\nexport (?:abstract |async )?(?:function\*?|class|interface|type|const) (\w+)/g;

/** Returns the doc comments of the exports of a file, by name. */
function docsIn(...path: readonly string[]): (readonly [name: string, doc: string])[] {
  const text = readFileSync(join(packageFolder, ...path), "utf8");
  return [...text.matchAll(documented)].map(([, doc = "", name = ""]) => [name, doc]);
}

const modules = readdirSync(join(packageFolder, "library"), { recursive: true, encoding: "utf8" });
const docs = new Map<string, Set<string>>();
for (const path of modules.filter((each) => each.endsWith(".ts")))
  for (const [name, doc] of docsIn("library", path))
    docs.set(name, (docs.get(name) ?? new Set()).add(doc));

// Users see the comments of the facades, and maintainers edit the comments of the modules.
it.each(["kit", "client", "testing"])(
  "Each export of the generated file of tasks/%s.hbs has the doc comment of the kit's export of that name",
  (facade) => {
    const own = docsIn("templates", "tasks", `${facade}.hbs`);
    expect(own.length).toBeGreaterThan(2);
    for (const [name, doc] of own) expect(docs.get(name) ?? new Set(), name).toContain(doc);
  },
);
