import { execFile, execFileSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import type { Remaining, Renamed } from "../../../generator/upgrade/types.js";
import { Project, type Output } from "../cli/command.js";

const config =
  '{\n  // The version.\n  "spec": "0.3.0",\n  "out": "src/a2a",\n  "aliases": "all"\n}\n'.replace(
    / {2}\/\/.*\n/,
    "",
  );
const tsconfig = {
  compilerOptions: {
    strict: true,
    target: "ES2022",
    lib: ["ES2023"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: true,
    types: ["node"],
    noEmit: true,
  },
  include: ["src"],
};

/**
 * A project on 0.3.0 with the echo agent, its client, and some code that uses names of still
 * earlier versions.
 */
async function projectOn03() {
  const project = new Project({
    "tsconfig.json": JSON.stringify(tsconfig),
    "a2a-codegen.config.json": config,
    ".gitignore": "node_modules\n",
    "src/old.ts": `import { isMessage, type AgentInterface, type TaskSendParams, type TaskState } from "./a2a/index.js";
import type { MessageSendParams as Params } from "./a2a/models.js";

export const ended: readonly TaskState[] = ["completed", "failed"];
export const first = ({ message }: TaskSendParams): Params => ({ message });
export const addresses = (all: AgentInterface[]): string[] => all.map(({ transport, url }) => transport + url);
export const body = { jsonrpc: "2.0", id: 1, method: "message/send", params: {} };
export const is = isMessage;
`,
  });
  symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
  for (const folder of ["echo-agent-0.3", "client-0.3", "shared"])
    cpSync(join(packageFolder, "examples", folder), project.path(join("src", folder)), {
      recursive: true,
    });
  for (const [path, text] of Object.entries(project.files("src")))
    project.write({ [join("src", path)]: text.replaceAll("../../generated/0.3.0/", "../a2a/") });
  await project.succeed("generate");
  commit(project);
  return project;
}

function commit(project: Project) {
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: project.folder,
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "All");
}

/** Compile errors of a project: `file:line:column TS2339`. */
async function refused(project: Project, compiler: string) {
  const bin = join(packageFolder, "node_modules", compiler, "bin", "tsc");
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [bin, "--pretty", "false"],
      { cwd: project.folder, maxBuffer: 1e8 },
      (_, stdout) => resolve(stdout),
    );
  });
  return [...output.matchAll(/^(\S+)\((\d+),(\d+)\): error (TS\d+)/gm)].map(
    ([, file = "", line = "", column = "", code = ""]) => `${file}:${line}:${column} ${code}`,
  );
}

describe("upgrade --to 1.0 of a project on 0.3.0", () => {
  let project: Project;
  let before: Record<string, string>;
  let dry: Output;
  let report: Output;

  beforeAll(async () => {
    project = await projectOn03();
    before = project.files("src");
    const args = ["upgrade", "--to", "1.0"];
    expect(await refused(project, "typescript-7")).toEqual([]);
    dry = (await project.json(args)).output;
    expect(project.files("src")).toEqual(before);
    report = (await project.json(args, "--write")).output;
  });

  it("upgrade changes nothing without --write and reports the same, with locations in the unchanged files", () => {
    expect([dry["written"], report["written"]]).toEqual([false, true]);
    const [planned, left] = [dry, report].map((output) => output["remaining"] as Remaining[]);
    const messages = (all: Remaining[] = []) =>
      all.map(({ file, message }) => `${file}: ${message}`);
    expect(messages(planned)).toEqual(messages(left));
    for (const { file, line, kind, message } of planned ?? [])
      if (kind === "name")
        expect(before[file.slice("src/".length)]?.split("\n")[line - 1]).toContain(
          /^"([^"]*)"/.exec(message)?.[1],
        );
    expect(dry["renamed"]).toEqual(report["renamed"]);
  });

  it.each([
    ["typescript-5.9", true],
    ["typescript-7", false],
  ])(
    "upgrade leaves exactly the compile errors that it lists, as %s finds them",
    async (compiler, sameCodes) => {
      // The native compiler names the reason of some errors in place of the error itself.
      const placeOf = (place: string) => (sameCodes ? place : place.replace(/ TS\d+$/, ""));
      const listed = (report["remaining"] as Remaining[]).filter(({ kind }) => kind === "error");
      const places = listed.map(
        ({ file, line, column, code }) => `${file}:${line}:${column} TS${code ?? 0}`,
      );
      expect((await refused(project, compiler)).map(placeOf).sort()).toEqual(
        places.map(placeOf).sort(),
      );
      expect(listed.length).toBeGreaterThan(5);
      expect(listed.every(({ wasBefore }) => !wasBefore)).toBe(true);
    },
  );

  it("upgrade names the replacements of removed names", () => {
    for (const { message, notes } of report["remaining"] as Remaining[])
      if (
        /'(kind|blocking|final|preferredTransport|supportsAuthenticatedExtendedCard)'/.test(message)
      )
        expect([message, notes]).not.toEqual([message, []]);
  });

  it("upgrade renames old names and reports their locations", () => {
    expect(project.read("src/old.ts"))
      .toBe(`import { isMessage, type AgentInterface, type SendMessageRequest, type TaskState } from "./a2a/index.js";
import type { SendMessageRequest as Params } from "./a2a/models.js";

export const ended: readonly TaskState[] = ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED"];
export const first = ({ message }: SendMessageRequest): Params => ({ message });
export const addresses = (all: AgentInterface[]): string[] => all.map(({ protocolBinding: transport, url }) => transport + url);
export const body = { jsonrpc: "2.0", id: 1, method: "message/send", params: {} };
export const is = isMessage;
`);
    const old = (report["renamed"] as Renamed[]).filter(({ file }) => file === "src/old.ts");
    expect(old.map(({ line, column, from, to }) => `${line}:${column} ${from} → ${to}`)).toEqual([
      "1:47 TaskSendParams → SendMessageRequest",
      "2:15 MessageSendParams → SendMessageRequest",
      "4:45 completed → TASK_STATE_COMPLETED",
      "4:58 failed → TASK_STATE_FAILED",
      "5:36 TaskSendParams → SendMessageRequest",
      "6:74 transport → protocolBinding",
    ]);
  });

  it("upgrade lists old names and lists that the compiler accepts", () => {
    const texts = (report["remaining"] as Remaining[]).filter(({ kind }) => kind === "name");
    expect(texts.map(({ file, line, message }) => `${file}:${line} ${message}`).sort()).toEqual([
      'src/echo-agent-0.3/main.ts:22 "additionalInterfaces" is now "supportedInterfaces", and also has the interface that was "url" of the card',
      'src/echo-agent-0.3/service.ts:121 "pushNotificationConfigId" is no longer a key here',
      'src/echo-agent-0.3/service.ts:121 "pushNotificationConfigId" is now "id"',
      'src/old.ts:7 "message/send" is now "SendMessage"',
    ]);
  });

  it("upgrade leaves no name that is deprecated in the new version", () => {
    const legacy = [
      ...project.read("src/a2a/legacy.ts").matchAll(/^export (?:type|const) (\w+)/gm),
    ].map(([, name]) => name);
    const own = Object.entries(project.files("src")).filter(([path]) => !path.startsWith("a2a/"));
    for (const [path, text] of own)
      for (const name of legacy)
        expect([path, text.match(`\\b${name ?? ""}\\b`)]).toEqual([path, null]);
  });

  it("upgrade changes the version in the configuration and the output", async () => {
    expect(project.read("a2a-codegen.config.json")).toBe(config.replace("0.3.0", "1.0"));
    await project.succeed("generate --check");
  });

  it("upgrade changes nothing on the second run", async () => {
    commit(project);
    const after = project.files("src");
    const { output } = await project.json("upgrade --to 1.0 --write");
    expect(output["renamed"]).toEqual([]);
    expect(output["changes"]).toEqual([]);
    expect(
      (output["remaining"] as Remaining[]).every(
        ({ wasBefore, kind }) => wasBefore || kind === "name",
      ),
    ).toBe(true);
    expect(project.files("src")).toEqual(after);
  });
});

describe("upgrade --to 1.0 --keep", () => {
  it("upgrade leaves an adapter for the previous version and says how to use it", async () => {
    const project = await projectOn03();
    const planned = (await project.run("upgrade --to 1.0 --keep")).stdout;
    expect(planned).toContain(
      "changes that the adapter, once passed to createAgent and connect, handles",
    );
    expect(planned).not.toContain("are refused with VersionNotSupportedError");
    const { output } = await project.json("upgrade --to 1.0 --keep --write");
    expect(output["adapter"]).toContain("versions: [v0_3]");
    expect(JSON.parse(project.read("a2a-codegen.config.json"))).toMatchObject({
      spec: "1.0",
      versions: ["0.3.0"],
    });
    expect(project.read("src/a2a/versions/0.3/server.ts")).toContain("export const v0_3");
    await project.succeed("generate --check");
  });
});
