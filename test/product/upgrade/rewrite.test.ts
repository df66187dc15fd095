import { describe } from "vitest";
import { points, rewrites, tryCases, type Cases } from "./renaming.js";

const outputOf = (version: string) => `"../../../../generated/${version}/index.js"`;
const a2a = outputOf("0.3.0");

/** Code for 0.3.0 and its upgrade to 1.0, in which unions are objects with one present member. */
const rewritten: Cases = {
  "a test of the constant of a union, and the value that it narrows": `
  import type { StreamResponse } from ${a2a};
- export const f = (e: StreamResponse) => (e.kind === "status-update" ? e.status.state : e.kind !== "task" ? "" : e.id);
+ export const f = (e: StreamResponse) => (e.statusUpdate !== undefined ? e.statusUpdate.status.state : e.task === undefined ? "" : e.task.id);
`,
  "a test of an optional value, and a narrowed value in shorthand and in a spread object": `
- import type { Task, SendMessageResult } from ${a2a};
- export function f(result?: SendMessageResult): Task | { result: Task } | undefined {
-   if (result?.kind !== "task") return undefined;
-   return result.id === "" ? { result } : { ...result, id: "1" };
+ import type { Task, SendMessageResponse } from ${a2a};
+ export function f(result?: SendMessageResponse): Task | { result: Task } | undefined {
+   if (result?.task === undefined) return undefined;
+   return result.task.id === "" ? { result: result.task } : { ...result.task, id: "1" };
  }
`,
  "no narrowed value if the whole union is required": `
  import type { StreamResponse } from ${a2a};
  declare const seen: (event: StreamResponse) => void;
- export const f = (e: StreamResponse) => e.kind === "task" && seen(e);
+ export const f = (e: StreamResponse) => e.task !== undefined && seen(e);
`,
  "a switch on the constant whose last case is the rest": `
  import type { StreamResponse } from ${a2a};
  export function f(e: StreamResponse): string {
-   switch (e.kind) {
-     case "task":
-     case "message":
+   switch (true) {
+     case e.task !== undefined:
+     case e.message !== undefined:
+       return e.task !== undefined ? "task" : "message";
-       return e.kind;
-     case "status-update":
-       return e.taskId;
-     case "artifact-update":
-       return e.artifact.artifactId;
+     case e.statusUpdate !== undefined:
+       return e.statusUpdate.taskId;
+     default:
+       return e.artifactUpdate.artifact.artifactId;
    }
  }
  export function g(e: StreamResponse): string {
-   switch (e.kind) {
-     case "task":
-       return e.id;
+   switch (true) {
+     case e.task !== undefined:
+       return e.task.id;
      default:
        return "";
    }
  }
`,
  "no switch with a case that is not a constant of the union": `
  import type { Part } from ${a2a};
  declare const own: Part["kind"];
  export function f(part: Part): number {
    switch (part.kind) {
      case own:
        return 1;
      default:
        return 2;
    }
  }
`,
  "a test of a message whose members were moved into the object": `
  import type { Part } from ${a2a};
- export const f = (all: Part[]) => all.filter((part) => part.kind === "text");
- export const g = (part: Part) => (part.kind === "file" && "uri" in part.file ? part.file.uri : "");
- export const h = (part: Part) => (part.kind === "file" ? part.file.name : part.kind === "data" ? part.data : part.text);
+ export const f = (all: Part[]) => all.filter((part) => part.text !== undefined);
+ export const g = (part: Part) => ((part.url !== undefined || part.raw !== undefined) && part.url !== undefined ? part.url : "");
+ export const h = (part: Part) => ((part.url !== undefined || part.raw !== undefined) ? part.filename : part.data !== undefined ? part.data : part.text);
`,
  "the guard of a message, called with a union": `
- import { isMessage, isTask, type SendMessageResult } from ${a2a};
- export const f = (r: SendMessageResult) => (!isTask(r) ? r.messageId : r.id);
+ import { isMessage, type SendMessageResponse } from ${a2a};
+ export const f = (r: SendMessageResponse) => (r.task === undefined ? r.message.messageId : r.task.id);
  export const g = (r: unknown) => isMessage(r);
`,
  "the guard of a part whose members were moved into the object, also as a callback": `
- import { isFilePart, isTextPart, type Part } from ${a2a};
+ import { type Part } from ${a2a};
- export const f = (all: Part[]) => all.filter(isTextPart).length + (all.some(isFilePart) ? 1 : 0);
- export const g = (part: Part) => (isTextPart(part) ? 1 : !isFilePart(part) ? 2 : 3);
+ export const f = (all: Part[]) => all.filter((part) => part.text !== undefined).length + (all.some((part) => part.url !== undefined || part.raw !== undefined) ? 1 : 0);
+ export const g = (part: Part) => (part.text !== undefined ? 1 : (part.url === undefined && part.raw === undefined) ? 2 : 3);
`,
  "an import that only contains guards, and removes it with their last calls": `
- import { isFilePart, isTextPart } from ${a2a};
- import { isDataPart, type Part } from ${a2a};
+ import { type Part } from ${a2a};
- export const f = (part: Part) => isTextPart(part) || isFilePart(part) || isDataPart(part);
+ export const f = (part: Part) => part.text !== undefined || (part.url !== undefined || part.raw !== undefined) || part.data !== undefined;
`,
  "an object with the constant, and removes the constant": `
  import type { Message, Part } from ${a2a};
  export const message: Message = {
-   kind: "message",
    messageId: "1",
-   role: "user",
-   parts: [{ kind: "text", text: "" }, { data: {}, kind: "data" as const }],
+   role: "ROLE_USER",
+   parts: [{ text: "" }, { data: {} }],
  };
- export const file: Part = { kind: "file", file: { uri: "u", name: "n" } };
+ export const file: Part = { url: "u", filename: "n" };
`,
  "a message in place of a union, and wraps it into its member": `
- import type { Message, SendMessageResult, StreamResponse, Task } from ${a2a};
- export async function f(task: Task, message?: Message): Promise<SendMessageResult> {
+ import type { Message, SendMessageResponse, StreamResponse, Task } from ${a2a};
+ export async function f(task: Task, message?: Message): Promise<SendMessageResponse> {
    return message ?? task;
  }
- export async function j(known?: SendMessageResult, task?: Task): Promise<SendMessageResult> {
-   return known ?? task!;
+ export async function j(known?: SendMessageResponse, task?: Task): Promise<SendMessageResponse> {
+   return known ?? { task: task! };
  }
  export async function* g(task: Task, other: Task): AsyncGenerator<StreamResponse> {
-   yield task;
-   yield other;
-   yield { kind: "status-update", taskId: task.id, contextId: "", status: task.status, final: true };
+   yield { task };
+   yield { task: other };
+   yield { statusUpdate: { taskId: task.id, contextId: "", status: task.status } };
  }
- export const h = (task: Task): SendMessageResult => task;
- export const i = (task: Task, message: Message): SendMessageResult => (task.id === "" ? message : task);
+ export const h = (task: Task): SendMessageResponse => ({ task });
+ export const i = (task: Task, message: Message): SendMessageResponse => (task.id === "" ? { message } : { task });
`,
  "a property with the inverted value or with the only element of a list": `
- import type { MessageSendConfiguration } from ${a2a};
+ import type { SendMessageConfiguration } from ${a2a};
  declare const yes: boolean;
- export const all: MessageSendConfiguration[] = [{ blocking: true }, { blocking: false }, { blocking: yes }];
- export const isQuick = (c?: MessageSendConfiguration) => c?.blocking === false;
- export const c: MessageSendConfiguration = { pushNotificationConfig: { url: "", authentication: { schemes: ["Basic"] } } };
+ export const all: SendMessageConfiguration[] = [{ returnImmediately: false }, { returnImmediately: true }, { returnImmediately: !yes }];
+ export const isQuick = (c?: SendMessageConfiguration) => c?.returnImmediately === true;
+ export const c: SendMessageConfiguration = { taskPushNotificationConfig: { url: "", authentication: { scheme: "Basic" } } };
`,
  "a test of an inverted property, where an absent value has the meaning that the new version defines": `
- import type { MessageSendConfiguration } from ${a2a};
+ import type { SendMessageConfiguration } from ${a2a};
  declare const done: boolean, blocking: boolean, maybe: boolean | undefined;
- export const waits = (c?: MessageSendConfiguration) => [c?.blocking !== false, c?.blocking ?? true, !(c?.blocking === false)];
- export const isQuick = (c: MessageSendConfiguration) => [false === c.blocking, c.blocking === false && done];
- export const isAbsentQuick = (c?: MessageSendConfiguration) => [c?.blocking !== true, c?.blocking === true, c?.blocking ?? false];
- export const inConditions = (c: MessageSendConfiguration) => (c.blocking && done ? 1 : !c.blocking ? 2 : 3);
- export const other = (c: MessageSendConfiguration) => [c.blocking, c.blocking === done, c.blocking === undefined];
- export const all: MessageSendConfiguration[] = [{ blocking }, { blocking: !done }, { blocking: done && blocking }];
- export const set = (c: MessageSendConfiguration) => { c.blocking = true; };
+ export const waits = (c?: SendMessageConfiguration) => [c?.returnImmediately !== true, c?.returnImmediately !== true, !(c?.returnImmediately === true)];
+ export const isQuick = (c: SendMessageConfiguration) => [false === c.blocking, c.returnImmediately === true && done];
+ export const isAbsentQuick = (c?: SendMessageConfiguration) => [c?.returnImmediately === true, c?.returnImmediately !== true, c?.returnImmediately !== true];
+ export const inConditions = (c: SendMessageConfiguration) => (c.returnImmediately !== true && done ? 1 : c.returnImmediately === true ? 2 : 3);
+ export const other = (c: SendMessageConfiguration) => [c.blocking, c.blocking === done, c.blocking === undefined];
+ export const all: SendMessageConfiguration[] = [{ returnImmediately: !blocking }, { returnImmediately: done }, { returnImmediately: !(done && blocking) }];
+ export const set = (c: SendMessageConfiguration) => { c.returnImmediately = false; };
`,
  "an object whose members were moved out of it": `
- import type { PushNotificationConfig, TaskPushNotificationConfig } from ${a2a};
- export const f = (taskId: string, pushNotificationConfig: PushNotificationConfig): TaskPushNotificationConfig => ({ taskId, pushNotificationConfig });
- export const g: TaskPushNotificationConfig = { taskId: "1", pushNotificationConfig: { url: "u", token: "t" } };
- export const h = ({ pushNotificationConfig }: TaskPushNotificationConfig, c: TaskPushNotificationConfig) => pushNotificationConfig.url + c.pushNotificationConfig.url;
+ import type { TaskPushNotificationConfig } from ${a2a};
+ export const f = (taskId: string, pushNotificationConfig: TaskPushNotificationConfig): TaskPushNotificationConfig => ({ ...pushNotificationConfig, taskId });
+ export const g: TaskPushNotificationConfig = { taskId: "1", url: "u", token: "t" };
+ export const h = ({ ...pushNotificationConfig }: TaskPushNotificationConfig, c: TaskPushNotificationConfig) => pushNotificationConfig.url + c.url;
`,
};

const base = `    name: "n",
    description: "d",
    version: "1.0.0",
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],`;

/** Agent cards for 0.3.0 and their upgrade to 1.0. */
const cards: Cases = {
  "a card that only has an address": `
  import type { AgentCard } from ${a2a};
  export const card: AgentCard = {
-   protocolVersion: "0.3.0",
${base}
-   url: "https://a.example",
+   supportedInterfaces: [{ url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
  };
`,
  "a card with several interfaces and a main interface": `
  import type { AgentCard } from ${a2a};
  export const card = (url: string, kind: string, isKnown: boolean): AgentCard => ({
-   protocolVersion: "0.3.0",
${base}
-   url,
-   preferredTransport: kind,
-   additionalInterfaces: [{ url, transport: kind }, { url: "u", transport: "GRPC" }],
-   capabilities: {},
-   supportsAuthenticatedExtendedCard: isKnown,
-   securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
-   security: [{ key: [] }, { oauth: ["read"] }],
+   supportedInterfaces: [{ url, protocolBinding: kind, protocolVersion: "1.0" }, { url: "u", protocolBinding: "GRPC", protocolVersion: "1.0" }],
+   capabilities: { extendedAgentCard: isKnown },
+   securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } },
+   securityRequirements: [{ schemes: { key: { list: [] } } }, { schemes: { oauth: { list: ["read"] } } }],
  });
`,
  "a card with interfaces and capabilities from other variables": `
  import type { AgentCapabilities, AgentCard, AgentInterface } from ${a2a};
  export const card = (capabilities: AgentCapabilities, others: AgentInterface[]): AgentCard => ({
-   protocolVersion: "0.3.0",
${base}
-   url: "u",
-   preferredTransport: "GRPC",
-   additionalInterfaces: others,
-   capabilities,
-   supportsAuthenticatedExtendedCard: true,
+   supportedInterfaces: [{ url: "u", protocolBinding: "GRPC", protocolVersion: "1.0" }, ...others],
+   capabilities: { ...capabilities, extendedAgentCard: true },
  });
`,
};

const absence =
  "An absent SendMessageConfiguration.returnImmediately counts as false, and an absent MessageSendConfiguration.blocking as true";

/** Code for 0.3.0 that the upgrade to 1.0 points out. */
const noticed: Cases = {
  "a validator of a value without a type": `
  import { assertTask, isMessage, isPart, parseTask } from ${a2a};
  export const f = (body: unknown, other: any) => [isMessage(body), parseTask(other), isPart(body), assertTask(body)];
! 2: isMessage(…) of a value of any type: it may now be in the member "message" of SendMessageResponse, or in the member "message" of StreamResponse
! 2: parseTask(…) of a value of any type: it may now be in the member "task" of SendMessageResponse, or in the member "task" of StreamResponse
! 2: assertTask(…) of a value of any type: it may now be in the member "task" of SendMessageResponse, or in the member "task" of StreamResponse
`,
  "conditions on an inverted property that treat an absent value in another way than the new version": `
  import type { MessageSendConfiguration } from ${a2a};
  export const isQuick = (c?: MessageSendConfiguration) => c?.blocking !== true;
  export const same = (c?: MessageSendConfiguration) => [c?.blocking === false, c?.blocking !== false, c?.blocking ?? true];
  export const other = (c: MessageSendConfiguration) => (c.blocking ? 1 : c.blocking ?? false);
! 2: "blocking" is now "returnImmediately", with the opposite value: if it is absent, this condition was true and is now false. ${absence}
! 4: "blocking" is now "returnImmediately", with the opposite value: if it is absent, this condition was false and is now true. ${absence}
! 4: "blocking" is now "returnImmediately", with the opposite value: if it is absent, this condition was false and is now true. ${absence}
`,
  "a property that is removed from an object": `
  import type { AgentCapabilities } from ${a2a};
  export const a: AgentCapabilities = { streaming: true, stateTransitionHistory: true };
! 2: "stateTransitionHistory" is removed: No operation returned this history.
`,
  "code that reads the list of interfaces, which now contains the main interface": `
  import type { AgentCard } from ${a2a};
  export const f = (card: AgentCard) => card.additionalInterfaces ?? [];
! 2: "additionalInterfaces" is now "supportedInterfaces", and also has the interface that was "url" of the card
`,
  "no version of a card in a removed property": `
  import type { AgentCard } from ${a2a};
  export const f = (card: AgentCard): AgentCard => ({ ...card, url: "", protocolVersion: "0.3.0" });
`,
};

const newer = outputOf("1.0");
const versions: Cases = {
  "the version in the interfaces of a card, and nothing else": `
  import type { AgentInterface } from ${newer};
  const version = "1.0";
- export const all: AgentInterface[] = [{ url: "", protocolBinding: "GRPC", protocolVersion: "1.0" }, { url: "1.0", protocolBinding: "1.0", protocolVersion: version }];
+ export const all: AgentInterface[] = [{ url: "", protocolBinding: "GRPC", protocolVersion: "1.1" }, { url: "1.0", protocolBinding: "1.0", protocolVersion: version }];
`,
};

describe("upgrade from 0.3.0 to 1.0", () => {
  tryCases({ ...rewrites({ ...rewritten, ...cards }), ...points(noticed) }, "0.3.0", "1.0");
});

describe("upgrade from 1.0 to the draft of 1.1", () => {
  tryCases(rewrites(versions), "1.0", "1.1-draft");
});
