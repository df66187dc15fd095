import { execFile } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packageFolder } from "../../../support/package-folder.js";
import type { Remaining, UpgradeReport } from "../../../generator/upgrade/types.js";
import { Project } from "../cli/command.js";

/** Runs a program in a project to its end, and returns its output. */
function output(project: Project, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: project.folder, maxBuffer: 1e8 }, (_, stdout) =>
      resolve(stdout),
    );
  });
}

const tsc = join(packageFolder, "node_modules", "typescript-7", "bin", "tsc");

/** Returns the compile errors of a project: `file:line:column TS2339`. */
async function refused(project: Project) {
  const found = await output(project, tsc, "--pretty", "false");
  return [...found.matchAll(/^(\S+)\((\d+),(\d+)\): error (TS\d+)/gm)].map(
    ([, file = "", line = "", column = "", code = ""]) => `${file}:${line}:${column} ${code}`,
  );
}

const absent = (name: string) =>
  `${name} may now be absent: set a default with ??, throw an error, or leave out the property if the value is absent`;
const end =
  "Leave out a test that ends a loop over a stream. In other code, test the state in the event";
const member = (constant: string, name: string, type: string) =>
  `In place of kind === "${constant}", write ${name} !== undefined for a ${type}`;

/** The code that the upgrade leaves to the user, with a hint for each location. */
const left: Readonly<Record<string, string>> = {
  "src/cli.ts:25 TS2339": end,
  "src/desk.test.ts:44 TS2339": member("status-update", "statusUpdate", "StreamResponse"),
  "src/desk.test.ts:67 TS2339": member("task", "task", "SendMessageResponse or StreamResponse"),
  "src/engine.ts:24 TS2322": absent("Task.contextId"),
  "src/engine.ts:67 TS2322": absent("Task.contextId"),
  "src/engine.ts:73 TS2322": absent("Task.contextId"),
  "src/service.ts:70 TS2345": absent("TaskPushNotificationConfig.taskId"),
  "src/service.ts:83 TS2559":
    "ListTaskPushNotificationConfigsResponse was a list: write { configs: … } to return it, and read configs ?? []",
  "src/updates.ts:17 TS2339": end,
  "src/webhooks.ts:11:23 TS2345": absent("TaskPushNotificationConfig.taskId"),
  "src/webhooks.ts:11:43 TS2345": absent("TaskPushNotificationConfig.taskId"),
  "src/webhooks.ts:12 TS2375": absent("TaskPushNotificationConfig.taskId"),
};

/** The changes by hand that the hints ask for: by file, each text and its replacement. */
const byHand: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "src/updates.ts": [
    [
      "export const isFinal = ",
      'const atRest: ReadonlySet<TaskState> = new Set<TaskState>(["TASK_STATE_COMPLETED", "TASK_STATE_CANCELED", "TASK_STATE_FAILED"]);\n\nexport const isFinal = ',
    ],
    ["update.statusUpdate.final", "atRest.has(update.statusUpdate.status.state)"],
  ],
  "src/cli.ts": [
    ["event.statusUpdate.final", "isFinal(event)"],
    ["isStatusUpdate, textOf", "isFinal, isStatusUpdate, textOf"],
  ],
  "src/engine.ts": [
    ["contextId: task.contextId,", "contextId: task.contextId ?? task.id,"],
    ["const { id: taskId, contextId } = task;", "const { id: taskId, contextId = taskId } = task;"],
  ],
  "src/service.ts": [
    ["this.store.get(config.taskId);", 'this.store.get(config.taskId ?? "");'],
    [
      "return this.webhooks.of(taskId).map((pushNotificationConfig) => ({ taskId, pushNotificationConfig }));",
      "return { configs: this.webhooks.of(taskId).map((pushNotificationConfig) => ({ ...pushNotificationConfig, taskId })) };",
    ],
  ],
  "src/webhooks.ts": [
    ["add({ taskId, ...pushNotificationConfig }", 'add({ taskId = "", ...pushNotificationConfig }'],
    [
      "      const task: unknown = JSON.parse(body);\n      if (isTask(task)) onTask(task);",
      "      const event: unknown = JSON.parse(body);\n      if (isStreamResponse(event) && event.task !== undefined) onTask(event.task);",
    ],
    ["import { isTask,", "import { isStreamResponse,"],
    ["JSON.stringify(task)", "JSON.stringify({ task })"],
  ],
  "src/desk.test.ts": [
    [
      'assert.equal(updates.at(-1)?.kind, "status-update");',
      "assert.ok(updates.at(-1)?.statusUpdate !== undefined);",
    ],
    ["({ kind, status }) => `${kind} ${status.state}`", "({ status }) => status.state"],
    ['["task completed"]', '["TASK_STATE_COMPLETED"]'],
    ['"submitted"', '"TASK_STATE_SUBMITTED"'],
    ['["working", "completed"]', '["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]'],
    ['"completed: 1 artifacts"', '"TASK_STATE_COMPLETED: 1 artifacts"'],
    ['"completed: 1 artifacts"', '"TASK_STATE_COMPLETED: 1 artifacts"'],
    ['"2 chunks, completed"', '"2 chunks, TASK_STATE_COMPLETED"'],
    ['status.state, "completed"', 'status.state, "TASK_STATE_COMPLETED"'],
    ['status.state, "working"', 'status.state, "TASK_STATE_WORKING"'],
    [
      '["task t: working", "hello", "at last completed"]',
      '["task t: TASK_STATE_WORKING", "hello", "at last TASK_STATE_COMPLETED"]',
    ],
  ],
};

describe("upgrade of a service with its own engine, store, webhooks and command line from 0.3.0 to 1.0", () => {
  let project: Project;
  let remaining: readonly Remaining[];

  beforeAll(async () => {
    project = new Project({ "a2a-codegen.config.json": '{ "spec": "0.3.0", "out": "src/a2a" }' });
    cpSync(join(packageFolder, "test", "fixtures", "upgrade-desk"), project.folder, {
      recursive: true,
    });
    symlinkSync(join(packageFolder, "node_modules"), project.path("node_modules"));
    await project.succeed("generate");
    const report = (await project.json("upgrade --to 1.0 --write --force"))
      .output as unknown as Pick<UpgradeReport, "remaining">;
    remaining = report.remaining;
  });

  it("the upgrade leaves at most 12 compile errors, and says what to write for each", () => {
    const errors = remaining.filter(({ kind }) => kind === "error");
    expect(errors.length).toBeLessThanOrEqual(12);
    const found = errors.map(({ file, line, column, code, notes }) => {
      const places = [`${file}:${line} TS${code ?? 0}`, `${file}:${line}:${column} TS${code ?? 0}`];
      const place = places.find((name) => name in left) ?? places.join();
      return [place, notes.includes(left[place] ?? "") ? left[place] : notes];
    });
    expect(Object.fromEntries(found)).toEqual(left);
  });

  it("the upgrade counts the errors that tsc finds", async () => {
    const errors = remaining.filter(({ kind }) => kind === "error");
    const places = errors.map(
      ({ file, line, column, code }) => `${file}:${line}:${column} TS${code ?? 0}`,
    );
    expect((await refused(project)).sort()).toEqual(places.sort());
  });

  it('the upgrade points out a service that did not wait if "blocking" was absent', () => {
    const [found, ...others] = remaining.filter(({ message }) =>
      message.startsWith('"blocking" is now'),
    );
    expect([found?.file, found?.message, others]).toEqual([
      "src/service.ts",
      expect.stringContaining("if it is absent, this condition was true and is now false"),
      [],
    ]);
    expect(project.read("src/service.ts")).toContain(
      "if (configuration?.returnImmediately === true) return { task };",
    );
  });

  it("the project compiles, and its tests pass, after the changes by hand that the report asks for", async () => {
    for (const [path, changes] of Object.entries(byHand)) {
      let text = project.read(path);
      for (const [from, to] of changes) {
        expect(text).toContain(from);
        text = text.replace(from, to);
      }
      project.write({ [path]: text });
    }
    expect(await refused(project)).toEqual([]);
    await output(project, tsc, "--noEmit", "false", "--rootDir", ".", "--outDir", "made");
    const result = await output(
      project,
      "--test",
      "--test-reporter",
      "tap",
      "made/src/desk.test.js",
    );
    expect(result).toMatch(/^# pass 6$/m);
    expect(result).toMatch(/^# fail 0$/m);
  });
});
