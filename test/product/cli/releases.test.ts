import { build } from "esbuild";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { libraryForm, libraryName } from "../../../generator/core/package-names.js";
import { packageFolder } from "../../../support/package-folder.js";
import { outputs } from "../../tools/outputs.mjs";
import { Project } from "./command.js";
import { libraryFolder } from "../../support/linked.js";

/**
 * Starts an agent and a client in one process, and prints the text of the task that a message
 * starts.
 */
const main = `
  import { createAgent, fetchHandler, connect, jsonRpc } from "./a2a/index.js";
  import { completed, taskService, textOf } from "./a2a/kit/index.js";
  const url = "http://agent.test/";
  const card = {
    name: "A", description: "B", version: "1", capabilities: {}, skills: [],
    defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"],
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  const service = taskService({ async *run({ message }) { return completed(textOf(message)); } });
  const handle = fetchHandler(createAgent({ card, service }));
  const fetch = (...given) => handle(new Request(...given));
  const client = await connect(card, { transports: [jsonRpc({ fetch })] });
  const { task } = await client.sendMessage({ message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hi" }] } });
  console.log(textOf(task.status.message));
  client.close();
  await service.close();
`;

/** How a release calls the forms of outputs that its library serves. */
interface Forms {
  readonly first: number;
  readonly last: number;
}

const own: Forms = { first: libraryForm, last: libraryForm };

/** Installs the library of a release that supports other forms than the current form. */
function install(project: Project, { first, last }: Forms): void {
  const folder = project.path(`node_modules/${libraryName}`);
  mkdirSync(folder, { recursive: true });
  cpSync(join(libraryFolder, "dist"), join(folder, "dist"), { recursive: true });
  const text = readFileSync(join(libraryFolder, "package.json"), "utf8");
  const description = { ...(JSON.parse(text) as object), outputForms: [first, last] };
  writeFileSync(join(folder, "package.json"), JSON.stringify(description));
  const module = join(folder, "dist", "runtime", "base", "library.js");
  const changed = readFileSync(module, "utf8").replace(
    /first: ?\d+, ?last: ?\d+/,
    `first: ${first}, last: ${last}`,
  );
  writeFileSync(module, changed);
  symlinkSync(join(packageFolder, "node_modules", "@grpc"), project.path("node_modules/@grpc"));
}

/**
 * Writes an output of a form, and runs the program that imports it. Returns what it prints, or why
 * it fails.
 */
async function runOutput(project: Project, form: number) {
  const errors = project
    .read("src/a2a/errors.ts")
    .replace(/checkLibrary\(\d+\)/, `checkLibrary(${form})`);
  project.write({ "src/a2a/errors.ts": errors });
  const options = { bundle: true, packages: "external", format: "esm", platform: "node" } as const;
  const outfile = project.path("main.mjs");
  await build({ ...options, entryPoints: [project.path("src/main.ts")], outfile });
  try {
    return (await promisify(execFile)(process.execPath, [outfile])).stdout;
  } catch (error) {
    return /^Error: .*$/m.exec((error as { stderr: string }).stderr)?.[0] ?? String(error);
  }
}

describe("an output and a library of different releases", () => {
  const projects = new Map<string, Project>();
  const [yesterday, tomorrow] = [libraryForm - 1, libraryForm + 1];

  beforeAll(async () => {
    const releases = {
      own,
      older: { first: yesterday, last: yesterday },
      wide: { first: yesterday, last: libraryForm },
    };
    let output: Readonly<Record<string, string>> = {};
    for (const [name, forms] of Object.entries(releases)) {
      const project = new Project({ "src/main.ts": main, ...output });
      install(project, forms);
      if (name === "own")
        expect(await project.run("generate --runtime package")).toMatchObject({ code: 0 });
      output = Object.fromEntries(
        Object.entries(project.files("src")).map(([path, text]) => [`src/${path}`, text]),
      );
      projects.set(name, project);
    }
  });

  const older =
    "Error: a2a-codegen-runtime is older than the output that imports it: run `npm install a2a-codegen-runtime@latest`";
  const newer =
    "Error: a2a-codegen-runtime is newer than the output that imports it: run `npx a2a-codegen generate`";
  it.each([
    ["works with the library of its own release", "own", libraryForm, "Hi\n"],
    ["works with a newer library that still supports its form", "wide", yesterday, "Hi\n"],
    ["prints a hint with a newer library that does not support its form", "own", yesterday, newer],
    ["prints a hint with an older library", "older", libraryForm, older],
    ["prints a hint with a library older than the next release", "own", tomorrow, older],
  ])("an output %s", async (_, release, form, printed) => {
    const project = projects.get(release);
    expect(project && (await runOutput(project, form))).toBe(printed);
  });

  it("generate refuses to write an output for an older library", async () => {
    const project = projects.get("older");
    const before = project?.files("src");
    const { code, stderr } = (await project?.run("generate --runtime package")) ?? {};
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^the package "a2a-codegen-runtime" .* is older than the output/m),
    ]);
    expect(project?.files("src")).toEqual(before);
  });
});

/** Returns the names that a module imports or exports from the package, by subpath. */
function importsOf(text: string): (readonly [subpath: string, names: readonly string[]])[] {
  const statements = text.matchAll(
    /^(?:import|export) (?:type )?(\*|\{[^}]*\}) from "a2a-codegen-runtime\/([^"]+)";$/gm,
  );
  return [...statements].map(([, clause = "", subpath = ""]) => {
    const names = clause.split(/[{},]/).map((name) => name.trim().replace(/^type | as .*$/g, ""));
    return [subpath, names.filter((name) => name !== "")];
  });
}

/**
 * After a release with a form, this list only grows: a missing module or name of the library fails
 * when programs are linked, before `checkLibrary` can print a hint. Removing a line requires a new
 * form.
 */
describe(`the names that outputs of form ${libraryForm} import`, () => {
  it("the imported names equal the list", async () => {
    const names = new Map<string, Set<string>>();
    for (const { folder } of outputs) {
      const output = join(packageFolder, "generated", folder);
      const files = readdirSync(output, { recursive: true, encoding: "utf8" }).filter((path) =>
        path.endsWith(".ts"),
      );
      for (const [subpath, found] of files.flatMap((path) =>
        importsOf(readFileSync(join(output, path), "utf8")),
      ))
        names.set(subpath, new Set([...(names.get(subpath) ?? []), ...found]));
    }
    const lines = [...names].map(
      ([subpath, found]) => `${subpath}: ${[...found].sort().join(" ")}\n`,
    );
    await expect(lines.sort().join("")).toMatchFileSnapshot(
      `../../fixtures/library/form-${libraryForm}.txt`,
    );
  });
});
