import { at, type Json } from "../../test/behaviour/interop/json.js";
import { httpLine, type HttpRequest } from "../servers/http-line.js";
import type { Line } from "../servers/line.js";
import { answer, askingFor, chunks, paths, textsFor, type Wish } from "../servers/work.js";

/** A version of A2A. */
export type Version = "1.0" | "0.3.0";

/** Number of tasks of an agent that lists them, and of tasks on a page. */
export const [listed, pageSize] = [1_000, 50];

/** Number of events in a stream: the task, its start, the chunks, and its end. */
export const streamed = chunks + 3;

/** A call that is the same for all agents. */
export interface Call {
  /** Name in the results. */
  readonly name: string;
  readonly version: Version;
  readonly unit: "requests/s" | "events/s";
  /** Whether the agent must have {@link listed} tasks. */
  readonly needsTasks?: boolean;
  readonly request: HttpRequest;
  /** Throws if the call must have other responses. */
  readonly check: (responses: readonly Buffer[]) => void;
}

/** Methods and texts of a version. */
interface Form {
  readonly send: string;
  readonly stream: string;
  readonly params: (text: string) => Json;
  readonly completed: string;
}

const forms: Readonly<Record<Version, Form>> = {
  "1.0": {
    send: "SendMessage",
    stream: "SendStreamingMessage",
    params: (text) => ({
      message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] },
    }),
    completed: "TASK_STATE_COMPLETED",
  },
  "0.3.0": {
    send: "message/send",
    stream: "message/stream",
    params: (text) => ({
      message: {
        kind: "message",
        messageId: crypto.randomUUID(),
        role: "user",
        parts: [{ kind: "text", text }],
      },
      configuration: { blocking: true },
    }),
    completed: "completed",
  },
};

/** Returns the request for a response, in a version. */
export function requestFor(wish: Wish, version: Version): HttpRequest {
  const isStream = wish === "stream" || wish === "wait";
  const { send, stream, params } = forms[version];
  return rpc(version, isStream ? stream : send, params(askingFor(wish)), isStream);
}

function rpc(version: Version, method: string, params: Json, stream: boolean): HttpRequest {
  const headers = {
    "content-type": "application/json",
    accept: stream ? "text/event-stream" : "application/json",
    ...(version === "1.0" && { "a2a-version": version }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  // SDKs end events with different line ends, but each has one line of data.
  return { path: paths.jsonRpc, headers, body, stream, mark: "\ndata:" };
}

/** All calls, in the order of the results. */
export const calls: readonly Call[] = [
  unary("A message", "message", "1.0"),
  unary("A task with four events", "task", "1.0"),
  {
    name: "Events of a stream",
    version: "1.0",
    unit: "events/s",
    request: requestFor("stream", "1.0"),
    check: checkStream,
  },
  {
    name: `A page with ${pageSize} of ${listed.toLocaleString("en")} tasks`,
    version: "1.0",
    unit: "requests/s",
    needsTasks: true,
    request: rpc("1.0", "ListTasks", { pageSize }, false),
    check: checkList,
  },
  unary("A 0.3 call, a message", "message", "0.3.0"),
  unary("A 0.3 call, a task with four events", "task", "0.3.0"),
];

function unary(name: string, wish: Wish, version: Version): Call {
  const request = requestFor(wish, version);
  const check = (responses: readonly Buffer[]): void => {
    const [response = {}] = resultsOf(responses);
    const value = (response[wish] ?? response) as Json;
    if (wish === "message") expectSame(textOf(value), answer);
    else {
      expectSame(at(value, "status", "state"), forms[version].completed);
      expectSame(textOf(at(value, "artifacts", 0)), answer);
    }
  };
  return { name, version, unit: "requests/s", request, check };
}

function checkStream(responses: readonly Buffer[]): void {
  const events = resultsOf(responses);
  const text = events.reduce((before, event) => {
    const piece = textOf(at(event, "artifactUpdate", "artifact"));
    return typeof piece === "string" ? before + piece : before;
  }, "");
  expectSame(text, [...textsFor("stream")].join(""));
  expectSame(at(events.at(-1), "statusUpdate", "status", "state"), forms["1.0"].completed);
  expectSame(events.length, streamed);
}

function checkList(responses: readonly Buffer[]): void {
  const [response = {}] = resultsOf(responses);
  const tasks = at(response, "tasks");
  expectSame(Array.isArray(tasks) ? tasks.length : undefined, pageSize);
}

function resultsOf(responses: readonly Buffer[]): readonly Json[] {
  return responses.map((response) => {
    const { result } = JSON.parse(response.toString("utf8")) as { readonly result?: Json };
    if (result === undefined) throw new Error(`The agent refuses: ${response.toString("utf8")}`);
    return result;
  });
}

const textOf = (value: unknown): unknown => at(value, "parts", 0, "text");

function expectSame(found: unknown, expected: unknown): void {
  if (found === expected) return;
  const texts = [found, expected].map((value) => JSON.stringify(value));
  throw new Error(`The agent responds with ${texts.join(" in place of ")}`);
}

/** Opens connections on which a request is sent repeatedly. */
export function linesTo(
  { port, path }: { readonly port: number; readonly path: string },
  request: HttpRequest,
  count: number,
): Promise<Line[]> {
  return Promise.all(Array.from({ length: count }, () => httpLine(port, { ...request, path })));
}
