import { requested, resulted, sent } from "./peers.js";
import type { ToleranceCase, ToleranceRow } from "./row.js";

const parts = [{ kind: "text", text: "hello" }];
const plain = { role: "user", messageId: "m", parts };
const ids = { taskId: "t", contextId: "c" };
const working = { id: "t", contextId: "c", status: { state: "working" } };
const progress = { ...ids, status: { state: "working" }, final: false };

/** The reading of a message in 0.3, and in 1.0 through the adapter. */
const message = { kind: "message", ...plain };
const adapted = { message: { role: "ROLE_USER", messageId: "m", parts: [{ text: "hello" }] } };

/** A part with an absent or other name of its kind, which both readers take as a text. */
function textPart(
  part: object,
  neighbours: Readonly<Record<string, object>>,
): Readonly<Record<string, ToleranceCase>> {
  const params = (given: object): object => ({ message: { ...message, parts: [given] } });
  const refused = (reader: "0.3.0" | "1.0 through 0.3") =>
    Object.fromEntries(
      Object.entries(neighbours).map(([name, given]) => [name, sent(reader, params(given))]),
    );
  return {
    "to an agent of 0.3": {
      form: sent("0.3.0", params(part)),
      reading: { message },
      neighbours: refused("0.3.0"),
    },
    "to an agent of 1.0": {
      form: sent("1.0 through 0.3", params(part)),
      reading: adapted,
      neighbours: refused("1.0 through 0.3"),
    },
  };
}

/** Sends the body of a message over HTTP+JSON. */
function posted(body: object) {
  return requested("0.3.0", () => {
    const headers = { "content-type": "application/json" };
    return new Request("http://127.0.0.1:4000/v1/message:send", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  });
}

const section = "0.3.0 section 6.4 and 6.5, and the schema: `kind` is required";
const peers = [
  "examples in the text of 0.2.1 to 0.3.0",
  "Python SDK 0.2.16",
  "guides and gateways by hand",
];

/** Tolerances for absent constants, which mark the type of an object before 1.0. */
export const kindTolerances: readonly ToleranceRow[] = [
  {
    id: "messages without a kind",
    accepts: "A message or task without `kind` is read as the type that its field requires.",
    peers,
    section,
    versions: ["0.2", "0.3"],
    requests: {
      "to an agent of 0.3": {
        form: sent("0.3.0", { message: plain }),
        reading: { message },
        neighbours: {
          "another kind": sent("0.3.0", { message: { ...plain, kind: "task" } }),
          "an empty kind": sent("0.3.0", { message: { ...plain, kind: "" } }),
          "no parts": sent("0.3.0", { message: { role: "user", messageId: "m" } }),
          "no id": sent("0.3.0", { message: { role: "user", parts } }),
          "no role": sent("0.3.0", { message: { messageId: "m", parts } }),
        },
      },
      "to an agent of 1.0": {
        form: sent("1.0 through 0.3", { message: plain }),
        reading: adapted,
        neighbours: {
          "another kind": sent("1.0 through 0.3", { message: { ...plain, kind: "task" } }),
          "no parts": sent("1.0 through 0.3", { message: { role: "user", messageId: "m" } }),
          "no id": sent("1.0 through 0.3", { message: { role: "user", parts } }),
        },
      },
      "over HTTP+JSON": {
        form: posted({ message: plain }),
        reading: { message },
        neighbours: { "another kind": posted({ message: { ...plain, kind: "task" } }) },
      },
    },
    responses: {
      "a message in the history of a task": {
        form: resulted("0.3.0", "getTask", { kind: "task", ...working, history: [plain] }),
        reading: { kind: "task", ...working, history: [message] },
        neighbours: {
          "a message of another kind": resulted("0.3.0", "getTask", {
            ...working,
            history: [{ ...plain, kind: "task" }],
          }),
        },
      },
    },
  },
  {
    id: "parts without a kind",
    accepts: "A part without `kind` is read by its member `text`, `file` or `data`.",
    peers,
    section,
    versions: ["0.2", "0.3"],
    requests: textPart(
      { text: "hello" },
      {
        "a text and a file": { text: "hello", file: { uri: "https://a.example" } },
        "a text of another kind": { kind: "file", text: "hello" },
        "only metadata": { metadata: {} },
        "an empty object": {},
      },
    ),
  },
  {
    id: "type in place of kind",
    accepts:
      "A part with `type` in place of `kind` is read by its member `text`, `file` or `data`.",
    peers: ["examples in the text of 0.2.1", "ADK samples", "the guide of IBM ContextForge"],
    section,
    versions: ["0.1", "0.2", "0.3"],
    requests: textPart(
      { type: "text", text: "hello" },
      {
        "the type of another part": { type: "file", text: "hello" },
        "an unknown type": { type: "unsupported", text: "hello" },
        "only a type": { type: "text" },
      },
    ),
  },
  {
    id: "results without a kind",
    accepts: "A result without `kind` is read as the type that has its members.",
    peers,
    section,
    versions: ["0.2", "0.3"],
    responses: {
      "a task for a client of 0.3": {
        form: resulted("0.3.0", "sendMessage", working),
        reading: { kind: "task", ...working },
        neighbours: {
          "a task and a message": resulted("0.3.0", "sendMessage", { ...working, ...plain }),
          "a task without a status": resulted("0.3.0", "sendMessage", { id: "t", contextId: "c" }),
          "an error": resulted("0.3.0", "sendMessage", {
            error: { code: -32603, message: "failed" },
          }),
          "a list": resulted("0.3.0", "sendMessage", [working]),
        },
      },
      "a message for a client of 0.3": {
        form: resulted("0.3.0", "sendMessage", plain),
        reading: message,
        neighbours: {
          "metadata alone": resulted("0.3.0", "sendMessage", { metadata: {}, contextId: "c" }),
        },
      },
      "an event for a client of 0.3": {
        form: resulted("0.3.0", "sendStreamingMessage", progress),
        reading: [{ kind: "status-update", ...progress }],
        neighbours: {
          "a status and an artifact": resulted("0.3.0", "sendStreamingMessage", {
            ...progress,
            artifact: { artifactId: "a", parts },
          }),
          "a status alone": resulted("0.3.0", "sendStreamingMessage", { status: progress.status }),
        },
      },
      "a task for a client of 1.0": {
        form: resulted("1.0 through 0.3", "sendMessage", working),
        reading: { task: { ...working, status: { state: "TASK_STATE_WORKING" } } },
        neighbours: {
          "a task and a message": resulted("1.0 through 0.3", "sendMessage", {
            ...working,
            ...plain,
          }),
          "an error": resulted("1.0 through 0.3", "sendMessage", {
            code: -32603,
            message: "failed",
          }),
        },
      },
      "an event for a client of 1.0": {
        form: resulted("1.0 through 0.3", "sendStreamingMessage", progress),
        reading: [{ statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING" } } }],
        neighbours: {
          "a status and an artifact": resulted("1.0 through 0.3", "sendStreamingMessage", {
            ...progress,
            artifact: { artifactId: "a", parts },
          }),
        },
      },
    },
  },
];
