import { describe, expect, it } from "vitest";
import { readDocument, section } from "../../../product/docs/markdown.js";
import { type Framework, tryClient } from "./trial.js";

declare module "vitest" {
  interface TaskMeta {
    /** Behavior of a client, by the columns of the page. */
    client?: Readonly<Record<string, string>>;
  }
}

/** The frameworks that `npm run interop` has installed. */
const frameworks = JSON.parse(process.env["INTEROP_FRAMEWORKS"] ?? "[]") as readonly Framework[];

/** Whether the page is written, so that it need not have the same content before. */
const isWriting = process.env["INTEROP_WRITES"] === "true";

/** Returns the rows of the table on the page, each with the titles of its columns. */
function rowsOfPage(): Readonly<Record<string, string | undefined>>[] {
  const page = section(readDocument("docs/interop.md"), "Clients of frameworks");
  const lines = page.split("\n").filter((line) => line.startsWith("| "));
  const cells = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const [titles = [], , ...rows] = cells;
  return rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at]])));
}

describe.each(frameworks)("the client of $name", (framework) => {
  for (const version of framework.versions)
    it(`the client does what the page says when it calls an agent of A2A ${version}`, async ({
      task,
    }) => {
      const row = {
        Client: framework.name,
        A2A: version,
        ...(await tryClient(framework, version)),
      };
      task.meta.client = row;
      if (!isWriting) expect(rowsOfPage()).toContainEqual(row);
    });
});
