import { resulted, sent } from "./peers.js";
import type { ToleranceRow } from "./row.js";

const parts = [{ kind: "text", text: "hello" }];
const bytes = "aGVsbG8=";
const filed = (file: object) => ({
  message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "file", file }] },
});
const { message: unnamed } = filed({ bytes });
const plain = { kind: "message", role: "user", parts };
const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
const answer = { role: "ROLE_AGENT", parts: [{ text: "done" }] };
const old = { kind: "task", id: "t", contextId: "c", status: { state: "completed" } };
const oldAnswer = { kind: "message", role: "agent", parts };
const text = "0.3.0 section 9.4: an example has this form";

/** Tolerances for members that are absent or have another name. */
export const gapTolerances: readonly ToleranceRow[] = [
  {
    id: "responses with messages without an id",
    accepts: "A message without `messageId` in a response is read with an empty id.",
    peers: ["agents by hand", "an example in the text of 0.2.1 to 0.3.0"],
    section: "1.0 section 4.1.4: messageId is required",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "the message of a status": {
        form: resulted("1.0", "getTask", { ...task, status: { ...task.status, message: answer } }),
        reading: { ...task, status: { ...task.status, message: { messageId: "", ...answer } } },
        neighbours: {
          "a message without a role": resulted("1.0", "getTask", {
            ...task,
            status: { ...task.status, message: { parts: answer.parts } },
          }),
          "an id that is a number": resulted("1.0", "getTask", {
            ...task,
            status: { ...task.status, message: { ...answer, messageId: 1 } },
          }),
          "an artifact without an id": resulted("1.0", "getTask", {
            ...task,
            artifacts: [{ parts: answer.parts }],
          }),
        },
      },
      "a message of 0.3 for a client of 0.3": {
        form: resulted("0.3.0", "getTask", { ...old, history: [oldAnswer] }),
        reading: { ...old, history: [{ messageId: "", ...oldAnswer }] },
        neighbours: {
          "a task without an id": resulted("0.3.0", "getTask", { ...old, id: undefined }),
        },
      },
      "a message of 0.3 for a client of 1.0": {
        form: resulted("1.0 through 0.3", "sendMessage", {
          ...old,
          status: { ...old.status, message: oldAnswer },
        }),
        reading: {
          task: {
            ...task,
            status: {
              ...task.status,
              message: { messageId: "", role: "ROLE_AGENT", parts: [{ text: "hello" }] },
            },
          },
        },
        neighbours: {
          "a message without a role": resulted("1.0 through 0.3", "sendMessage", {
            ...old,
            status: { ...old.status, message: { kind: "message", parts } },
          }),
        },
      },
    },
  },
  {
    id: "the id beside the message",
    accepts: "A `messageId` beside the message is read as the id of the message.",
    peers: ["an example in the text of 0.2.1 to 0.3.0"],
    section: text,
    versions: ["0.2", "0.3"],
    requests: {
      "to an agent of 0.3": {
        form: sent("0.3.0", { messageId: "m", message: plain }),
        reading: { message: { messageId: "m", ...plain } },
        neighbours: {
          "an id that is a number": sent("0.3.0", { messageId: 1, message: plain }),
          "no message": sent("0.3.0", { messageId: "m" }),
        },
      },
      "to an agent of 1.0": {
        form: sent("1.0 through 0.3", { messageId: "m", message: plain }),
        reading: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] } },
        neighbours: { "an empty id": sent("1.0 through 0.3", { messageId: "", message: plain }) },
      },
    },
  },
  {
    id: "data in place of bytes",
    accepts: "The member `data` of a file without `bytes` and `uri` is read as `bytes`.",
    peers: ["an example in the text of 0.2.1 to 0.3.0"],
    section: "0.3.0 section 6.6.1: bytes; an example in section 9.3 has data",
    versions: ["0.2", "0.3"],
    requests: {
      "to an agent of 0.3": {
        form: sent("0.3.0", filed({ data: bytes })),
        reading: { message: unnamed },
        neighbours: {
          "an object": sent("0.3.0", filed({ data: { a: 1 } })),
          "another name": sent("0.3.0", filed({ content: bytes })),
        },
      },
      "to an agent of 1.0": {
        form: sent("1.0 through 0.3", filed({ data: bytes })),
        reading: { message: { messageId: "m", role: "ROLE_USER", parts: [{ raw: bytes }] } },
        neighbours: {
          "text in place of base64": sent("1.0 through 0.3", filed({ data: "hello there" })),
        },
      },
    },
    responses: {
      "a file for a client of 0.3": {
        form: resulted("0.3.0", "getTask", { ...old, history: [filed({ data: bytes }).message] }),
        reading: { ...old, history: [unnamed] },
        neighbours: {
          "an object": resulted("0.3.0", "getTask", {
            ...old,
            history: [filed({ data: { a: 1 } }).message],
          }),
        },
      },
    },
  },
  {
    id: "a configuration without output modes",
    accepts: "A configuration without `acceptedOutputModes` is read with an empty list.",
    peers: ["examples in the text of 0.2.1"],
    section: "0.2.1 section 7.1.2: acceptedOutputModes is required",
    versions: ["0.2.1"],
    requests: {
      "to an agent of 0.2.1": {
        form: sent("0.2.1", {
          message: { messageId: "m", ...plain },
          configuration: { blocking: true },
        }),
        reading: {
          message: { messageId: "m", ...plain },
          configuration: { acceptedOutputModes: [], blocking: true },
        },
        neighbours: {
          "a string": sent("0.2.1", {
            message: { messageId: "m", ...plain },
            configuration: { acceptedOutputModes: "text" },
          }),
        },
      },
    },
  },
];
