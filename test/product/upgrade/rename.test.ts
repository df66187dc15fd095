import { beforeAll, describe, expect, it } from "vitest";
import { renamedCases, type RenamedCase } from "./renaming.js";

const a2a = '"../../../../generated/0.3.0/index.js"';
const output = (module: string): string => a2a.replace("index", module);
const older = '"../../../../generated/0.1.0/index.js"';

/** What code for 0.3.0 becomes for 1.0: what it is called, how it is, how it will be. */
const cases: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    "a type, where it is imported and used",
    `import type { MessageSendParams } from ${a2a};\nexport const f = (p: MessageSendParams): MessageSendParams => p;\n`,
    `import type { SendMessageRequest } from ${a2a};\nexport const f = (p: SendMessageRequest): SendMessageRequest => p;\n`,
  ],
  [
    "a type with a local name, which stays",
    `import { type MessageSendParams as Params } from ${a2a};\nexport type P = Params[];\n`,
    `import { type SendMessageRequest as Params } from ${a2a};\nexport type P = Params[];\n`,
  ],
  [
    "a name in a namespace",
    `import * as a2a from ${a2a};\nexport type P = a2a.TaskQueryParams;\nexport const is = a2a.isTaskQueryParams;\n`,
    `import * as a2a from ${a2a};\nexport type P = a2a.GetTaskRequest;\nexport const is = a2a.isGetTaskRequest;\n`,
  ],
  [
    "a type of an import type",
    `export type P = import(${a2a}).TaskQueryParams;\n`,
    `export type P = import(${a2a}).GetTaskRequest;\n`,
  ],
  [
    "a deprecated name of a still earlier version",
    `import type { TaskSendParams } from ${a2a};\nexport type P = TaskSendParams;\n`,
    `import type { SendMessageRequest } from ${a2a};\nexport type P = SendMessageRequest;\n`,
  ],
  [
    "a codec that is imported by its old name, which moves to the file of the present ones",
    `import { encodeTaskSendParams, decodeTaskSendParams as decode } from ${output("legacy-protobuf")};\nexport const f = [encodeTaskSendParams, decode];\n`,
    `import { encodeSendMessageRequest, decodeSendMessageRequest as decode } from ${output("protobuf")};\nexport const f = [encodeSendMessageRequest, decode];\n`,
  ],
  [
    "a codec in a namespace of old names, which becomes one of the present ones",
    `import * as old from ${output("legacy-protobuf")};\nexport const f = old.encodeTaskSendParams;\n`,
    `import * as old from ${output("protobuf")};\nexport const f = old.encodeSendMessageRequest;\n`,
  ],
  [
    "a type that is imported from the file of old names",
    `import type { TaskSendParams } from ${output("legacy")};\nexport type P = TaskSendParams;\n`,
    `import type { SendMessageRequest } from ${output("index")};\nexport type P = SendMessageRequest;\n`,
  ],
  [
    "an error class",
    `import { AuthenticatedExtendedCardNotConfiguredError } from ${a2a};\nexport const is = (e: unknown) => e instanceof AuthenticatedExtendedCardNotConfiguredError;\n`,
    `import { ExtendedAgentCardNotConfiguredError } from ${a2a};\nexport const is = (e: unknown) => e instanceof ExtendedAgentCardNotConfiguredError;\n`,
  ],
  [
    "two names that get the same new name, of which one import stays",
    `import { type TaskSendParams, isMessageSendParams, type MessageSendParams } from ${a2a};\nexport const f = (p: TaskSendParams | MessageSendParams) => isMessageSendParams(p);\n`,
    `import { type SendMessageRequest, isSendMessageRequest } from ${a2a};\nexport const f = (p: SendMessageRequest | SendMessageRequest) => isSendMessageRequest(p);\n`,
  ],
  [
    "two names of two import statements, of which one is removed",
    `import type { TaskSendParams } from ${a2a};\nimport type { MessageSendParams } from ${a2a};\nexport type P = [TaskSendParams, MessageSendParams];\n`,
    `import type { SendMessageRequest } from ${a2a};\nexport type P = [SendMessageRequest, SendMessageRequest];\n`,
  ],
  [
    "a name whose new one is taken, which stays",
    `import type { TaskQueryParams } from ${a2a};\nexport interface GetTaskRequest { own: true }\nexport type P = TaskQueryParams | GetTaskRequest;\n`,
    `import type { GetTaskRequest as TaskQueryParams } from ${a2a};\nexport interface GetTaskRequest { own: true }\nexport type P = TaskQueryParams | GetTaskRequest;\n`,
  ],
  [
    "an export, which keeps its old name for others",
    `export { isTaskQueryParams, type TaskQueryParams as Query } from ${a2a};\n`,
    `export { isGetTaskRequest as isTaskQueryParams, type GetTaskRequest as Query } from ${a2a};\n`,
  ],
  [
    "a property that is read, by a name and by a string",
    `import type { AgentInterface } from ${a2a};\nexport const f = (i: AgentInterface) => [i.transport, i["transport"], i?.transport];\n`,
    `import type { AgentInterface } from ${a2a};\nexport const f = (i: AgentInterface) => [i.protocolBinding, i["protocolBinding"], i?.protocolBinding];\n`,
  ],
  [
    "a property that is written, also in shorthand",
    `import type { AgentInterface } from ${a2a};\nconst [url, transport] = ["", ""];\nexport const a: AgentInterface[] = [{ url, transport }, { url, transport: "JSONRPC" }, { url, "transport": "" }];\n`,
    `import type { AgentInterface } from ${a2a};\nconst [url, transport] = ["", ""];\nexport const a: AgentInterface[] = [{ url, protocolBinding: transport, protocolVersion: "1.0" }, { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }, { url, "protocolBinding": "", protocolVersion: "1.0" }];\n`,
  ],
  [
    "a property that is destructured",
    `import type { AgentInterface } from ${a2a};\nexport const f = ({ transport, transport: other }: AgentInterface) => transport + other;\n`,
    `import type { AgentInterface } from ${a2a};\nexport const f = ({ protocolBinding: transport, protocolBinding: other }: AgentInterface) => transport + other;\n`,
  ],
  [
    "no property of the same name that the output does not declare",
    `import type { AgentCard } from ${a2a};\ninterface Own { transport: string; blocking: boolean }\nexport const f = (o: Own, c: AgentCard) => o.transport + c.name + String(o.blocking);\nexport const state: "completed" | "working" = "completed";\ntype Role = "user" | "admin";\nexport const role: Role | undefined = "user" as Role | undefined;\nexport const set = (r?: Role) => r;\nset("user");\n`,
    `import type { AgentCard } from ${a2a};\ninterface Own { transport: string; blocking: boolean }\nexport const f = (o: Own, c: AgentCard) => o.transport + c.name + String(o.blocking);\nexport const state: "completed" | "working" = "completed";\ntype Role = "user" | "admin";\nexport const role: Role | undefined = "user" as Role | undefined;\nexport const set = (r?: Role) => r;\nset("user");\n`,
  ],
  [
    "the values of enums, if the type says that they are",
    `import { TaskState, type Task, type TaskStatus } from ${a2a};
const set = new Set<TaskState>(["completed", 'failed']);
export const status: TaskStatus = { state: "input-required" };
export function f(task: Task, state: TaskState = "unknown"): TaskState | undefined {
  if (task.status.state === "working" || "canceled" !== task.status.state) return \`completed\`;
  switch (task.status.state) {
    case "canceled":
      return set.has("submitted") ? "rejected" : TaskState.Failed;
  }
}
`,
    `import { TaskState, type Task, type TaskStatus } from ${a2a};
const set = new Set<TaskState>(["TASK_STATE_COMPLETED", 'TASK_STATE_FAILED']);
export const status: TaskStatus = { state: "TASK_STATE_INPUT_REQUIRED" };
export function f(task: Task, state: TaskState = "TASK_STATE_UNSPECIFIED"): TaskState | undefined {
  if (task.status.state === "TASK_STATE_WORKING" || "TASK_STATE_CANCELED" !== task.status.state) return \`TASK_STATE_COMPLETED\`;
  switch (task.status.state) {
    case "TASK_STATE_CANCELED":
      return set.has("TASK_STATE_SUBMITTED") ? "TASK_STATE_REJECTED" : TaskState.Failed;
  }
}
`,
  ],
  [
    "types by the operation they are used for, with an import for each",
    `import type { A2AService, GetTaskPushNotificationConfigInput, Task, TaskIdParams } from ${a2a};
declare const task: Task;
export class Agent implements Pick<A2AService, "cancelTask" | "subscribeToTask"> {
  cancelTask({ id }: TaskIdParams): Task { return { ...task, id }; }
  async *subscribeToTask({ id }: TaskIdParams) { throw new Error(id); }
}
export const service: Partial<A2AService> = {
  subscribeToTask: (request: TaskIdParams) => { throw new Error(request.id); },
  getTaskPushNotificationConfig(request: GetTaskPushNotificationConfigInput) { throw new Error(request.id); },
};
`,
    `import type { A2AService, GetTaskPushNotificationConfigRequest, Task, CancelTaskRequest, SubscribeToTaskRequest } from ${a2a};
declare const task: Task;
export class Agent implements Pick<A2AService, "cancelTask" | "subscribeToTask"> {
  cancelTask({ id }: CancelTaskRequest): Task { return { ...task, id }; }
  async *subscribeToTask({ id }: SubscribeToTaskRequest) { throw new Error(id); }
}
export const service: Partial<A2AService> = {
  subscribeToTask: (request: SubscribeToTaskRequest) => { throw new Error(request.id); },
  getTaskPushNotificationConfig(request: GetTaskPushNotificationConfigRequest) { throw new Error(request.taskId); },
};
`,
  ],
  [
    "a type that only one operation decides about",
    `import { type A2AService, type TaskIdParams } from ${a2a};
export class Agent implements Pick<A2AService, "subscribeToTask"> {
  async *subscribeToTask({ id }: TaskIdParams) { throw new Error(id); }
}
`,
    `import { type A2AService, type SubscribeToTaskRequest } from ${a2a};
export class Agent implements Pick<A2AService, "subscribeToTask"> {
  async *subscribeToTask({ id }: SubscribeToTaskRequest) { throw new Error(id); }
}
`,
  ],
  [
    "every value in a chain of comparisons, of which each one narrows the type",
    `import type { Task, TaskState } from ${a2a};
const ended = (state: TaskState): boolean => state === "completed" || state === "canceled" || "failed" === state;
const waits = ({ status: { state } }: Task) => state !== "working" && state !== "submitted" && state !== "unknown";
export function f(task?: Task): boolean {
  const now = task?.status.state;
  return now === "rejected" || now === "auth-required" || now === "input-required" || (task && (ended(now!) || waits(task)))!;
}
`,
    `import type { Task, TaskState } from ${a2a};
const ended = (state: TaskState): boolean => state === "TASK_STATE_COMPLETED" || state === "TASK_STATE_CANCELED" || "TASK_STATE_FAILED" === state;
const waits = ({ status: { state } }: Task) => state !== "TASK_STATE_WORKING" && state !== "TASK_STATE_SUBMITTED" && state !== "TASK_STATE_UNSPECIFIED";
export function f(task?: Task): boolean {
  const now = task?.status.state;
  return now === "TASK_STATE_REJECTED" || now === "TASK_STATE_AUTH_REQUIRED" || now === "TASK_STATE_INPUT_REQUIRED" || (task && (ended(now!) || waits(task)))!;
}
`,
  ],
  [
    "a property that is tested with in, and indexed in a type",
    `import type { DeleteTaskPushNotificationConfigParams as P } from ${a2a};\nexport const f = (p: P) => ("pushNotificationConfigId" in p && p.pushNotificationConfigId + p.id);\nexport type Id = P["pushNotificationConfigId"];\n`,
    `import type { DeleteTaskPushNotificationConfigRequest as P } from ${a2a};\nexport const f = (p: P) => ("id" in p && p.id + p.taskId);\nexport type Id = P["id"];\n`,
  ],
  [
    "no property whose new name means something else",
    `import type { DeleteTaskPushNotificationConfigParams as P } from ${a2a};\nexport const f = (p: P) => { const copy = { ...p, id: 1 }; return [copy.id, copy.pushNotificationConfigId]; };\n`,
    `import type { DeleteTaskPushNotificationConfigRequest as P } from ${a2a};\nexport const f = (p: P) => { const copy = { ...p, id: 1 }; return [copy.id, copy.pushNotificationConfigId]; };\n`,
  ],
  [
    "nothing in comments, strings and layout",
    `#!/usr/bin/env node\r\n// MessageSendParams\r\nimport type {\r\n\tMessageSendParams, // MessageSendParams\r\n} from ${a2a};\r\nexport const x: MessageSendParams | string = 'MessageSendParams';\r\n`,
    `#!/usr/bin/env node\r\n// MessageSendParams\r\nimport type {\r\n\tSendMessageRequest, // MessageSendParams\r\n} from ${a2a};\r\nexport const x: SendMessageRequest | string = 'MessageSendParams';\r\n`,
  ],
];

const olderCases: typeof cases = [
  [
    "the methods of a client, and of a service in a class or an object",
    `import type { A2AClient, A2AService, Task } from ${older};
const task: Task = { id: "", status: { state: "completed" } };
export class Agent implements A2AService {
  sendTask() { return task; }
  get getTask() { return () => task; }
}
export const service: A2AService = { sendTask: () => task, sendTaskStreaming() { throw new Error(); } };
export const f = (client: A2AClient) => client.sendTask;
`,
    `import type { A2AClient, A2AService, Task } from ${older};
const task: Task = { id: "", status: { state: "completed" } };
export class Agent implements A2AService {
  sendMessage() { return task; }
  get getTask() { return () => task; }
}
export const service: A2AService = { sendMessage: () => task, sendStreamingMessage() { throw new Error(); } };
export const f = (client: A2AClient) => client.sendMessage;
`,
  ],
];

const fileOf = (name: string): string => name.replaceAll(/\W+/g, "-");

describe.each([
  ["0.3.0", "1.0", cases],
  ["0.1.0", "0.2.1", olderCases],
] as const)("the names of %s in code for %s", (from, to, all) => {
  let texts: ReadonlyMap<string, RenamedCase>;

  beforeAll(async () => {
    texts = await renamedCases(new Map(all.map(([name, before]) => [fileOf(name), before])), from, to);
  });

  it.each(all)("upgrade renames %s", (name, _before, after) => {
    expect(texts.get(fileOf(name))?.text).toBe(after);
  });
});

describe("names of the output that a file of the user exports", () => {
  it("upgrade keeps names of the output that a file of the user exports", async () => {
    const found = await renamedCases(
      new Map([
        ["exports", `export { type MessageSendParams, isMessageSendParams } from ${a2a};\n`],
        ["all-exports", `export * from ${a2a};\n`],
        ["imports", `import type { MessageSendParams } from "./exports.js";\nexport type P = MessageSendParams;\n`],
        ["namespace", `import * as own from "./exports.js";\nexport type P = own.MessageSendParams;\n`],
        [
          "all-imports",
          `import type { MessageSendParams } from "./all-exports.js";\nexport type P = MessageSendParams;\n`,
        ],
      ]),
      "0.3.0",
      "1.0",
    );
    expect(Object.fromEntries([...found].map(([name, { text }]) => [name, text]))).toMatchObject({
      exports: `export { type SendMessageRequest as MessageSendParams, isSendMessageRequest as isMessageSendParams } from ${a2a};\n`,
      imports: `import type { MessageSendParams } from "./exports.js";\nexport type P = MessageSendParams;\n`,
      namespace: `import * as own from "./exports.js";\nexport type P = own.MessageSendParams;\n`,
      "all-imports": `import type { SendMessageRequest } from "./all-exports.js";\nexport type P = SendMessageRequest;\n`,
    });
  });
});

describe("code that compiles and may be wrong", () => {
  /** What is said about some code for one version that moves to another. */
  const noticesOf = async (text: string, from = "0.3.0", to = "1.0"): Promise<readonly string[]> =>
    (await renamedCases(new Map([["noticed", text]]), from, to)).get("noticed")?.notices ?? [];

  it("upgrade points out strings that are old names, if no type says so", async () => {
    const text = `import type { Task, TaskState } from ${a2a};
export const paths = ["message/send", "/.well-known/agent-card.json", "X-A2A-Extensions", "/v1/message:send", "0.3.0"];
export const waits = (task: Task) => ["input-required"].includes(task.status.state);
export const has = (p: object) => Object.hasOwn(p, "pushNotificationConfigId");
export type Waits = Extract<TaskState, "input-required">;
`;
    expect(await noticesOf(text)).toEqual([
      '2: "message/send" is now "SendMessage"',
      '2: "X-A2A-Extensions" is now "A2A-Extensions"',
      '2: "/v1/message:send" is now "/message:send"',
      '2: "0.3.0" is now "1.0"',
      '3: "input-required" is now "TASK_STATE_INPUT_REQUIRED"',
      '4: "pushNotificationConfigId" is now "id"',
      '5: "input-required" is now "TASK_STATE_INPUT_REQUIRED"',
    ]);
  });

  it("upgrade points out nothing but distinct names in files that do not import the output", async () => {
    expect(await noticesOf('export const states = ["completed", "0.3.0", "message/send"];\n')).toEqual([
      '1: "message/send" is now "SendMessage"',
    ]);
  });

  it("upgrade points out a type whose name another type now has", async () => {
    const text = `import type { GetTaskRequest } from ${a2a};\nexport const f = (r: GetTaskRequest) => r.id;\n`;
    expect(await noticesOf(text)).toEqual(['1: "GetTaskRequest" is now the name of another type']);
  });

  it("upgrade points out a key that no longer overrides a renamed property", async () => {
    const text = `import type { DeleteTaskPushNotificationConfigParams as P } from ${a2a};
export const f = (p: P) => ({ ...p, id: 1 });
`;
    expect(await noticesOf(text)).toEqual(['2: "id" no longer overrides the spread property, which is now "taskId"']);
  });

  it("upgrade does not rename a property that was old in the earlier version already", async () => {
    const newest = '"../../../../generated/1.0/index.js"';
    const text = `import type { TaskPushNotificationConfig } from ${newest};\nexport const f = (c: TaskPushNotificationConfig) => c.id;\n`;
    const found = await renamedCases(new Map([["back", text]]), "1.0", "0.3.0");
    expect(found.get("back")?.text).toBe(text);
  });
});
