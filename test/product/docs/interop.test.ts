import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { scenarios } from "../../behaviour/interop/scenarios.js";
import { readDocument, section } from "./markdown.js";

const sdks = [
  "Python SDK 1.3.0",
  "Python SDK 0.3.26",
  "Go SDK 2.4.0",
  "Go SDK 2.4.0 for 0.3",
  "Rust SDK 0.5.3",
  "Java SDK 0.3.3.Final",
];

const clients = [
  "ADK 2.0.0, JavaScript",
  "ADK 2.13.0, Python",
  "Mastra 1.71.0",
  "Strands 1.16.0, JavaScript",
  "Strands 1.62.0, Python",
];

/** Runs `npm run interop` without any other program in the path. */
function interop(...args: readonly string[]): {
  readonly status: number | null;
  readonly text: string;
} {
  const program = join(packageFolder, "test", "tools", "interop.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { PATH: "/nowhere", HOME: "/nowhere" },
  });
  return { status, text: `${stdout}${stderr}` };
}

describe("the page about official SDKs", () => {
  it.each(sdks)("the page lists the scenarios of %s, with a reason for every deviation", (sdk) => {
    const part = section(readDocument("test/behaviour/interop/RESULTS.md"), sdk);
    const rows = part.split("\n").filter((line) => line.startsWith("| "));
    const cells = rows.slice(2).map((row) => row.split("|").map((cell) => cell.trim()));
    const names = scenarios.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(cells.map(([, name]) => name)));
    const numbers = cells.flatMap((row) =>
      row.slice(2, -1).flatMap((cell) => cell.match(/\d+/g) ?? []),
    );
    const reasons = [...part.matchAll(/^(\d+)\. .*\)$/gm)].map(([, number = ""]) => number);
    expect(reasons).toEqual([...new Set(numbers)].sort((a, b) => Number(a) - Number(b)));
    expect(part).not.toContain("✗");
  });

  it.each(sdks)(
    "the page gives the number of scenarios that succeed with %s as a client and as a server",
    (sdk) => {
      const rows = section(readDocument("docs/interop.md"), "Results").split("\n");
      const own = rows
        .map((row) => row.split("|").map((cell) => cell.trim()))
        .filter(([, name]) => name === sdk);
      expect(own.map(([, , , role]) => role)).toEqual(["SDK client", "SDK server"]);
    },
  );
});

it("the page lists the clients of all frameworks that the command tries", () => {
  const rows = section(readDocument("docs/interop.md"), "Clients of frameworks").split("\n");
  const names = rows.map((row) => /^\| (.+?) +\| \d/.exec(row)?.[1]);
  expect([...new Set(names)].filter((name) => name !== undefined)).toEqual(clients);
});

describe("the command that tests official SDKs", () => {
  it("the command names the SDKs that it skips, with reasons", () => {
    const { status, text } = interop("--sdk", "python,go");
    expect(text).toBe(
      [
        "Python SDK 1.3.0 is skipped: python3 cannot be found in the PATH",
        "Python SDK 1.3.0 for 0.3 is skipped: python3 cannot be found in the PATH",
        "Python SDK 0.3.26 is skipped: python3 cannot be found in the PATH",
        "Go SDK 2.4.0 is skipped: go cannot be found in the PATH",
        "Go SDK 2.4.0 for 0.3 is skipped: go cannot be found in the PATH",
        "No SDK is left to try.\n",
      ].join("\n"),
    );
    expect(status).toBe(0);
  });

  it("the command names the frameworks that it skips, with reasons", () => {
    const { status, text } = interop("--sdk", "adk,strands");
    expect(text).toBe(
      [
        "ADK 2.0.0, JavaScript is skipped: npm cannot be found in the PATH",
        "ADK 2.13.0, Python is skipped: python3 cannot be found in the PATH",
        "Strands 1.16.0, JavaScript is skipped: npm cannot be found in the PATH",
        "Strands 1.62.0, Python is skipped: python3 cannot be found in the PATH",
        "No SDK is left to try.\n",
      ].join("\n"),
    );
    expect(status).toBe(0);
  });

  it("the command refuses unknown names", () => {
    const { status, text } = interop("--sdk", "cobol");
    const names = "python, go, rust, java, adk, mastra, strands";
    expect(text).toContain(`Unknown SDK "cobol"; choose from ${names}`);
    expect(status).toBe(2);
  });
});
