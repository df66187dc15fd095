import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Issue } from "../../generated/1.0/index.js";
import { packageFolder } from "../../support/package-folder.js";
import { tolerances, toleranceTable } from "../support/tolerances/index.js";
import type { Read, ToleranceCase } from "../support/tolerances/row.js";

/** A case of a row, with a title. */
type Titled = readonly [title: string, tolerated: ToleranceCase];

const cases = tolerances.flatMap(({ id, requests = {}, responses = {} }) => [
  ...Object.entries(requests).map(([title, each]): Titled => [`${id}: requests, ${title}`, each]),
  ...Object.entries(responses).map(([title, each]): Titled => [`${id}: responses, ${title}`, each]),
]);
const neighbours = cases.flatMap(([title, { neighbours: all }]) =>
  Object.entries(all).map(([name, read]): [string, Read] => [`${title}, ${name}`, read]),
);

describe("a tolerance", () => {
  it.each(cases)("the form is read and reported: %s", async (_, { form, reading }) => {
    const deviations: Issue[] = [];
    expect(await form({ onDeviation: (found) => deviations.push(...found) })).toEqual(reading);
    expect(deviations).not.toEqual([]);
  });

  it.each(cases)(
    "a strict reader refuses the form, so the row is still needed: %s",
    async (_, { form }) => {
      await expect(form({ strict: true })).rejects.toThrow();
    },
  );

  it.each(neighbours)("a form that only looks similar is refused: %s", async (_, read) => {
    for (const strict of [false, true]) await expect(read({ strict })).rejects.toThrow();
  });

  // `WRITE_TABLES=1` writes the table. Prettier then aligns it.
  it("the rows are the table of interop/TOLERANCES.md", () => {
    const path = join(packageFolder, "test", "behaviour", "interop", "TOLERANCES.md");
    const page = readFileSync(path, "utf8");
    const [start = "", rest = ""] = page.split("<!-- tolerances -->");
    const [table = "", end = ""] = rest.split("<!-- /tolerances -->");
    const rows = toleranceTable(tolerances);
    if (process.env["WRITE_TABLES"] === "1") {
      const written = `\n\n${rows.join("\n")}\n\n`;
      writeFileSync(path, `${start}<!-- tolerances -->${written}<!-- /tolerances -->${end}`);
    } else
      expect(table.trim().replace(/ +/g, " ").replace(/-{3,}/g, "---").split("\n")).toEqual(rows);
  });
});
