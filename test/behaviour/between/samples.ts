import {
  Role,
  TaskState,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from "../../../generated/1.0/index.js";
import type { Dialect } from "../interop/dialect.js";

/**
 * Request of a method, in the types of a version and as an agent of another version receives it.
 */
export interface Request {
  readonly method: string;
  readonly request: unknown;
  readonly own: unknown;
}

/** Responses of a service, in the types of any version. */
export interface Reply {
  in(dialect: Dialect): unknown;
}

const ids = { taskId: "t-1", contextId: "c-1" };
const timestamp = "2026-01-02T03:04:05.678Z";

/** A message with a text. */
export function messageOf(text: string, role: Message["role"] = Role.User): Message {
  return { messageId: `m-${text}`, role, parts: [{ text }] };
}

const said: Message = {
  ...messageOf("rich", Role.Agent),
  ...ids,
  parts: [
    { text: "Here", metadata: { a: 1 } },
    { data: { list: [1, "x", true], deep: { none: "" } } },
    { url: "https://example.org/a.png", filename: "a.png", mediaType: "image/png" },
    { raw: "AAEC", filename: "b", mediaType: "application/octet-stream" },
  ],
  metadata: { kind: "task", final: true },
  extensions: ["https://example.org/ext"],
  referenceTaskIds: ["t-0"],
};

const task: Task = {
  id: "t-1",
  contextId: "c-1",
  status: { state: TaskState.InputRequired, message: said, timestamp },
  artifacts: [{ artifactId: "a", name: "A", parts: said.parts, metadata: { x: [] } }],
  history: [messageOf("hi"), said],
  metadata: { __proto: "no", role: "ROLE_USER" },
};

const events: readonly StreamResponse[] = [
  { task: { ...task, status: { state: TaskState.Working, timestamp } } },
  {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId: "a", parts: said.parts },
      append: true,
      lastChunk: true,
    },
  },
  {
    statusUpdate: {
      ...ids,
      status: { state: TaskState.Working, message: said, timestamp },
      metadata: { y: 1 },
    },
  },
  { statusUpdate: { ...ids, status: { state: TaskState.Completed, timestamp } } },
];

const hook = { taskId: "t-1", url: "https://example.org/hook" };
const signedHook = { ...hook, id: "c-2", authentication: { scheme: "Bearer", credentials: "x" } };
const configs = [{ ...hook, id: "c-1", token: "t" }, signedHook];

const sending: SendMessageRequest = {
  message: { ...said, role: Role.User },
  configuration: { acceptedOutputModes: ["text/plain"], historyLength: 3, returnImmediately: true },
  metadata: { z: null },
};

/** The calls of each method that all versions have. */
export function requests(dialect: Dialect, own: Dialect): Request[] {
  const key = { taskId: "t-1", id: "c-1" };
  const all: readonly (readonly [string, (words: Dialect) => unknown])[] = [
    ["sendMessage", (words) => words.sendRequest(sending)],
    ["sendStreamingMessage", (words) => words.sendRequest(sending)],
    ["getTask", () => ({ id: "t-1", historyLength: 2 })],
    ["cancelTask", () => ({ id: "t-1" })],
    ["subscribeToTask", () => ({ id: "t-1" })],
    ["createTaskPushNotificationConfig", (words) => words.config(signedHook)],
    ["getTaskPushNotificationConfig", (words) => words.configRequest(key)],
    ["listTaskPushNotificationConfigs", (words) => words.listConfigsRequest("t-1")],
    ["deleteTaskPushNotificationConfig", (words) => words.configRequest(key)],
  ];
  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  return all.map(([method, of]) => ({ method, request: json(of(dialect)), own: json(of(own)) }));
}

/** Returns a request without what the protos before 1.0 cannot carry. */
export function inOldProto(request: unknown): unknown {
  const lost = ({ parts, referenceTaskIds: _, ...message }: Message): Message => ({
    ...message,
    parts: parts.map(({ metadata: _metadata, filename: _filename, ...part }) => part),
  });
  const { message, ...rest } = request as SendMessageRequest;
  return typeof message === "object" ? { ...rest, message: lost(message) } : request;
}

/** A possible response of a service of 1.0 to a call of a method. */
export function replies(method: string): readonly (Reply | undefined)[] {
  const reply = (of: (words: Dialect) => unknown): Reply => ({
    in: (words) => JSON.parse(JSON.stringify(of(words))) as unknown,
  });
  switch (method) {
    case "sendMessage":
      return [{ task }, { message: said }].map((one) => reply((words) => words.sendResponse(one)));
    case "sendStreamingMessage":
    case "subscribeToTask":
      return [reply((words) => events.map((event) => words.event(event)))];
    case "createTaskPushNotificationConfig":
    case "getTaskPushNotificationConfig":
      return configs.map((config) => reply((words) => words.config(config)));
    case "listTaskPushNotificationConfigs":
      return [reply((words) => words.configs(configs))];
    case "deleteTaskPushNotificationConfig":
      return [undefined];
    default:
      return [reply((words) => words.task(task))];
  }
}
