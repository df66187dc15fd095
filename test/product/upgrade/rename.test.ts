import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedFolder } from "../../support/generated.js";
import { points, renamedCases, renames, tryCases, type Cases } from "./renaming.js";

const a2a = '"../../../../generated/0.3.0/index.js"';
const output = (module: string) => a2a.replace("index", module);
const first = JSON.stringify(join(await generatedFolder("0.1.0"), "index.js"));

/** Code for 0.3.0 and its upgrade to 1.0: `«before→after»`. */
const renamed: Cases = {
  "a type in its import and its uses": `import type { «MessageSendParams→SendMessageRequest» } from ${a2a};\nexport const f = (p: «MessageSendParams→SendMessageRequest»): «MessageSendParams→SendMessageRequest» => p;\n`,
  "a type with a local name, which is kept": `import { type «MessageSendParams→SendMessageRequest» as Params } from ${a2a};\nexport type P = Params[];\n`,
  "a name in a namespace": `import * as a2a from ${a2a};\nexport type P = a2a.«TaskQueryParams→GetTaskRequest»;\nexport const is = a2a.«isTaskQueryParams→isGetTaskRequest»;\n`,
  "a type of an import type": `export type P = import(${a2a}).«TaskQueryParams→GetTaskRequest»;\n`,
  "a deprecated name of an even earlier version": `import type { «TaskSendParams→SendMessageRequest» } from ${a2a};\nexport type P = «TaskSendParams→SendMessageRequest»;\n`,
  "a codec that is imported by its old name, and moves the import to the current file": `import { «encodeTaskSendParams→encodeSendMessageRequest», «decodeTaskSendParams→decodeSendMessageRequest» as decode } from «${output("legacy-protobuf")}→${output("protobuf")}»;\nexport const f = [«encodeTaskSendParams→encodeSendMessageRequest», decode];\n`,
  "a codec in a namespace of old names, and changes the namespace to the current file": `import * as old from «${output("legacy-protobuf")}→${output("protobuf")}»;\nexport const f = old.«encodeTaskSendParams→encodeSendMessageRequest»;\n`,
  "a type that is imported from the file of old names": `import type { «TaskSendParams→SendMessageRequest» } from «${output("legacy")}→${output("index")}»;\nexport type P = «TaskSendParams→SendMessageRequest»;\n`,
  "an error class": `import { «AuthenticatedExtendedCardNotConfiguredError→ExtendedAgentCardNotConfiguredError» } from ${a2a};\nexport const is = (e: unknown) => e instanceof «AuthenticatedExtendedCardNotConfiguredError→ExtendedAgentCardNotConfiguredError»;\n`,
  "two names with the same new name, and keeps one import": `import { type «TaskSendParams→SendMessageRequest», «isMessageSendParams, type MessageSendParams→isSendMessageRequest» } from ${a2a};\nexport const f = (p: «TaskSendParams→SendMessageRequest» | «MessageSendParams→SendMessageRequest») => «isMessageSendParams→isSendMessageRequest»(p);\n`,
  "two names of two import statements, and removes one statement": `import type { «TaskSendParams→SendMessageRequest» } from ${a2a};\n«import type { MessageSendParams } from ${a2a};\n→»export type P = [«TaskSendParams→SendMessageRequest», «MessageSendParams→SendMessageRequest»];\n`,
  "a name whose new name is in use, and keeps the old name locally": `import type { «TaskQueryParams→GetTaskRequest as TaskQueryParams» } from ${a2a};\nexport interface GetTaskRequest { own: true }\nexport type P = TaskQueryParams | GetTaskRequest;\n`,
  "an export, which keeps its old name for others": `export { «isTaskQueryParams→isGetTaskRequest as isTaskQueryParams», type «TaskQueryParams→GetTaskRequest» as Query } from ${a2a};\n`,
  "a property that is read by name or by string": `import type { AgentInterface } from ${a2a};\nexport const f = (i: AgentInterface) => [i.«transport→protocolBinding», i["«transport→protocolBinding»"], i?.«transport→protocolBinding»];\n`,
  "a property that is written, also in shorthand": `import type { AgentInterface } from ${a2a};\nconst [url, transport] = ["", ""];\nexport const a: AgentInterface[] = [{ url, «→protocolBinding: »transport«→, protocolVersion: "1.0"» }, { url, «transport→protocolBinding»: "JSONRPC"«→, protocolVersion: "1.0"» }, { url, "«transport→protocolBinding»": ""«→, protocolVersion: "1.0"» }];\n`,
  "a property that is destructured": `import type { AgentInterface } from ${a2a};\nexport const f = ({ «→protocolBinding: »transport, «transport→protocolBinding»: other }: AgentInterface) => transport + other;\n`,
  "no property of the same name that the output does not declare": `import type { AgentCard } from ${a2a};\ninterface Own { transport: string; blocking: boolean }\nexport const f = (o: Own, c: AgentCard) => o.transport + c.name + String(o.blocking);\nexport const state: "completed" | "working" = "completed";\ntype Role = "user" | "admin";\nexport const role: Role | undefined = "user" as Role | undefined;\nexport const set = (r?: Role) => r;\nset("user");\n`,
  "the values of enums if their type is an enum": `import { TaskState, type Task, type TaskStatus } from ${a2a};
const set = new Set<TaskState>(["«completed→TASK_STATE_COMPLETED»", '«failed→TASK_STATE_FAILED»']);
export const status: TaskStatus = { state: "«input-required→TASK_STATE_INPUT_REQUIRED»" };
export function f(task: Task, state: TaskState = "«unknown→TASK_STATE_UNSPECIFIED»"): TaskState | undefined {
  if (task.status.state === "«working→TASK_STATE_WORKING»" || "«canceled→TASK_STATE_CANCELED»" !== task.status.state) return \`«completed→TASK_STATE_COMPLETED»\`;
  switch (task.status.state) {
    case "«canceled→TASK_STATE_CANCELED»":
      return set.has("«submitted→TASK_STATE_SUBMITTED»") ? "«rejected→TASK_STATE_REJECTED»" : TaskState.Failed;
  }
}
`,
  "types by the operation they are used for, with an import for each": `import type { A2AService, «GetTaskPushNotificationConfigInput→GetTaskPushNotificationConfigRequest», Task, «TaskIdParams→CancelTaskRequest, SubscribeToTaskRequest» } from ${a2a};
declare const task: Task;
export class Agent implements Pick<A2AService, "cancelTask" | "subscribeToTask"> {
  cancelTask({ id }: «TaskIdParams→CancelTaskRequest»): Task { return { ...task, id }; }
  async *subscribeToTask({ id }: «TaskIdParams→SubscribeToTaskRequest») { throw new Error(id); }
}
export const service: Partial<A2AService> = {
  subscribeToTask: (request: «TaskIdParams→SubscribeToTaskRequest») => { throw new Error(request.id); },
  getTaskPushNotificationConfig(request: «GetTaskPushNotificationConfigInput→GetTaskPushNotificationConfigRequest») { throw new Error(request.«id→taskId»); },
};
`,
  "a type whose new name only one operation determines": `import { type A2AService, type «TaskIdParams→SubscribeToTaskRequest» } from ${a2a};
export class Agent implements Pick<A2AService, "subscribeToTask"> {
  async *subscribeToTask({ id }: «TaskIdParams→SubscribeToTaskRequest») { throw new Error(id); }
}
`,
  "every value in a chain of comparisons that narrow the type": `import type { Task, TaskState } from ${a2a};
const ended = (state: TaskState): boolean => state === "«completed→TASK_STATE_COMPLETED»" || state === "«canceled→TASK_STATE_CANCELED»" || "«failed→TASK_STATE_FAILED»" === state;
const waits = ({ status: { state } }: Task) => state !== "«working→TASK_STATE_WORKING»" && state !== "«submitted→TASK_STATE_SUBMITTED»" && state !== "«unknown→TASK_STATE_UNSPECIFIED»";
export function f(task?: Task): boolean {
  const now = task?.status.state;
  return now === "«rejected→TASK_STATE_REJECTED»" || now === "«auth-required→TASK_STATE_AUTH_REQUIRED»" || now === "«input-required→TASK_STATE_INPUT_REQUIRED»" || (task && (ended(now!) || waits(task)))!;
}
`,
  "a property that is tested with in, and indexed in a type": `import type { «DeleteTaskPushNotificationConfigParams→DeleteTaskPushNotificationConfigRequest» as P } from ${a2a};\nexport const f = (p: P) => ("«pushNotificationConfigId→id»" in p && p.«pushNotificationConfigId→id» + p.«id→taskId»);\nexport type Id = P["«pushNotificationConfigId→id»"];\n`,
  "no property whose new name has another meaning": `import type { «DeleteTaskPushNotificationConfigParams→DeleteTaskPushNotificationConfigRequest» as P } from ${a2a};\nexport const f = (p: P) => { const copy = { ...p, id: 1 }; return [copy.id, copy.pushNotificationConfigId]; };\n`,
  "nothing in comments, strings and layout": `#!/usr/bin/env node\r\n// MessageSendParams\r\nimport type {\r\n\t«MessageSendParams→SendMessageRequest», // MessageSendParams\r\n} from ${a2a};\r\nexport const x: «MessageSendParams→SendMessageRequest» | string = 'MessageSendParams';\r\n`,
};

const older: Cases = {
  "the methods of a client, and of a service in a class or an object": `import type { A2AClient, A2AService, Task } from ${first};
const task: Task = { id: "", status: { state: "completed" } };
export class Agent implements A2AService {
  «sendTask→sendMessage»() { return task; }
  get getTask() { return () => task; }
}
export const service: A2AService = { «sendTask→sendMessage»: () => task, «sendTaskStreaming→sendStreamingMessage»() { throw new Error(); } };
export const f = (client: A2AClient) => client.«sendTask→sendMessage»;
`,
};

const back: Cases = {
  "no property that was already deprecated in the earlier version": `import type { TaskPushNotificationConfig } from ${a2a.replace("0.3.0", "1.0")};\nexport const f = (c: TaskPushNotificationConfig) => c.id;\n`,
};

/** Code that compiles and may be wrong. */
const noticed: Cases = {
  "strings that are old names without a type that confirms it": `
  import type { Task, TaskState } from ${a2a};
  export const paths = ["message/send", "/.well-known/agent-card.json", "X-A2A-Extensions", "/v1/message:send", "0.3.0"];
  export const waits = (task: Task) => ["input-required"].includes(task.status.state);
  export const has = (p: object) => Object.hasOwn(p, "pushNotificationConfigId");
  export type Waits = Extract<TaskState, "input-required">;
! 2: "message/send" is now "SendMessage"
! 2: "X-A2A-Extensions" is now "A2A-Extensions"
! 2: "/v1/message:send" is now "/message:send"
! 2: "0.3.0" is now "1.0"
! 3: "input-required" is now "TASK_STATE_INPUT_REQUIRED"
! 4: "pushNotificationConfigId" is now "id"
! 5: "input-required" is now "TASK_STATE_INPUT_REQUIRED"
`,
  "only unmistakable names in files that do not import the output": `
  export const states = ["completed", "0.3.0", "message/send"];
! 1: "message/send" is now "SendMessage"
`,
  "a type whose name another type now has": `
  import type { GetTaskRequest } from ${a2a};
  export const f = (r: GetTaskRequest) => r.id;
! 1: "GetTaskRequest" is now the name of another type
`,
  "a key that no longer overrides a renamed property": `
  import type { DeleteTaskPushNotificationConfigParams as P } from ${a2a};
  export const f = (p: P) => ({ ...p, id: 1 });
! 2: "id" no longer overrides the spread property, which is now "taskId"
`,
};

describe.each([
  ["0.3.0", "1.0", { ...renames(renamed), ...points(noticed) }],
  ["0.1.0", "0.2.1", renames(older)],
  ["1.0", "0.3.0", renames(back)],
])("upgrade from %s to %s", (from, to, cases) => tryCases(cases, from, to));

describe("names of the output that a file of the user exports", () => {
  it("upgrade keeps names of the output that a file of the user exports", async () => {
    const kept = {
      imports: `import type { MessageSendParams } from "./exports.js";\nexport type P = MessageSendParams;\n`,
      namespace: `import * as own from "./exports.js";\nexport type P = own.MessageSendParams;\n`,
    };
    const found = await renamedCases(
      {
        ...kept,
        exports: `export { type MessageSendParams, isMessageSendParams } from ${a2a};\n`,
        "all-exports": `export * from ${a2a};\n`,
        "all-imports": `import type { MessageSendParams } from "./all-exports.js";\nexport type P = MessageSendParams;\n`,
      },
      "0.3.0",
      "1.0",
    );
    expect(Object.fromEntries([...found].map(([name, { text }]) => [name, text]))).toMatchObject({
      ...kept,
      exports: `export { type SendMessageRequest as MessageSendParams, isSendMessageRequest as isMessageSendParams } from ${a2a};\n`,
      "all-imports": `import type { SendMessageRequest } from "./all-exports.js";\nexport type P = SendMessageRequest;\n`,
    });
  });
});
