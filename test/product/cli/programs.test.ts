import { describe, expect, it } from "vitest";
import {
  generate,
  generateEach,
  generateInto,
  InputError,
  loadAssets,
  readProtocol,
  specRegistry,
} from "../../../generator/api/index.js";
import { Project, smallProto } from "./command.js";

/** A project with a small proto, and a request for it. */
function small() {
  const project = new Project({ "a.proto": smallProto });
  return {
    project,
    request: { cwd: project.folder, spec: "a.proto", out: "out", targets: ["models"] },
  };
}

/** Calls that are refused with an `InputError`. */
async function refusal(call: () => unknown) {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown);
  if (error instanceof InputError) return error.diagnostics;
  throw new Error(`not refused with an InputError: ${String(error)}`, { cause: error });
}

describe("a program that uses the API", () => {
  it("a program can generate texts without writing, with the default options of the command line", async () => {
    const { project } = small();
    const source = specRegistry(project.folder).find("a.proto");
    const { files, counts } = await generate(source);
    expect(counts.messages).toBe(1);
    expect(project.has("src")).toBe(false);
    await project.run("generate --spec a.proto");
    const written = project.files("src/a2a");
    expect(files.map(({ path, text }) => [path, text])).toEqual(
      Object.entries(written).filter(([path]) => path !== "a2a-codegen.lock.json"),
    );
  });

  it("a program can read a specification", () => {
    const { project } = small();
    expect(
      readProtocol(specRegistry(project.folder).find("a.proto")).types.map(({ name }) => name),
    ).toEqual(["Note"]);
    expect(readProtocol(specRegistry().find("1.0")).binding?.version).toBe("1.0.1");
  });

  it("a program can generate into a project", async () => {
    const { project, request } = small();
    const { title, out, changes } = await generateInto(request);
    expect([title, out, changes.written]).toEqual(["a.proto", "out", ["index.ts", "models.ts"]]);
    expect(Object.keys(project.files("out"))).toContain("models.ts");
  });

  it("a program uses the current folder unless it specifies another folder", async () => {
    const { changes } = await generateInto({
      out: "no-such-folder",
      config: false,
      dryRun: true,
      targets: ["models"],
    });
    expect(changes.written).toContain("models.ts");
  });
});

describe("a program in plain JavaScript", () => {
  /** A value as JavaScript has it: anything. */
  const untyped = (value: unknown): never => value as never;

  it.each([
    [{ targets: "models" }, '"targets" must be a list of strings'],
    [{ importExtension: ".mjs" }, '"importExtension" must be "js", "ts" or "none"'],
    [{ target: ["models"] }, '"target" is not a key of the request'],
    [{ spec: ["a.proto"] }, '"spec" must be a string'],
    [{ force: 1 }, '"force" must be true or false'],
    [{ cwd: null }, '"cwd" must be a string'],
    [{ config: true }, '"config" must be a string or false'],
    [null, "the request must be an object"],
  ])("generateInto refuses %j", async (wrong, problem) => {
    const { project, request } = small();
    const before = project.files();
    const found = await refusal(() => generateInto(untyped(wrong && { ...request, ...wrong })));
    expect(found.map((diagnostic) => diagnostic.message)).toEqual([problem]);
    expect(project.files()).toEqual(before);
  });

  it("all mistakes are reported at once, with the valid keys", async () => {
    const found = await refusal(() => generateEach(untyped({ spec: [1], target: [], out: 3 })));
    expect(found.map(({ message }) => message)).toHaveLength(3);
    expect(found[1]?.hint).toMatch(/^Did you mean targets\? The keys are spec, .* and \d more/);
  });

  it("invalid options of generate are refused", async () => {
    const source = specRegistry().find("1.0");
    const found = await refusal(() => generate(source, untyped({ targets: "models", out: "x" })));
    expect(found.map(({ message }) => message)).toEqual([
      '"targets" must be a list of strings',
      '"out" is not a key of the request',
    ]);
    const folder = await refusal(() => generate(source, { runtimeImport: "./runtime" }));
    expect(folder.map(({ message }) => message)).toEqual([
      '"runtimeImport" is "./runtime", which is not the name of a package',
    ]);
  });

  const source = specRegistry().find("1.0");
  const text = { file: "a.proto", text: smallProto };

  it.each([
    ["generate()", () => generate(untyped(undefined)), "the source is not a specification"],
    ["generate(text)", () => generate(untyped(smallProto)), "the source is not a specification"],
    [
      "generate(source, null)",
      () => generate(source, untyped(null)),
      "the request must be an object",
    ],
    [
      "generate(source, {}, {})",
      () => generate(source, {}, untyped({})),
      "the assets are not templates and modules",
    ],
    ["readProtocol()", () => readProtocol(untyped(undefined)), "the source is not a specification"],
    ["specRegistry(1)", () => specRegistry(untyped(1)), '"cwd" must be a string'],
    ["find()", () => specRegistry().find(untyped(undefined)), '"spec" must be a string'],
    ["find('')", () => specRegistry().find(""), '"spec" must not be empty'],
    [
      "find('1.0', { manifest: 1 })",
      () => specRegistry().find("1.0", untyped({ manifest: 1 })),
      '"manifest" must be a string',
    ],
    ["idOf(1)", () => specRegistry().idOf(untyped(1)), '"spec" must be a string'],
    ["loadAssets(1)", () => loadAssets(untyped("folder")), "the overrides must be an object"],
    ["loadAssets({})", () => loadAssets(untyped({})), '"folder" must be a string'],
    ["generateInto(1)", () => generateInto(untyped(1)), "the request must be an object"],
    ["generateEach('all')", () => generateEach(untyped("all")), "the request must be an object"],
  ])("the error for %s is descriptive", async (_, call, problem) => {
    const found = await refusal(call);
    expect(found.map(({ message }) => message)).toEqual([problem]);
    expect(found[0]?.hint).toMatch(/\w/);
  });

  it("every missing part of a source is reported", async () => {
    const found = await refusal(() =>
      readProtocol(untyped({ proto: text.text, manifests: [text, 1] })),
    );
    expect(found.map(({ message }) => message)).toEqual(
      [
        '"title" must be a string',
        '"proto" must be an object with "file" and "text"',
        '"docs" must be a list of objects with "file" and "text"',
        '"manifests" must be a list of objects with "file" and "text"',
        '"readImport" must be a function',
      ].map((problem) => `the source is not a specification: ${problem}`),
    );
  });

  it("a key may be undefined", async () => {
    const { request } = small();
    const { out } = await generateInto(
      untyped({ ...request, templates: undefined, aliases: undefined }),
    );
    expect(out).toBe("out");
  });
});
