import { describe } from "vitest";
import { rewrites, tryCases, type Cases } from "./renaming.js";

const a2a = `"../../../../generated/0.3.0/index.js"`;

const statusOf = "Extract<StreamResponse, { statusUpdate: unknown }>";
const updateOf = "Extract<StreamResponse, { statusUpdate: unknown } | { artifactUpdate: unknown }>";

/** Code for 0.3.0 that names unions itself, and its upgrade to 1.0. */
const unions: Cases = {
  "an alias of a part of a union, its guards, and the members that all of its types have": `
- import type { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from ${a2a};
- export type Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;
- export const isStatus = (u: Update): u is TaskStatusUpdateEvent => u.kind === "status-update";
- export const idOf = (u: Update) => u.taskId + (isStatus(u) ? u.status.state : u.artifact.artifactId);
- export function both(u: Update): string {
-   const { taskId, contextId } = u;
+ import type { StreamResponse } from ${a2a};
+ export type Update = ${updateOf};
+ export const isStatus = (u: Update): u is ${statusOf} => u.statusUpdate !== undefined;
+ export const idOf = (u: Update) => (u.statusUpdate ?? u.artifactUpdate).taskId + (isStatus(u) ? u.statusUpdate.status.state : u.artifactUpdate.artifact.artifactId);
+ export function both(u: Update): string {
+   const { taskId, contextId } = u.statusUpdate ?? u.artifactUpdate;
    return taskId + contextId;
  }
- export const made = (status: TaskStatusUpdateEvent["status"]): Update => ({ kind: "status-update", taskId: "", contextId: "", status, final: false });
+ export const made = (status: TaskStatusUpdateEvent["status"]): Update => ({ statusUpdate: { taskId: "", contextId: "", status } });
`.replace(
    "+ import type { StreamResponse }",
    "+ import type { TaskStatusUpdateEvent, StreamResponse }",
  ),
  "a union that is written in place, and an import of a value": `
- import { isTask, type Message, type Task } from ${a2a};
- export const f = (r: Message | undefined | Task): Task | null => (isTask(r) ? r : null);
+ import { type Task, type SendMessageResponse } from ${a2a};
+ export const f = (r: SendMessageResponse | undefined): Task | null => (r.task !== undefined ? r.task : null);
`,
  "a union that other unions contain": `
- import type { Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from ${a2a};
- type Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;
- export type Any = Update | Task | { own: true };
+ import type { StreamResponse } from ${a2a};
+ type Update = ${updateOf};
+ export type Any = Update | Extract<StreamResponse, { task: unknown }> | { own: true };
`,
  "guards as callbacks, whose results are messages": `
- import { isTask, type StreamResponse, type Task, type TaskArtifactUpdateEvent, type TaskStatusUpdateEvent } from ${a2a};
- type Update = TaskStatusUpdateEvent | TaskArtifactUpdateEvent;
- const isStatus = (u: Update): u is TaskStatusUpdateEvent => u.kind === "status-update";
- const isUpdate = (e: StreamResponse): e is Update => e.kind === "status-update" || e.kind === "artifact-update";
- export const f = (all: Update[]) => all.filter(isStatus).map(({ status }) => status);
- export const g = (all: Update[]) => [all.find(isStatus)?.status, all.filter(isStatus).length, all.some(isStatus)];
- export const h = (all: StreamResponse[]): Update[] => all.filter(isUpdate);
- export const i = (all: StreamResponse[]): Task[] => all.filter(isTask);
- export const j = (all: Update[]): Update[] => all.filter(isStatus);
+ import { type StreamResponse, type Task } from ${a2a};
+ type Update = ${updateOf};
+ const isStatus = (u: Update): u is ${statusOf} => u.statusUpdate !== undefined;
+ const isUpdate = (e: StreamResponse): e is Update => e.statusUpdate !== undefined || e.artifactUpdate !== undefined;
+ export const f = (all: Update[]) => all.filter(isStatus).map(({ statusUpdate }) => statusUpdate).map(({ status }) => status);
+ export const g = (all: Update[]) => [all.find(isStatus)?.statusUpdate?.status, all.filter(isStatus).length, all.some(isStatus)];
+ export const h = (all: StreamResponse[]): Update[] => all.filter(isUpdate);
+ export const i = (all: StreamResponse[]): Task[] => all.filter((streamResponse) => streamResponse.task !== undefined).map(({ task }) => task);
+ export const j = (all: Update[]): Update[] => all.filter(isStatus);
`,
  "a constant that is read as a value": `
- import type { Part, SendMessageResult, Task } from ${a2a};
- export const f = (r: SendMessageResult, p: Part, t: Task) => [r.kind, \`\${p.kind}\`, t.kind, t.kind === "task"];
+ import type { Part, SendMessageResponse, Task } from ${a2a};
+ export const f = (r: SendMessageResponse, p: Part, t: Task) => [(r.task !== undefined ? "task" : "message"), \`\${p.text !== undefined ? "text" : p.url !== undefined || p.raw !== undefined ? "file" : "data"}\`, "task", t.kind === "task"];
`,
  "types whose members were moved into the object": `
- import type { DataPart, FilePart, Part, TextPart } from ${a2a};
- export const f = (all: Part[]) => all.find((one): one is TextPart => one.kind === "text")?.text;
- export const g = (one: FilePart, other: TextPart | DataPart) => [one.file.name, other.metadata];
+ import type { Part } from ${a2a};
+ export const f = (all: Part[]) => all.find((one): one is Extract<Part, { text: unknown }> => one.text !== undefined)?.text;
+ export const g = (one: Extract<Part, { url: unknown } | { raw: unknown }>, other: Extract<Part, { text: unknown } | { data: unknown }>) => [one.filename, other.metadata];
`,
  "a union in a namespace": `
  import type * as a2a from ${a2a};
- export type Reply = a2a.Task | a2a.Message;
+ export type Reply = a2a.SendMessageResponse;
`,
  "no union if its name is in use": `
  import type { Message, Task } from ${a2a};
  export interface SendMessageResponse { own: true }
  export type Reply = Task | Message;
`,
  "a promise of a message that an asynchronous function returns": `
- import type { SendMessageResult, Task } from ${a2a};
- export const f = async (task: Promise<Task>): Promise<SendMessageResult> => task;
- export async function g(task: Promise<Task>): Promise<SendMessageResult> {
-   return task;
+ import type { SendMessageResponse, Task } from ${a2a};
+ export const f = async (task: Promise<Task>): Promise<SendMessageResponse> => ({ task: await task });
+ export async function g(task: Promise<Task>): Promise<SendMessageResponse> {
+   return { task: await task };
  }
`,
};

/** Other code for 0.3.0, and its upgrade to 1.0. */
const others: Cases = {
  "an object without a type, if all of its uses require the same type": `
  import type { A2AClient } from ${a2a};
- const say = (text: string) => ({
-   message: { kind: "message" as const, messageId: "1", role: "user" as const, parts: [{ kind: "text" as const, text }] },
-   configuration: { blocking: true },
- });
- const message = { kind: "message" as const, messageId: "1", role: "user" as const, parts: [] };
- const own = { kind: "message" as const, role: "user" as const };
+ const say = (text: string) => ({
+   message: { messageId: "1", role: "ROLE_USER" as const, parts: [{ text }] },
+   configuration: { returnImmediately: false },
+ });
+ const message = { messageId: "1", role: "ROLE_USER" as const, parts: [] };
+ const own = { kind: "message" as const, role: "user" as const };
  export const f = (client: A2AClient) => [client.sendMessage(say("")), client.sendMessage({ message }), own];
`,
  "no string without a type": `
  import type { TaskStatus } from ${a2a};
  const state = "completed" as const;
  export const f = (): TaskStatus => ({ state });
`,
  "a test that ends a loop at the last event, which is removed": `
  import type { A2AClient } from ${a2a};
  export async function f(client: A2AClient, see: (event: unknown) => void) {
    for await (const event of client.subscribeToTask({ id: "" })) {
      see(event);
-     if (event.kind === "status-update" && event.final) break;
    }
  }
`,
  "no other test of the last event": `
  import type { StreamResponse } from ${a2a};
  export async function f(all: AsyncIterable<StreamResponse>) {
    for await (const event of all) {
-     if (event.kind === "status-update" && event.final) break;
+     if (event.statusUpdate !== undefined && event.statusUpdate.final) break;
    }
  }
`,
  "a removed property whose value has no side effects": `
  import type { TaskState, TaskStatusUpdateEvent } from ${a2a};
- export const f = (state: TaskState): TaskStatusUpdateEvent => ({ kind: "status-update", taskId: "", contextId: "", status: { state }, final: state === "failed" || !(state === "working") });
+ export const f = (state: TaskState): TaskStatusUpdateEvent => ({ taskId: "", contextId: "", status: { state } });
`,
  "a list that is now one value": `
- import type { PushNotificationAuthenticationInfo as Info } from ${a2a};
- export const f = (a: Info, b?: Info) => [a.schemes.includes("Bearer"), !a.schemes.includes("Bearer"), a.schemes[0], b?.schemes.includes("Bearer") === true, b?.schemes[0]];
+ import type { AuthenticationInfo as Info } from ${a2a};
+ export const f = (a: Info, b?: Info) => [a.scheme === "Bearer", !(a.scheme === "Bearer"), a.scheme, b?.scheme === "Bearer", b?.scheme];
  export const g = (a: Info, b?: Info) => [a.schemes.length, b?.schemes.includes("Bearer")];
`,
};

describe("upgrade from 0.3.0 to 1.0", () => {
  tryCases(rewrites({ ...unions, ...others }), "0.3.0", "1.0");
});
