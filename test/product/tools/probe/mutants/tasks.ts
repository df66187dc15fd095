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
  mutantsOf,
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
export const taskMutants = mutantsOf({
  "send-served": fails,
  "send-one": set("result.message", message),
  "send-type": task("status", "done"),
  "send-blocks": task("status.state", "TASK_STATE_WORKING"),
  "send-at-once": set("result", {}),
  "task-id": task("id", ""),
  "task-id-new": sameId,
  "task-context": task("contextId", ""),
  "task-state": task("status.state", "completed"),
  "task-time": task("status.timestamp", "2030-01-01T00:00:00+02:00"),
  "task-camel-case": task("context_id", "c"),
  "task-history": got("history", [{ ...message, role: "agent" }]),
  "task-history-message": got("history", [message]),
  "artifact-id": task("artifacts.0.artifactId", ""),
  "artifact-parts": task("artifacts.0.parts", []),
  "part-content": task("artifacts.0.parts.0", { text: "a", url: "https://a2a.example/" }),
  "message-role": { agent: "replying", change: set("result.message.role", "ROLE_USER") },
  "message-id": { agent: "replying", change: set("result.message.messageId", "") },
  "message-parts": { agent: "replying", change: set("result.message.parts", []) },
  "get-same": got("contextId", "other"),
  "get-type": got("history", "none"),
  "get-state": got("status.state", "TASK_STATE_FAILED"),
  "get-artifacts": got("artifacts", []),
  "get-idempotent": on("GetTask", ({ body }) =>
    put(body, "result.metadata", { now: performance.now() }),
  ),
  "history-zero": got("history", history),
  "history-one": got("history", history),
  "history-latest": on("GetTask", (wire, { body }) => {
    const { historyLength } = body["params"] as { historyLength?: number };
    put(wire.body, "result.history", historyLength === 1 ? [message] : history);
  }),
  "send-history-zero": task("history", history),
  unicode: task("history", [{ ...message, role: "ROLE_USER", parts: [{ text: "Hello Zo?" }] }]),
  metadata: fails,
  "context-kept": task("contextId", "another"),
  "send-no-message": accepts(),
  "send-no-id": accepts(),
  "send-no-role": accepts(),
  "send-no-parts": accepts(),
  "send-empty-part": accepts(),
  "send-two-contents": accepts(),
  "send-parts-type": fails,
  "send-metadata-type": accepts(),
  "send-negative-history": accepts(),
  "send-unknown-member": fails,
  "send-snake-case": fails,
  "send-unknown-task": accepts(),
  "send-ended-task": set("error.code", -32001),
  "send-other-context": (wire, sent) =>
    sent.body["method"] === "SendMessage" && JSON.stringify(sent.body).includes('"taskId"')
      ? accepts()(wire, sent)
      : undefined,
  "continue-task": {
    agent: "asking",
    change: (wire, { body }) => {
      if (JSON.stringify(body).includes('"taskId"')) put(wire.body, "result.task.id", "new");
    },
  },
  "cancel-ended": on("CancelTask", set("error.code", -32004)),
  "cancel-result": on(
    "CancelTask",
    accepts({ id: "other", status: { state: "TASK_STATE_CANCELED" } }),
  ),
  "subscribe-ended": on("SubscribeToTask", set("error.code", -32001)),
  "stream-undeclared": { agent: "plain", change: set("error.code", -32601) },
  "send-push-undeclared": { agent: "plain", change: set("error.code", -32602) },
  "send-data": fails,
});

/** Mutants of streams. */
export const streamMutants = mutantsOf({
  "stream-served": events(() => []),
  "stream-content-type": status(206),
  "stream-json": events((all) => ["done", ...all]),
  "stream-envelope": event("id", null),
  "stream-kind": events((all) => [...all, { jsonrpc: "2.0", id: 1, result: { unknown: {} } }]),
  "stream-type": event("result.statusUpdate.status", "done"),
  "stream-first": events((all) => all.slice(1)),
  "stream-message-alone": events((all) => [...all, { jsonrpc: "2.0", id: 1, result: { message } }]),
  "stream-task": event("result.statusUpdate.taskId", "other"),
  "stream-context": event("result.statusUpdate.contextId", "other"),
  "stream-end": events((all) => all.slice(0, -1)),
  "stream-after-end": events((all) => [...all, all.at(-1)]),
  "stream-order": events((all) => [...all, all[0]]),
  "stream-append": event("result.artifactUpdate.append", true),
  "stream-last-chunk": events((all) => {
    const isArtifact = (each: unknown) => JSON.stringify(each).includes("artifactUpdate");
    const copy = structuredClone(all.find(isArtifact));
    put(copy, "result.artifactUpdate.append", true);
    return all.flatMap((each) => (isArtifact(each) ? [each, copy] : [each]));
  }),
  "stream-artifacts": event("result.artifactUpdate.artifact.parts", [{ text: "other" }]),
  "stream-state-kept": on("GetTask", set("result.status.state", "TASK_STATE_WORKING")),
  "stream-history-zero": event("result.task.history", history),
  "subscribe-first": {
    agent: "asking",
    change: events((all) => all.map(() => ({ jsonrpc: "2.0", id: 1, result: { message } }))),
  },
});

/** Mutants of lists. */
export const listMutants = mutantsOf({
  "list-served": set("result.tasks", undefined),
  "list-type": list("totalSize", "many"),
  "list-page-token": list("nextPageToken", undefined),
  "list-page-size": list("pageSize", 50),
  "list-total": list("totalSize", -1),
  "list-default-size": list(
    "tasks",
    Array.from({ length: 51 }, () => listed),
  ),
  "list-limit": list("tasks", [listed, later]),
  "list-size-large": accepts({ tasks: [] }),
  "list-size-negative": accepts({ tasks: [] }),
  "list-size-zero": accepts({ tasks: [] }),
  "list-token-unknown": accepts({ tasks: [] }),
  "list-status-unknown": accepts({ tasks: [] }),
  "list-time-malformed": accepts({ tasks: [] }),
  "list-history-negative": accepts({ tasks: [] }),
  "list-no-artifacts": list("tasks", [
    { ...listed, artifacts: [{ artifactId: "a", parts: [{ text: "a" }] }] },
  ]),
  "list-sorted": list("tasks", [listed, later]),
  "list-next-page": accepts({ tasks: [listed], nextPageToken: "next" }),
  "list-empty": list("tasks", [listed]),
  "list-last-page": list("nextPageToken", undefined),
  "list-future": list("tasks", [listed]),
  "list-status": list("tasks", [listed]),
  "list-context": list("tasks", [known]),
  "list-artifacts": list("tasks", [listed]),
  "list-history-zero": list("tasks", [{ ...listed, history }]),
});

const created = (path: string, value: unknown) =>
  on("CreateTaskPushNotificationConfig", set(`result.${path}`, value));
const config = (result: unknown) => on("GetTaskPushNotificationConfig", accepts(result));
const stored = {
  id: "probe",
  url: "https://a2a.example/",
  authentication: { scheme: "Bearer", credentials: "a2a-probe-credential" },
};

/** Mutants of webhooks. */
export const pushMutants = mutantsOf({
  "push-create": on("CreateTaskPushNotificationConfig", fails),
  "push-create-id": created("id", ""),
  "push-create-url": created("url", "https://a2a.example/other"),
  "push-create-task": created("taskId", "other"),
  "push-create-unknown": accepts(stored),
  "push-relative": on("CreateTaskPushNotificationConfig", accepts(stored)),
  "push-private": on("CreateTaskPushNotificationConfig", accepts(stored)),
  "push-get": config({ ...stored, id: "other" }),
  "push-get-missing": config(stored),
  "push-list": on("ListTaskPushNotificationConfigs", set("result.configs", [])),
  "push-delete": on("DeleteTaskPushNotificationConfig", fails),
  "push-deleted": config(stored),
  "push-delete-twice": on("DeleteTaskPushNotificationConfig", fails),
  "push-secret": config(stored),
});
