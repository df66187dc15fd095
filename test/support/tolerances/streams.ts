import { formatEvent } from "../../../library/runtime/http/sse.js";
import { responded, type Reader } from "./peers.js";
import type { ToleranceRow } from "./row.js";

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const update = { taskId: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
const oldTask = { kind: "task", id: "t", contextId: "c", status: { state: "completed" } };
const events = [{ task }, { statusUpdate: update }];

const envelope = (result: object, id: unknown = 1): object => ({ jsonrpc: "2.0", id, result });
const [first, last] = events.map((event) => formatEvent(JSON.stringify(envelope(event))));

/** An agent responds to a streaming call with this body. */
const streamed = (body: string, binding = "JSONRPC", reader: Reader = "1.0") =>
  responded(
    reader,
    "sendStreamingMessage",
    () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
    binding,
  );

/** An agent responds to a call with this JSON. */
const answered = (body: unknown, reader: Reader = "1.0") =>
  responded(reader, "getTask", () => Response.json(body));

/** Body of a stream with additional text after its first event. */
const between = (text: string) => `${first}${text}${last}`;

/** Body of a stream over HTTP+JSON, whose events have no envelope. */
const bare = (text: string) => {
  const [one, two] = events.map((event) => formatEvent(JSON.stringify(event)));
  return `${one}${text}${two}`;
};

const answers = formatEvent(JSON.stringify(envelope({ task }, 99)));

/** Tolerances for responses and streams of responses. */
export const streamTolerances: readonly ToleranceRow[] = [
  {
    id: "results without an id",
    accepts:
      "A JSON-RPC result without an id, or with the id null, belongs to the request of its HTTP exchange.",
    peers: ["a2a-rust"],
    section: "JSON-RPC 2.0 section 5: the id is the id of the request",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a task": {
        form: answered(envelope(task, null)),
        reading: task,
        neighbours: {
          "another id": answered(envelope(task, 99)),
          "an object as the id": answered(envelope(task, {})),
          "no result": answered({ jsonrpc: "2.0", id: null }),
        },
      },
      "a task of 0.3": {
        form: answered(envelope(oldTask, null), "0.3.0"),
        reading: oldTask,
        neighbours: { "another id": answered(envelope(oldTask, 99), "0.3.0") },
      },
      "a stream": {
        form: streamed(
          events.map((event) => formatEvent(JSON.stringify(envelope(event, null)))).join(""),
        ),
        reading: events,
        neighbours: { "another id": streamed(answers) },
      },
    },
  },
  {
    id: "heartbeats with data",
    accepts:
      "An event with an empty object, or with a type other than `message` and `error` and without a response, is a heartbeat.",
    peers: ["sse-starlette", "gateways for models"],
    section: "1.0 section 9.4.2: each event is a JSON-RPC response",
    versions: ["0.2", "0.3", "1.0"],
    responses: Object.fromEntries(
      [
        'event: ping\ndata: {"type":"ping"}\n\n',
        "event: ping\ndata: 2026-01-01 10:00\n\n",
        "data: {}\n\n",
      ].map((text) => [
        JSON.stringify(text),
        {
          form: streamed(between(text)),
          reading: events,
          neighbours: {
            "a response to another request": streamed(between(`event: ping\n${answers}`)),
            "an error": streamed(
              between('event: ping\ndata: {"error":{"code":-32603,"message":"No"}}\n\n'),
            ),
            "another value without a type": streamed(between('data: {"type":"ping"}\n\n')),
            "text without a type": streamed(between("data: ping\n\n")),
            "only heartbeats": streamed(text),
          },
        },
      ]),
    ),
  },
  {
    id: "heartbeats with data over HTTP+JSON",
    accepts: "The same heartbeats are left out of a stream over HTTP+JSON.",
    peers: ["sse-starlette", "gateways for models"],
    section: "1.0 section 11.7: each event is a response",
    versions: ["0.3", "1.0"],
    responses: {
      "1.0": {
        form: streamed(bare("event: ping\ndata: {}\n\n"), "HTTP+JSON"),
        reading: events,
        neighbours: {
          "an invalid response": streamed(bare('event: ping\ndata: {"task":{}}\n\n'), "HTTP+JSON"),
          "an error": streamed(
            bare('event: ping\ndata: {"error":{"code":500,"message":"No"}}\n\n'),
            "HTTP+JSON",
          ),
        },
      },
    },
  },
  {
    id: "end marks",
    accepts: "`[DONE]` at the end of a stream is ignored.",
    peers: ["gateways for models"],
    section: "1.0 section 9.4.2: the end of a stream has no mark",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a stream": {
        form: streamed(`${between("")}data: [DONE]\n\n`),
        reading: events,
        neighbours: {
          "events after the mark": streamed(between("data: [DONE]\n\n")),
          "two marks": streamed(`${between("data: [DONE]\n\n")}data: [DONE]\n\n`),
          "only the mark": streamed("data: [DONE]\n\n"),
          "another text": streamed(`${between("")}data: [done]\n\n`),
        },
      },
    },
  },
  {
    id: "JSON with the type of a stream",
    accepts: "A body of the type `text/event-stream` that is one JSON object is the only response.",
    peers: ["a2a-rs", "agents that fail before the first event"],
    section: "1.0 section 9.4.2: the body of a stream consists of events",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a result": {
        form: streamed(JSON.stringify(envelope({ task }), undefined, 2)),
        reading: [{ task }],
        neighbours: {
          "two objects": streamed(
            `${JSON.stringify(envelope({ task }))}\n${JSON.stringify(envelope({ task }))}`,
          ),
          "an object before only comments": streamed(
            `${JSON.stringify(envelope({ task }))}\n: keep-alive\n\n`,
          ),
          "a list": streamed(JSON.stringify([envelope({ task })])),
          "an error": streamed(
            JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "No" } }),
          ),
        },
      },
    },
  },
];
