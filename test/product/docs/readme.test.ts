import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/project/assets.js";
import { specRegistry } from "../../../generator/input/registry.js";
import { loadConfig } from "../../../generator/project/config.js";
import { targets } from "../../../generator/targets/registry.js";
import { codeBlocks, firstCells, readDocument, section, type CodeBlock } from "./markdown.js";
import { NewcomerProject, type RunningAgent } from "./newcomer.js";

const readme = readDocument("README.md");
const blocks = codeBlocks(readme);
const sources = blocks.filter(({ language }) => language === "ts");
const [init, compile, ...rest] = blocks.filter(({ language, flags }) => language === "sh" && flags.includes("run"));
/** Commands that write what the sources import; they have to come before the sources are compiled. */
const early = rest.filter(({ text }) => text.includes("--out src/"));
const others = rest.filter((block) => !early.includes(block));

/** The flags under which the output of the generator compiles. */
const strictest = [
  "exactOptionalPropertyTypes",
  "noUncheckedIndexedAccess",
  "noPropertyAccessFromIndexSignature",
  "verbatimModuleSyntax",
  "isolatedModules",
  "erasableSyntaxOnly",
  "noUnusedLocals",
  "noUnusedParameters",
  "noImplicitOverride",
  "noImplicitReturns",
  "noFallthroughCasesInSwitch",
].flatMap((flag) => [`--${flag}`, "true"]);

const project = new NewcomerProject("readme");
let agent: RunningAgent | undefined;

/** What the README says that a block prints. */
function outputAfter(block: CodeBlock): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.flags.includes("output") ? next.text : undefined;
}

async function runShell(block: CodeBlock | undefined): Promise<void> {
  if (block === undefined) throw new Error("the README lacks a block for the shell");
  const { code, output } = await project.shell(block.text);
  expect(code, output).toBe(0);
  const told = outputAfter(block);
  if (told !== undefined) expect(output).toBe(told);
}

/** The keys that a configuration can have, which the refusal of another one names. */
function knownKeys(): string[] {
  project.write("wrong/a2a-codegen.config.json", '{ "unknown": 1 }');
  try {
    loadConfig(join(project.folder, "wrong"));
    return [];
  } catch (error) {
    return /The keys are ([^.]*)\./.exec(String(error))?.[1]?.split(", ") ?? [];
  }
}

beforeAll(async () => {
  expect(init?.text).toContain("npx a2a-codegen init");
  await runShell(init);
  for (const { file, text } of blocks.filter(({ language }) => language === "json")) project.write(file ?? "", text);
  expect(compile?.text).toContain("npx tsc");
  await runShell(compile);
  for (const block of early) await runShell(block);
  for (const { file, text, line } of sources) project.write(join("src", file ?? `line-${line}.ts`), text);
  await runShell(compile);
  agent = await project.startAgent("dist/grpc-agent.js", 2);
});

afterAll(async () => {
  await agent?.stop();
});

describe.concurrent("the examples of the README", () => {
  it("compile with the output under the strictest flags", async () => {
    const { code, output } = await project.typeCheck(...strictest);
    expect(code, output).toBe(0);
  });

  const programs = sources.filter(({ flags }) => flags.includes("run"));
  it.each(programs.map((block) => [block.file ?? "", block] as const))(
    "%s prints what it says",
    async (name, block) => {
      const script = join("dist", name.replace(/ts$/, "js"));
      const { code, output } = await project.node(script, agent?.url ?? "");
      expect(code, output).toBe(0);
      expect(output).toBe(outputAfter(block));
    },
  );

  it.each(others.map((block) => [block.line, block] as const))(
    "the commands in line %i run",
    { timeout: 120_000 },
    async (_, block) => {
      await runShell(block);
    },
  );
});

describe.concurrent("the reference in the README", () => {
  const commands = ["generate", "init", "validate", "diff", "upgrade", "list"];

  it.each(commands)("has every option of %s, and no other", async (command) => {
    const { output } = await project.shell(`npx a2a-codegen ${command} --help`);
    const options = [...output.matchAll(/^\s+(?:-\w, )?(--[\w-]+) /gm)].map(([, option = ""]) => option);
    const general = ["--help", "--version"];
    expect(options).toEqual(expect.arrayContaining(general));
    const told = firstCells(section(readme, command));
    expect(told.toSorted()).toEqual(options.filter((option) => !general.includes(option)).toSorted());
  });

  it.each(commands)("has the defaults of %s that --help tells", async (command) => {
    const { output } = await project.shell(`npx a2a-codegen ${command} --help`);
    const rows = [...section(readme, command).matchAll(/^\| `(--[\w-]+)` +\|.*\| `([^`]+)` +\|$/gm)];
    expect(rows.length > 0 || ["validate", "upgrade", "list"].includes(command)).toBe(true);
    for (const [, option = "", told = ""] of rows) {
      const [help = ""] = new RegExp(`\\s${option} [^]*?(?=\\n +(?:-\\w, )?--|$)`).exec(output) ?? [];
      const [, known = ""] = /\(default: ([^)]*)\)/.exec(help.replace(/\s+/g, " ")) ?? [];
      expect(known.split(", or "), option).toContain(told);
    }
  });

  it("has every command", async () => {
    const { output } = await project.shell("npx a2a-codegen --help");
    const listed = [...output.matchAll(/^ {2}a2a-codegen (\w+)/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(commands.toSorted());
  });

  it("has a configuration that loads, and a line for every key", () => {
    expect(loadConfig(project.folder).config.spec).toBe("1.0");
    const keys = firstCells(section(readme, "Configuration"));
    expect(keys.toSorted()).toEqual(knownKeys().toSorted());
  });

  it("names every target", () => {
    const text = section(readme, "Configuration");
    expect(targets.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it("names every bundled version", () => {
    const told = section(readme, "Versions of A2A");
    const bundled = specRegistry(packageFolder).list();
    expect(bundled.filter(({ id }) => !told.includes(`\`${id}\``))).toEqual([]);
  });

  it("shows files that are generated", () => {
    const tree = blocks.find(({ flags }) => flags.includes("tree"))?.text ?? "";
    const [root = "", ...entries] = tree.split("\n").map((line) => /^\s*(\S+)/.exec(line)?.[1] ?? "");
    const told = entries.filter((name) => name !== "").map((name) => (name.startsWith("src/") ? name : root + name));
    const written = readdirSync(join(project.folder, "src"), { recursive: true, encoding: "utf8" });
    const there = written.map((path) => `src/${path.replaceAll("\\", "/")}`);
    expect(told.filter((path) => !there.includes(path.replace(/\/$/, "")))).toEqual([]);
    const topFiles = there.filter((path) => /^src\/a2a\/[^/]+\.ts$/.test(path));
    expect(topFiles.filter((path) => !told.includes(path))).toEqual([]);
  });
});
