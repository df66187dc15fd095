import { afterAll, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../support/package-folder.js";
import { columns } from "../../../bench/sdk-table.mjs";
import { comparison } from "../../../bench/table.mjs";
import { loadConfig } from "../../../generator/project/config-file.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { keywords, unsupported } from "../../../generator/input/json-schema/keywords.js";
import { targets } from "../../../generator/targets/registry.js";
import { outFolder } from "../../support/output.js";
import { firstCells, links, readDocument, section } from "./markdown.js";
import { NewcomerProject } from "./newcomer.js";
import { pagesBelow } from "./pages.js";

const project = new NewcomerProject("reference");

/** Returns the help of a command, or of the program. */
async function helpOf(command: string) {
  const { output } = await project.shell(`npx a2a-codegen ${command} --help`);
  return output;
}

describe.concurrent("the page about the command line", () => {
  const page = readDocument("docs/command-line.md");
  const commands = [
    "generate",
    "init",
    "validate",
    "diff",
    "upgrade",
    "eject",
    "audit",
    "inspect",
    "probe",
    "list",
  ];

  it.each(commands)("the page lists exactly the options of %s", async (command) => {
    const options = [
      ...(await helpOf(command)).matchAll(/^\s+(?:-\w, )?(--[\w-]+)(?:, --[\w-]+)? /gm),
    ].map(([, name = ""]) => name);
    const general = ["--help", "--version"];
    expect(options).toEqual(expect.arrayContaining(general));
    const listed = firstCells(section(page, command));
    expect(listed.toSorted()).toEqual(
      options.filter((option) => !general.includes(option)).toSorted(),
    );
  });

  it.each(commands)("the page has the defaults of %s that --help prints", async (command) => {
    const help = await helpOf(command);
    const rows = [...section(page, command).matchAll(/^\| `(--[\w-]+)` +\|.*\| `([^`]+)` +\|$/gm)];
    expect(
      rows.length > 0 ||
        ["validate", "upgrade", "eject", "inspect", "probe", "list"].includes(command),
    ).toBe(true);
    for (const [, option = "", listed = ""] of rows) {
      const [line = ""] =
        new RegExp(`\\s${option}[ ,][^]*?(?=\\n +(?:-\\w, )?--|$)`).exec(help) ?? [];
      const [, known = ""] = /\(default: ([^)]*)\)/.exec(line.replace(/\s+/g, " ")) ?? [];
      expect(known.split(", or "), option).toContain(listed);
    }
  });

  it("the page has a section for every command", async () => {
    const listed = [...(await helpOf("")).matchAll(/^ {2}a2a-codegen (\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.toSorted()).toEqual([...commands, "completion"].toSorted());
    expect(() => listed.map((command) => section(page, command ?? ""))).not.toThrow();
  });
});

describe("the page about the configuration", () => {
  const page = readDocument("docs/configuration.md");
  const folder = mkdtempSync(join(outFolder, "config-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("the page has a line for exactly the keys of the configuration", async () => {
    expect(firstCells(section(page, "Keys")).toSorted()).toEqual(
      (await knownKeys(folder)).toSorted(),
    );
  });

  it("the page names every target", () => {
    const text = section(page, "Targets");
    expect(targets.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``))).toEqual(
      [],
    );
  });
});

describe("the page about specifications", () => {
  it("the table of keywords lists exactly the keywords that the generator reads and refuses", () => {
    const rows = rowsOf(section(readDocument("docs/specs-and-versions.md"), "JSON Schema"));
    const listed = rows.slice(1).map((row) => {
      const [, names = "", support = ""] = row.split(/ *\| */);
      return {
        names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
        isRefused: support === "refused",
      };
    });
    const namesIn = (isRefused: boolean) =>
      listed.flatMap((row) => (row.isRefused === isRefused ? row.names : [])).toSorted();
    expect(namesIn(false)).toEqual([...keywords.keys()].toSorted());
    expect(namesIn(true)).toEqual([...unsupported].toSorted());
  });
});

describe("the pages about versions", () => {
  it.each([
    ["README.md", "Versions"],
    ["docs/specs-and-versions.md", "Bundled versions"],
  ])("the page %s names every bundled version", (page, heading) => {
    const text = section(readDocument(page), heading);
    const bundled = specRegistry(packageFolder).list();
    expect(bundled.filter(({ id }) => !text.includes(`\`${id}\``))).toEqual([]);
  });
});

describe("the README", () => {
  const readme = readDocument("README.md");

  it("the README has at most 290 lines", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(290);
  });

  it("the README links to the list of all pages", () => {
    expect(readme).toContain("](docs/README.md)");
  });

  it("the README compares the output and the official SDK by ten measurements of docs/benchmarks.md", () => {
    const shown = figuresOf(tableIn(readme, "bench"));
    expect(shown).toHaveLength(10);
    const measured = rowsOf(readDocument("docs/benchmarks.md")).map((row) =>
      row.split(" | ").slice(1).join(" | "),
    );
    // docs/benchmarks.md also shows the spread of a ratio, in parentheses.
    const known = measured.map((row) =>
      row.replace(/ \| (?:@a2a-js\/sdk|SDK[^|]*) \| /, " | ").replace(/ \([^)]*\) \|$/, " |"),
    );
    expect(shown.filter((figures) => !known.includes(figures))).toEqual([]);
  });

  it("the README compares the output and the SDKs of other languages by measurements of docs/benchmarks.md", () => {
    const [[corner = "", ...titles] = [], ...rows] = cellsOf(tableIn(readme, "sdks"));
    const [[, , ...peers] = [], ...measured] = cellsOf(
      tableIn(readDocument("docs/benchmarks.md"), "sdks"),
    );
    const runtime = corner.slice(corner.lastIndexOf("Node"));
    expect(rows.map(([name]) => name)).toEqual(peers);
    expect(titles).toEqual([...columns.values()]);
    for (const [index, name] of [...columns.keys()].entries()) {
      const row = measured.find(([title]) => title === `${name}, ${runtime}`);
      expect(
        rows.map((cells) => cells[index + 1]),
        name,
      ).toEqual(row?.slice(2));
    }
  });

  it("the README only names existing measurements", () => {
    const names = rowsOf(readDocument("docs/benchmarks.md")).map((row) =>
      row.split(" | ")[0]?.slice("| ".length),
    );
    expect([...comparison.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe("the list of all pages", () => {
  it("the list for users and the list about the project link once to every page of docs/", () => {
    const listed = links(readDocument("docs/README.md")).filter(
      (target) => !target.startsWith("../"),
    );
    const ofProject = links(section(readDocument("CONTRIBUTING.md"), "About the project")).filter(
      (target) => target.startsWith("docs/"),
    );
    const all = [...listed.map((name) => `docs/${name}`), ...ofProject];
    expect(all.toSorted()).toEqual(pagesBelow("docs").filter((page) => page !== "docs/README.md"));
  });
});

/**
 * Returns the keys that a configuration can have, which the error message for an unknown key lists.
 */
async function knownKeys(folder: string) {
  writeFileSync(join(folder, "a2a-codegen.config.json"), '{ "unknown": 1 }');
  try {
    await loadConfig(folder);
    return [];
  } catch (error) {
    return /The keys are ([^.]*)\./.exec(String(error))?.[1]?.split(", ") ?? [];
  }
}

/**
 * Returns the numbers of each measurement in a table of the README: our result, the result of the
 * SDK, and the ratio.
 */
function figuresOf(markdown: string) {
  return rowsOf(markdown)
    .slice(1)
    .map((row) => row.split(" | ").slice(1).join(" | "));
}

/** Returns the text between two markers that a program writes a table between. */
function tableIn(markdown: string, name: string) {
  return markdown.split(new RegExp(`<!-- /?${name} -->`))[1] ?? "";
}

/** Returns the cells of a table, row by row. */
function cellsOf(markdown: string) {
  return rowsOf(markdown).map((row) => row.slice("| ".length, -" |".length).split(" | "));
}

/**
 * Returns the rows of the tables in a Markdown text, without the spaces that align their columns.
 */
function rowsOf(markdown: string) {
  const rows = markdown.split("\n").filter((line) => line.startsWith("|") && !line.includes("---"));
  return rows.map((row) => row.replace(/ +/g, " "));
}
