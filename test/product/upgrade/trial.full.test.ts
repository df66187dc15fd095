import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import type { Remaining, UpgradeReport } from "../../../generator/upgrade/types.js";
import { Project } from "../cli/command.js";

/** Output of `--json`. */
type Printed = Pick<UpgradeReport, "remaining" | "silent" | "newMethods" | "renamed">;

const plainCard = `import type { AgentCard } from "./a2a/index.js";

export const plainCard: AgentCard = {
  name: "Plain",
  description: "Has nothing but an address",
  version: "1.0.0",
  supportedInterfaces: [{ url: "https://plain.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};
`;

/**
 * Generates the output of a version for files of the user, moves them to another, and returns the
 * report.
 */
async function upgraded(project: Project, to: string) {
  symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
  await project.succeed("generate");
  const { output } = await project.json("upgrade --to", to, "--write --force");
  return output as unknown as Printed;
}

describe("upgrade of an agent, its client, store and tests from 0.3.0 to 1.0", () => {
  let project: Project;
  let report: Printed;
  let errors: readonly Remaining[];

  beforeAll(async () => {
    project = new Project({ "a2a-codegen.config.json": '{ "spec": "0.3.0", "out": "src/a2a" }' });
    cpSync(join(packageFolder, "test", "fixtures", "upgrade"), project.folder, { recursive: true });
    report = await upgraded(project, "1.0");
    errors = report.remaining.filter(({ kind }) => kind === "error");
  });

  it("the upgrade leaves at most 9 compile errors, all of which require a decision", () => {
    expect(errors.length).toBeLessThanOrEqual(9);
    expect(errors.map(({ file, line, code }) => `${file}:${line} TS${code ?? 0}`)).toEqual([
      // The address of a card that may have none.
      "src/client.ts:66 TS2339",
      // The context of a task, which is optional in 1.0.
      "src/service.ts:45 TS2322",
      "src/service.ts:48 TS2322",
      "src/service.ts:51 TS2322",
      "src/service.ts:71 TS2345",
      // A page in place of a list.
      "src/service.ts:82 TS2559",
      // An object without a type, and the id of a task that may be absent in a configuration.
      "src/store.ts:37 TS2339",
      "src/store.ts:38 TS2345",
      "src/store.ts:38 TS2345",
    ]);
  });

  it("the upgrade lists every change that only peers notice", () => {
    const messages = report.silent.map(({ message }) => message);
    expect(messages).toEqual(
      expect.arrayContaining([
        "requests without A2A-Version fail with VersionNotSupportedError",
        "MessageSendConfiguration.blocking is now SendMessageConfiguration.returnImmediately, with the opposite value",
        "changed body of webhooks: Task → StreamResponse",
        "changed header of the extensions: X-A2A-Extensions → A2A-Extensions",
        "changed media type of HTTP+JSON: application/json → application/a2a+json",
      ]),
    );
  });

  it("the upgrade names the operation that the service could offer", () => {
    expect(report.newMethods).toEqual(["listTasks"]);
  });

  it("the upgrade points out validators of responses, and webhooks that are read by hand", () => {
    const places = report.remaining.filter(({ message }) =>
      message.startsWith("isTask(…) of a value of any type"),
    );
    expect(places.map(({ file }) => file)).toEqual([
      "src/client.ts",
      "src/webhook.ts",
      "src/webhook.ts",
    ]);
  });
});

describe("upgrade of the echo agent from 1.0 to the draft of 1.1", () => {
  let project: Project;
  let report: Printed;

  beforeAll(async () => {
    project = new Project({
      "a2a-codegen.config.json": '{ "spec": "1.0", "out": "src/a2a" }',
      "src/plain-card.ts": plainCard,
    });
    const tsconfig = join(packageFolder, "test", "fixtures", "upgrade", "tsconfig.json");
    cpSync(tsconfig, project.path("tsconfig.json"));
    for (const folder of ["echo-agent", "client", "shared"])
      cpSync(join(packageFolder, "examples", folder), project.path(join("src", folder)), {
        recursive: true,
      });
    for (const [path, text] of Object.entries(project.files("src")))
      project.write({ [join("src", path)]: text.replaceAll("../../generated/1.0/", "../a2a/") });
    report = await upgraded(project, "1.1-draft");
  });

  it("the upgrade rewrites the version in the card and nothing else", () => {
    expect(report.renamed.map(({ file, from, to }) => [file, from, to])).toEqual([
      ["src/plain-card.ts", "1.0", "1.1"],
    ]);
    expect(project.read("src/plain-card.ts")).toBe(
      plainCard.replace('protocolVersion: "1.0"', 'protocolVersion: "1.1"'),
    );
  });

  it("the upgrade leaves no error and no code to check", () => {
    expect(report.remaining).toEqual([]);
  });
});
