import {
  accepts,
  event,
  events,
  fails,
  on,
  put,
  set,
  status,
  type Change,
  type Mutant,
} from "./mutant.js";

const task = (path: string, value: unknown) => set(`result.task.${path}`, value);
const got = (path: string, value: unknown) => on("GetTask", set(`result.${path}`, value));
const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "one" }] };
const history = [message, { ...message, messageId: "n" }];
const list = (path: string, value: unknown) => on("ListTasks", set(`result.${path}`, value));
const listed = {
  id: "listed",
  contextId: "other",
  status: { state: "TASK_STATE_WORKING", timestamp: "2020-01-01T00:00:00Z" },
};
const later = {
  ...listed,
  id: "later",
  status: { ...listed.status, timestamp: "2030-01-01T00:00:00Z" },
};
const known = { ...listed, id: "known", status: { state: "TASK_STATE_COMPLETED" } };

/** Replaces the id of each task that SendMessage returns by the same id. */
const sameId: Change = on("SendMessage", task("id", "same"));

/** Mutants of tasks, messages and refusals. */
export const taskMutants: readonly Mutant[] = [
  { rule: "send-served", change: fails },
  { rule: "send-one", change: set("result.message", message) },
  { rule: "send-type", change: task("status", "done") },
  { rule: "send-blocks", change: task("status.state", "TASK_STATE_WORKING") },
  { rule: "send-at-once", change: set("result", {}) },
  { rule: "task-id", change: task("id", "") },
  { rule: "task-id-new", change: sameId },
  { rule: "task-context", change: task("contextId", "") },
  { rule: "task-state", change: task("status.state", "completed") },
  { rule: "task-time", change: task("status.timestamp", "2030-01-01T00:00:00+02:00") },
  { rule: "task-camel-case", change: task("context_id", "c") },
  { rule: "task-history", change: got("history", [{ ...message, role: "agent" }]) },
  { rule: "task-history-message", change: got("history", [message]) },
  { rule: "artifact-id", change: task("artifacts.0.artifactId", "") },
  { rule: "artifact-parts", change: task("artifacts.0.parts", []) },
  {
    rule: "part-content",
    change: task("artifacts.0.parts.0", { text: "a", url: "https://a2a.example/" }),
  },
  { rule: "message-role", agent: "replying", change: set("result.message.role", "ROLE_USER") },
  { rule: "message-id", agent: "replying", change: set("result.message.messageId", "") },
  { rule: "message-parts", agent: "replying", change: set("result.message.parts", []) },
  { rule: "get-same", change: got("contextId", "other") },
  { rule: "get-type", change: got("history", "none") },
  { rule: "get-state", change: got("status.state", "TASK_STATE_FAILED") },
  { rule: "get-artifacts", change: got("artifacts", []) },
  {
    rule: "get-idempotent",
    change: on("GetTask", ({ body }) => put(body, "result.metadata", { now: performance.now() })),
  },
  { rule: "history-zero", change: got("history", history) },
  { rule: "history-one", change: got("history", history) },
  {
    rule: "history-latest",
    change: on("GetTask", (wire, { body }) => {
      const { historyLength } = body["params"] as { historyLength?: number };
      put(wire.body, "result.history", historyLength === 1 ? [message] : history);
    }),
  },
  { rule: "send-history-zero", change: task("history", history) },
  {
    rule: "unicode",
    change: task("history", [{ ...message, role: "ROLE_USER", parts: [{ text: "Hello Zo?" }] }]),
  },
  { rule: "metadata", change: fails },
  { rule: "context-kept", change: task("contextId", "another") },
  { rule: "send-no-message", change: accepts() },
  { rule: "send-no-id", change: accepts() },
  { rule: "send-no-role", change: accepts() },
  { rule: "send-no-parts", change: accepts() },
  { rule: "send-empty-part", change: accepts() },
  { rule: "send-two-contents", change: accepts() },
  { rule: "send-parts-type", change: fails },
  { rule: "send-metadata-type", change: accepts() },
  { rule: "send-negative-history", change: accepts() },
  { rule: "send-unknown-member", change: fails },
  { rule: "send-snake-case", change: fails },
  { rule: "send-unknown-task", change: accepts() },
  { rule: "send-ended-task", change: set("error.code", -32001) },
  {
    rule: "send-other-context",
    change: (wire, sent) =>
      sent.body["method"] === "SendMessage" && JSON.stringify(sent.body).includes('"taskId"')
        ? accepts()(wire, sent)
        : undefined,
  },
  {
    rule: "continue-task",
    agent: "asking",
    change: (wire, { body }) => {
      if (JSON.stringify(body).includes('"taskId"')) put(wire.body, "result.task.id", "new");
    },
  },
  { rule: "cancel-ended", change: on("CancelTask", set("error.code", -32004)) },
  {
    rule: "cancel-result",
    change: on("CancelTask", accepts({ id: "other", status: { state: "TASK_STATE_CANCELED" } })),
  },
  { rule: "subscribe-ended", change: on("SubscribeToTask", set("error.code", -32001)) },
  { rule: "stream-undeclared", agent: "plain", change: set("error.code", -32601) },
  { rule: "send-push-undeclared", agent: "plain", change: set("error.code", -32602) },
  { rule: "send-data", change: fails },
];

/** Mutants of streams. */
export const streamMutants: readonly Mutant[] = [
  { rule: "stream-served", change: events(() => []) },
  { rule: "stream-content-type", change: status(206) },
  { rule: "stream-json", change: events((all) => ["done", ...all]) },
  { rule: "stream-envelope", change: event("id", null) },
  {
    rule: "stream-kind",
    change: events((all) => [...all, { jsonrpc: "2.0", id: 1, result: { unknown: {} } }]),
  },
  { rule: "stream-type", change: event("result.statusUpdate.status", "done") },
  { rule: "stream-first", change: events((all) => all.slice(1)) },
  {
    rule: "stream-message-alone",
    change: events((all) => [...all, { jsonrpc: "2.0", id: 1, result: { message } }]),
  },
  { rule: "stream-task", change: event("result.statusUpdate.taskId", "other") },
  { rule: "stream-context", change: event("result.statusUpdate.contextId", "other") },
  { rule: "stream-end", change: events((all) => all.slice(0, -1)) },
  { rule: "stream-after-end", change: events((all) => [...all, all.at(-1)]) },
  { rule: "stream-order", change: events((all) => [...all, all[0]]) },
  { rule: "stream-append", change: event("result.artifactUpdate.append", true) },
  {
    rule: "stream-last-chunk",
    change: events((all) => {
      const isArtifact = (each: unknown) => JSON.stringify(each).includes("artifactUpdate");
      const copy = structuredClone(all.find(isArtifact));
      put(copy, "result.artifactUpdate.append", true);
      return all.flatMap((each) => (isArtifact(each) ? [each, copy] : [each]));
    }),
  },
  {
    rule: "stream-artifacts",
    change: event("result.artifactUpdate.artifact.parts", [{ text: "other" }]),
  },
  {
    rule: "stream-state-kept",
    change: on("GetTask", set("result.status.state", "TASK_STATE_WORKING")),
  },
  { rule: "stream-history-zero", change: event("result.task.history", history) },
  {
    rule: "subscribe-first",
    agent: "asking",
    change: events((all) => all.map(() => ({ jsonrpc: "2.0", id: 1, result: { message } }))),
  },
];

/** Mutants of lists. */
export const listMutants: readonly Mutant[] = [
  { rule: "list-served", change: set("result.tasks", undefined) },
  { rule: "list-type", change: list("totalSize", "many") },
  { rule: "list-page-token", change: list("nextPageToken", undefined) },
  { rule: "list-page-size", change: list("pageSize", 50) },
  { rule: "list-total", change: list("totalSize", -1) },
  {
    rule: "list-default-size",
    change: list(
      "tasks",
      Array.from({ length: 51 }, () => listed),
    ),
  },
  { rule: "list-limit", change: list("tasks", [listed, later]) },
  { rule: "list-size-large", change: accepts({ tasks: [] }) },
  { rule: "list-size-negative", change: accepts({ tasks: [] }) },
  { rule: "list-size-zero", change: accepts({ tasks: [] }) },
  { rule: "list-token-unknown", change: accepts({ tasks: [] }) },
  { rule: "list-status-unknown", change: accepts({ tasks: [] }) },
  { rule: "list-time-malformed", change: accepts({ tasks: [] }) },
  { rule: "list-history-negative", change: accepts({ tasks: [] }) },
  {
    rule: "list-no-artifacts",
    change: list("tasks", [
      { ...listed, artifacts: [{ artifactId: "a", parts: [{ text: "a" }] }] },
    ]),
  },
  { rule: "list-sorted", change: list("tasks", [listed, later]) },
  { rule: "list-next-page", change: accepts({ tasks: [listed], nextPageToken: "next" }) },
  { rule: "list-empty", change: list("tasks", [listed]) },
  { rule: "list-last-page", change: list("nextPageToken", undefined) },
  { rule: "list-future", change: list("tasks", [listed]) },
  { rule: "list-status", change: list("tasks", [listed]) },
  { rule: "list-context", change: list("tasks", [known]) },
  { rule: "list-artifacts", change: list("tasks", [listed]) },
  { rule: "list-history-zero", change: list("tasks", [{ ...listed, history }]) },
];

const created = (path: string, value: unknown) =>
  on("CreateTaskPushNotificationConfig", set(`result.${path}`, value));
const config = (result: unknown) => on("GetTaskPushNotificationConfig", accepts(result));
const stored = {
  id: "probe",
  url: "https://a2a.example/",
  authentication: { scheme: "Bearer", credentials: "a2a-probe-credential" },
};

/** Mutants of webhooks. */
export const pushMutants: readonly Mutant[] = [
  { rule: "push-create", change: on("CreateTaskPushNotificationConfig", fails) },
  { rule: "push-create-id", change: created("id", "") },
  { rule: "push-create-url", change: created("url", "https://a2a.example/other") },
  { rule: "push-create-task", change: created("taskId", "other") },
  { rule: "push-create-unknown", change: accepts(stored) },
  { rule: "push-relative", change: on("CreateTaskPushNotificationConfig", accepts(stored)) },
  { rule: "push-private", change: on("CreateTaskPushNotificationConfig", accepts(stored)) },
  { rule: "push-get", change: config({ ...stored, id: "other" }) },
  { rule: "push-get-missing", change: config(stored) },
  { rule: "push-list", change: on("ListTaskPushNotificationConfigs", set("result.configs", [])) },
  { rule: "push-delete", change: on("DeleteTaskPushNotificationConfig", fails) },
  { rule: "push-deleted", change: config(stored) },
  { rule: "push-delete-twice", change: on("DeleteTaskPushNotificationConfig", fails) },
  { rule: "push-secret", change: config(stored) },
];
