import { responded, resulted, sent } from "./peers.js";
import type { ToleranceRow } from "./row.js";

const naive = "2025-06-01T10:20:30.123456";

/** A task of 0.3 with the time of its status. */
const timed = (timestamp: string) => ({
  kind: "task",
  id: "t",
  contextId: "c",
  status: { state: "completed", timestamp },
});

/** A task of 1.0 with the time of its status. */
const timedNow = (timestamp: string) => ({
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_COMPLETED", timestamp },
});

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hello" }] };

/** A message of 1.0 with bytes. */
const raw = (bytes: string) => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ raw: bytes }] },
});

/** A message of 0.3 with a file. */
const file = (bytes: string) => ({
  message: {
    kind: "message",
    messageId: "m",
    role: "user",
    parts: [{ kind: "file", file: { bytes } }],
  },
});

/** An agent responds to a call over HTTP+JSON. */
const rested = (method: string, body: unknown) =>
  responded(
    "1.0",
    method,
    () => Response.json(body, { headers: { "content-type": "application/a2a+json" } }),
    "HTTP+JSON",
  );

/** Tolerances for the values in messages and tasks. */
export const valueTolerances: readonly ToleranceRow[] = [
  {
    id: "times without a zone",
    accepts: "A time without a zone is read as UTC.",
    peers: [
      "ADK for Python before 1.5",
      "Java SDK before 0.3",
      "examples in the text of 0.2.1 to 0.3.0",
    ],
    section: "1.0 section 5.6.1: times are in UTC and end in Z",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a task of 0.3": {
        form: resulted("1.0 through 0.3", "sendMessage", timed(naive)),
        reading: { task: timedNow(`${naive}Z`) },
        neighbours: {
          "a day that does not exist": resulted(
            "1.0 through 0.3",
            "sendMessage",
            timed("2025-02-30T10:20:30"),
          ),
          "a date": resulted("1.0 through 0.3", "sendMessage", timed("2025-06-01")),
          "a zone that does not exist": resulted(
            "1.0 through 0.3",
            "sendMessage",
            timed(`${naive}+99:00`),
          ),
        },
      },
      "a task of 1.0": {
        form: resulted("1.0", "getTask", timedNow(naive)),
        reading: timedNow(`${naive}Z`),
        neighbours: {
          "a time with two zones": resulted("1.0", "getTask", timedNow(`${naive}Z+00:00`)),
        },
      },
    },
  },
  {
    id: "base64 with line ends",
    accepts: "Line ends in base64 are ignored.",
    peers: ["MIME encoders of Java and Python"],
    section: "1.0 section 5.5: bytes are base64",
    versions: ["0.2", "0.3", "1.0"],
    requests: {
      "to an agent of 1.0": {
        form: sent("1.0", raw("aGVs\r\nbG8=\n")),
        reading: raw("aGVsbG8="),
        neighbours: {
          spaces: sent("1.0", raw("aGVs bG8=")),
          "no base64": sent("1.0", raw("aGVs\n*G8=")),
          "text after the padding": sent("1.0", raw("aGVsbG8=\nYQ==")),
        },
      },
      "from a caller of 0.3": {
        form: sent("1.0 through 0.3", file("aGVs\nbG8=")),
        reading: raw("aGVsbG8="),
        neighbours: { "no base64": sent("1.0 through 0.3", file("hello!\n")) },
      },
    },
    responses: {
      "a task of 1.0": {
        form: resulted("1.0", "getTask", { ...task, history: [raw("aGVs\nbG8=").message] }),
        reading: { ...task, history: [raw("aGVsbG8=").message] },
        neighbours: {
          spaces: resulted("1.0", "getTask", { ...task, history: [raw("aGVs bG8=").message] }),
        },
      },
    },
  },
  {
    id: "data URIs in place of base64",
    accepts: "A data URI with base64 is read as its content.",
    peers: ["callers in browsers that encode with `FileReader`"],
    section: "1.0 section 5.5: bytes are base64",
    versions: ["0.2", "0.3", "1.0"],
    requests: {
      "to an agent of 1.0": {
        form: sent("1.0", raw("data:text/plain;base64,aGVsbG8=")),
        reading: raw("aGVsbG8="),
        neighbours: {
          "a data URI without base64": sent("1.0", raw("data:text/plain,hello")),
          "a data URI with other content": sent("1.0", raw("data:text/plain;base64,hel lo")),
          "another URI": sent("1.0", raw("https://a.example/;base64,aGVsbG8=")),
          "two data URIs": sent("1.0", raw("data:;base64,data:;base64,aGVsbG8=")),
        },
      },
    },
    responses: {
      "a task of 1.0": {
        form: resulted("1.0", "getTask", {
          ...task,
          history: [raw("data:;base64,aGVsbG8=").message],
        }),
        reading: { ...task, history: [raw("aGVsbG8=").message] },
        neighbours: {},
      },
    },
  },
  {
    id: "bare results",
    accepts:
      "A task or message without the object around it is read as the result of `SendMessage`, or as an event.",
    peers: ["drafts of 1.0", "ContextForge", "agents that still have parts of 0.3"],
    section: "1.0 section 3.1.1: the response has the member task or message",
    versions: ["1.0"],
    responses: {
      "a task over JSON-RPC": {
        form: resulted("1.0", "sendMessage", task),
        reading: { task },
        neighbours: {
          "a task and a message": resulted("1.0", "sendMessage", { ...task, ...message }),
          "a task beside a task": resulted("1.0", "sendMessage", { ...task, task: 1 }),
          "a task without a status": resulted("1.0", "sendMessage", { id: "t", contextId: "c" }),
          "a task of 0.3": resulted("1.0", "sendMessage", {
            ...task,
            status: { state: "completed" },
          }),
          "members of both": resulted("1.0", "sendMessage", { contextId: "c", metadata: {} }),
          "an error": resulted("1.0", "sendMessage", { code: -32603, message: "failed" }),
        },
      },
      "a message over HTTP+JSON": {
        form: rested("sendMessage", message),
        reading: { message },
        neighbours: {
          "a message without a role": rested("sendMessage", { ...message, role: undefined }),
        },
      },
      "an event": {
        form: resulted("1.0", "sendStreamingMessage", {
          taskId: "t",
          contextId: "c",
          status: task.status,
        }),
        reading: [{ statusUpdate: { taskId: "t", contextId: "c", status: task.status } }],
        neighbours: {
          "two events at once": resulted("1.0", "sendStreamingMessage", {
            taskId: "t",
            contextId: "c",
            status: task.status,
            artifact: { artifactId: "a", parts: [{ text: "a" }] },
          }),
        },
      },
    },
  },
  {
    id: "wrapped results",
    accepts: "An object with the single member `task` is read as a task.",
    peers: ["spring-ai-ascend"],
    section: "1.0 section 3.1.3: the response is a task",
    versions: ["0.3", "1.0"],
    responses: {
      "over JSON-RPC": {
        form: resulted("1.0", "getTask", { task }),
        reading: task,
        neighbours: {
          "another member": resulted("1.0", "getTask", { result: task }),
          "two members": resulted("1.0", "getTask", { task, metadata: {} }),
          "two objects": resulted("1.0", "getTask", { task: { task } }),
          "a list": resulted("1.0", "getTask", { task: [task] }),
        },
      },
      "over HTTP+JSON": { form: rested("getTask", { task }), reading: task, neighbours: {} },
    },
  },
];
