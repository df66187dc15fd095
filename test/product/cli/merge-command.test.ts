import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import { InputError } from "../../../support/diagnostics.js";
import { generateInto, type GenerateRequest } from "../../../generator/project/project.js";
import { prepareUserFile } from "../../../generator/output/user-file.js";
import { cli, Project } from "./command.js";
import { lostLine } from "../../unit/generator/merge/merging.js";

/**
 * A specification without a type that the task kit requires, so that the skeleton implements the
 * operations itself.
 */
const proto = readFileSync(join(packageFolder, "spec", "1.0", "a2a.proto"), "utf8").replaceAll(
  /\bArtifact\b/g,
  "Product",
);
const rpc = `
  // Says that the agent is there.
  rpc Ping(GetTaskRequest) returns (Task) {
    option (google.api.http) = { get: "/ping/{id}" };
  }
`;
/** The specification with an additional operation after the operation that gets a task. */
const larger = proto.replace(/(\n\s*rpc GetTask\([^]*?\n {2}\}\n)/, `$1${rpc}`);

const config = { spec: "a2a.proto", manifest: "1.0", targets: ["server"], agent: "src/agent.ts" };
let model: Project;

beforeAll(async () => {
  model = new Project({ "a2a.proto": proto, "a2a-codegen.config.json": JSON.stringify(config) });
  await generateInto({ cwd: model.folder });
});

/**
 * A project with the output and the agent of 1.0, and a specification that has an operation more.
 */
function project(change: (skeleton: string) => string = (skeleton) => skeleton) {
  const made = new Project();
  cpSync(model.folder, made.folder, { recursive: true });
  made.write({ "src/agent.ts": change(made.read("src/agent.ts")), "a2a.proto": larger });
  return made;
}

/** Runs the command in this process. */
async function run(made: Project, request: Partial<GenerateRequest> = {}) {
  return await generateInto({ cwd: made.folder, ...request });
}

async function refusalOf(made: Project) {
  const error: unknown = await run(made).catch((thrown: unknown) => thrown);
  return error instanceof InputError ? error.message : `no refusal: ${String(error)}`;
}

function lineOf(made: Project, text: string) {
  const lines = made.read("src/agent.ts").split("\n");
  return lines.findIndex((line) => line.includes(text)) + 1;
}

/** Runs the command with a syntax tree library that fails to load. */
function runWithoutTree(made: Project) {
  const hook = `export const resolve = (name, context, next) => {
    if (name === "ts-morph") throw new Error("ts-morph is loaded");
    return next(name, context);
  };`;
  const url = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(url(hook))});`;
  const args = ["--import", url(register), cli, "generate"];
  return execFileSync(process.execPath, args, {
    cwd: made.folder,
    encoding: "utf8",
    stdio: "pipe",
  });
}

describe("generate with a new operation in the specification", () => {
  it("generate adds its method to the agent once, with documentation and in the order of the specification", async () => {
    const made = project((skeleton) => skeleton.replace("  getTask(", "  getTask( "));
    const mine = made.read("src/agent.ts");
    expect(await made.succeed("generate")).toContain(
      `\n  src/agent.ts:${lineOf(made, "  ping(")}:3: ping added\n`,
    );
    const merged = made.files();
    expect(lostLine(mine, made.read("src/agent.ts"))).toBe(undefined);
    expect(made.read("src/agent.ts")).toContain(`
  /**
   * Says that the agent is there.
   *
   * @see lf.a2a.v1.A2AService.Ping
   */
  ping(_request: GetTaskRequest, context: CallContext): Promise<Task> {
    throw new UnsupportedOperationError(\`\${context.operation.method} is not implemented\`);
  }

  /**
   * Lists`);

    expect(runWithoutTree(made)).toContain("up to date");
    expect(made.files()).toEqual(merged);
    made.write({ "src/agent.ts": mine, "a2a.proto": larger.replace("is there", "is still there") });
    expect(() => runWithoutTree(made)).toThrow(/ts-morph is loaded/);
    expect((await run(made)).merge).toMatchObject({ added: [], missing: [] });
    expect(made.read("src/agent.ts")).toBe(mine);
  });

  it("generate reports a removed operation while its method exists", async () => {
    const made = project();
    await run(made);
    const removed = [{ method: "ping", line: lineOf(made, "  ping("), column: 3 }];
    made.write({ "a2a.proto": proto });
    const { stdout } = await made.run("generate");
    expect(stdout).toContain(
      `src/agent.ts:${removed[0]?.line ?? 0}:3: ping is not an operation of this specification`,
    );
    made.write({ "a2a.proto": `${proto}\n// Once more.\n` });
    expect((await run(made)).merge).toEqual({
      file: "src/agent.ts",
      added: [],
      removed,
      changed: [],
      missing: [],
    });
    made.write({
      "src/agent.ts": made.read("src/agent.ts").replace("  ping(", "  pong("),
      "a2a.proto": proto,
    });
    expect((await run(made)).merge).toMatchObject({ added: [], removed: [] });
    expect(made.read("src/a2a/a2a-codegen.lock.json")).not.toContain('"gone"');
  });

  it("generate --check names the method and only checks the output", async () => {
    const made = project();
    const before = made.files();
    const { code, stdout } = await made.run("generate --check");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/ {2}src\/agent\.ts:\d+:3: ping would be added\n/),
    ]);
    expect(made.files()).toEqual(before);
    made.write({ "src/agent.ts": "class {" });
    expect((await run(made, { check: true })).merge).toMatchObject({
      message: expect.stringContaining("src/agent.ts:1:8: the file cannot be merged") as string,
    });
  });

  it("generate only reports possible additions if no lock file exists", async () => {
    const made = project();
    const before = made.read("src/agent.ts");
    rmSync(made.path("src/a2a"), { recursive: true });
    const reason = "it may have been omitted on purpose";
    const place = { method: "ping", reason, line: lineOf(made, "class Agent"), column: 14 };
    expect((await run(made)).merge).toMatchObject({ added: [], missing: [place] });
    expect(made.read("src/agent.ts")).toBe(before);
  });

  it("generate keeps the mode of the file, follows a symbolic link and leaves no other file behind", async () => {
    const made = project();
    renameSync(made.path("src/agent.ts"), made.path("real.ts"));
    symlinkSync("../real.ts", made.path("src/agent.ts"));
    chmodSync(made.path("real.ts"), 0o750);
    const names = Object.keys(made.files());
    await run(made);
    expect(lstatSync(made.path("src/agent.ts")).isSymbolicLink()).toBe(true);
    expect(made.read("real.ts")).toContain("  ping(");
    expect(statSync(made.path("real.ts")).mode & 0o777).toBe(0o750);
    expect(Object.keys(made.files())).toEqual(names);
  });
});

describe("an agent that cannot be merged", () => {
  const withoutClass = (skeleton: string) =>
    skeleton.replace(/(?:\/\*\*[^]*?\*\/\n)?class Agent[^]*?\n\}\n/, "");
  const missing = "src/agent.ts: the file does not implement A2AService";
  const refusals: readonly (readonly [string, (skeleton: string) => string, RegExp | string])[] = [
    [
      "does not parse",
      (skeleton) => skeleton.replace("  getTask(", "  getTask(("),
      /^src\/agent\.ts:\d+:11: the file cannot be merged because it has a syntax error: .*nothing was written\.\n$/,
    ],
    [
      "has no implementation",
      withoutClass,
      `${missing}. Set the agent to the file of the implementation, or remove --agent and "agent" in the configuration.\n`,
    ],
  ];

  it.each(refusals)(
    "an agent that cannot be merged because it %s leaves the project unchanged",
    async (_, change, message) => {
      const made = project(change);
      const before = made.files();
      const { code, stdout, stderr } = await made.run("generate");
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
      expect(made.files()).toEqual(before);
    },
  );

  it("an agent that is not UTF-8 leaves the project unchanged", async () => {
    const made = project();
    const bytes = Buffer.from("// \xe4\nexport {};\n", "latin1");
    writeFileSync(made.path("src/agent.ts"), bytes);
    const before = made.files();
    expect(await refusalOf(made)).toContain("src/agent.ts: the file is not UTF-8");
    expect(made.files()).toEqual(before);
    expect(readFileSync(made.path("src/agent.ts"))).toEqual(bytes);
  });

  it.each([
    ["file", "src/agent.ts", 0o444],
    ["folder", "agents", 0o555],
  ])("an agent whose %s is read-only leaves the project unchanged", async (what, path, mode) => {
    const made = project();
    const moved = what === "folder" ? "agents/agent.ts" : "src/agent.ts";
    made.write({ [moved]: made.read("src/agent.ts").replaceAll("./a2a/", "../src/a2a/") });
    const before = made.files();
    chmodSync(made.path(path), mode);
    const { code, stderr } = await made.run("generate --agent", moved);
    chmodSync(made.path(path), 0o755);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${moved}: the ${what}`)]);
    expect(stderr).toContain("read-only");
    expect(made.files()).toEqual(before);
  });

  it("an agent whose output was edited leaves the project unchanged", async () => {
    const made = project();
    made.write({ "src/a2a/models.ts": `${made.read("src/a2a/models.ts")}// edited\n` });
    const before = made.files();
    expect(await refusalOf(made)).toContain("edited by hand");
    expect(made.files()).toEqual(before);
  });
});

describe("a merged file", () => {
  it("a merged file is restored if the rest of the run fails", () => {
    const made = new Project({ "agent.ts": "old" });
    const change = prepareUserFile(made.path("agent.ts"), "agent.ts", "old", "new");
    change.commit();
    expect(made.read("agent.ts")).toBe("new");
    change.undo();
    change.close();
    expect(made.files()).toEqual({ "agent.ts": "old", "package.json": made.read("package.json") });
  });

  it("a merged file does not overwrite changes that the user saved in the meantime", () => {
    const made = new Project({ "agent.ts": "old" });
    const change = prepareUserFile(made.path("agent.ts"), "agent.ts", "old", "new");
    made.write({ "agent.ts": "saved" });
    expect(() => change.commit()).toThrow("agent.ts: the file was changed while it was merged");
    change.close();
    expect(made.files()).toEqual({
      "agent.ts": "saved",
      "package.json": made.read("package.json"),
    });
  });
});
