import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../../tools/agents/index.js";
import { callOf } from "../../../../tools/inspector/page/call-form.js";
import { formOf } from "../../../../tools/inspector/page/event-form.js";
import { clockText, durationText } from "../../../../tools/inspector/page/labels.js";
import {
  joined,
  periodsOf,
  totalsOf,
  type Period,
} from "../../../../tools/inspector/page/timeline-bar.js";
import { Timeline, type TimelineSources } from "../../../../tools/inspector/page/timeline.js";

const start = Date.UTC(2026, 10, 27, 10);
let count = 0;

interface Options {
  readonly atMs?: number;
  readonly durationMs?: number | undefined;
  readonly error?: string;
  readonly isAborted?: boolean;
  readonly omitted?: { readonly earlier: number; readonly tooLong: number };
}

const request = (method: string, params: object) => ({
  method: "POST",
  url: "http://a.example/",
  headers: {},
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

/** An exchange with a stream. Each event has the milliseconds since the request. */
function stream(
  [method, params]: readonly [string, object],
  events: readonly (readonly [number, object])[],
  {
    atMs = 0,
    error,
    isAborted = false,
    omitted = { earlier: 0, tooLong: 0 },
    ...rest
  }: Options = {},
): Exchange {
  const durationMs = "durationMs" in rest ? rest.durationMs : (events.at(-1)?.[0] ?? 0);
  count += 1;
  return {
    id: count,
    startedAt: start + atMs,
    request: request(method, params),
    response: {
      status: 200,
      headers: {},
      headMs: 1,
      body: "",
      events: events.map(([at, result]) => ({
        atMs: at,
        data: JSON.stringify({ jsonrpc: "2.0", id: 1, result }),
      })),
      omitted,
      bytes: 0,
      isTruncated: false,
    },
    error,
    isAborted,
    durationMs,
  };
}

/** An exchange without a stream. */
function single(call: readonly [string, object], body: object, options: Options = {}): Exchange {
  const exchange = stream(call, [], { durationMs: 10, ...options });
  if (exchange.response === undefined) throw new Error("A stream has a response");
  const response = { ...exchange.response, events: undefined, body: JSON.stringify(body) };
  return { ...exchange, response };
}

const text = (content: string) => ({
  messageId: content,
  role: "ROLE_AGENT",
  parts: [{ text: content }],
});
const time = (atMs: number) => new Date(start + atMs).toISOString();
const status = (state: string, atMs?: number, message?: object) => ({
  state: `TASK_STATE_${state}`,
  ...(atMs !== undefined && { timestamp: time(atMs) }),
  ...(message !== undefined && { message }),
});
const update = (state: string, atMs?: number, message?: object) => ({
  statusUpdate: { taskId: "t", contextId: "c", status: status(state, atMs, message) },
});
const task = (state: string, atMs?: number, more: object = {}) => ({
  task: { id: "t", contextId: "c", status: status(state, atMs), ...more },
});
const chunk = (content: string, append = true, name?: string) => ({
  artifactUpdate: {
    taskId: "t",
    contextId: "c",
    append,
    artifact: { artifactId: "a", parts: [{ text: content }], ...(name !== undefined && { name }) },
  },
});
const sent = (content: string, taskId?: string): readonly [string, object] => [
  "SendStreamingMessage",
  { message: { ...text(content), role: "ROLE_USER", ...(taskId !== undefined && { taskId }) } },
];

function entriesOf(sources: Partial<TimelineSources>): string[] {
  const timeline = new Timeline("t");
  timeline.read({ exchanges: [], deliveries: [], ...sources });
  return linesOf(timeline);
}

function linesOf({ entries }: Timeline): string[] {
  return entries.map(({ at, isEarlier, kind, title, text: content, count: times, bytes }) => {
    const about = kind === "artifact" ? ` ${times} × ${bytes} B` : times > 1 ? ` ${times} ×` : "";
    return `${isEarlier ? "before " : ""}${at - start} ${kind} ${title}${about}${content && `: ${content}`}`;
  });
}

describe("Timeline", () => {
  it("Timeline joins calls of a task: message, states, progress, chunks, question and answer", () => {
    const first = stream(sent("Write"), [
      [5, task("SUBMITTED", 4, { history: [text("Write")] })],
      [10, update("WORKING", 9)],
      [20, update("WORKING", 19, text("Searching"))],
      [30, update("INPUT_REQUIRED", 29, text("For whom?"))],
    ]);
    const second = stream(
      sent("Ada", "t"),
      [
        [2, task("INPUT_REQUIRED", 29)],
        [10, update("WORKING", 1_009)],
        [20, chunk("Té", false, "report.md")],
        [30, chunk("a")],
        [40, chunk("s")],
        [50, update("COMPLETED", 1_049, text("Done"))],
        [51, { task: { id: "t", status: status("COMPLETED", 1_049, text("Done")) } }],
      ],
      { atMs: 1_000 },
    );
    expect(entriesOf({ exchanges: [first, second] })).toEqual([
      "0 message You: Write",
      "4 state submitted",
      "10 state working",
      "20 progress Progress: Searching",
      "30 state input required: For whom?",
      "1000 message You: Ada",
      "1010 state working",
      "1020 artifact report.md 3 × 5 B",
      "1050 state completed: Done",
    ]);
  });

  it("Timeline reads 0.3, and tasks of agents without times", () => {
    const ids = { taskId: "t", contextId: "c" };
    const message = {
      kind: "message",
      messageId: "m",
      role: "user",
      parts: [{ kind: "text", text: "Hi" }],
    };
    const at = (state: string) => ({
      kind: "status-update",
      ...ids,
      final: false,
      status: { state },
    });
    const first = stream(
      ["message/stream", { message }],
      [
        [1, { kind: "task", id: "t", contextId: "c", status: { state: "submitted" } }],
        [2, at("working")],
        [3, at("input-required")],
      ],
    );
    const answer = { ...message, messageId: "m2", taskId: "t" };
    const second = stream(
      ["message/stream", { message: answer }],
      [
        [1, at("working")],
        [2, at("completed")],
      ],
      { atMs: 10 },
    );
    expect(entriesOf({ exchanges: [first, second] })).toEqual([
      "0 message You: Hi",
      "1 state submitted",
      "2 state working",
      "3 state input required",
      "10 message You: Hi",
      "11 state working",
      "12 state completed",
    ]);
  });

  it("Timeline has each event once if two streams report it", () => {
    const first = stream(sent("Write"), [
      [5, task("WORKING", 4)],
      [50, chunk("one")],
      [60, chunk("two")],
      [70, update("COMPLETED", 69)],
    ]);
    const second = stream(
      ["SubscribeToTask", { id: "t" }],
      [
        [2, task("WORKING", 4)],
        [11, chunk("one")],
        [21, chunk("two")],
        [31, update("COMPLETED", 69)],
      ],
      { atMs: 40, durationMs: 31 },
    );
    expect(entriesOf({ exchanges: [first, second] })).toEqual([
      "0 message You: Write",
      "4 state working",
      "40 call You followed the task in a new stream",
      "50 artifact a 2 × 6 B",
      "70 state completed",
    ]);
  });

  it("Timeline reads a cancellation, failed calls, and webhooks with their requests", () => {
    const first = stream(sent("Write"), [[5, task("WORKING", 4)]], { durationMs: undefined });
    const add = single(
      ["CreateTaskPushNotificationConfig", { taskId: "t", url: "http://h/" }],
      { result: { id: "w" } },
      { atMs: 100 },
    );
    const refused = single(
      ["CancelTask", { id: "t" }],
      { error: { code: -32_002, message: "Not now" } },
      { atMs: 200 },
    );
    const cancel = single(
      ["CancelTask", { id: "t" }],
      { result: { id: "t", status: status("CANCELED", 305) } },
      { atMs: 300 },
    );
    const remove = single(
      ["DeleteTaskPushNotificationConfig", { taskId: "t", id: "w" }],
      { result: {} },
      { atMs: 400 },
    );
    const other = single(
      ["CancelTask", { id: "other" }],
      { result: { id: "other", status: status("CANCELED", 405) } },
      { atMs: 400 },
    );
    const deliveries = [
      { at: start + 150, form: formOf(JSON.stringify(chunk("one", false))) },
      { at: start + 151, form: formOf(JSON.stringify(chunk("two"))) },
      { at: start + 306, form: formOf(JSON.stringify(update("CANCELED", 305))) },
      { at: start + 307, form: formOf("no JSON") },
    ];
    const exchanges = [first, add, refused, cancel, remove, other];
    expect(entriesOf({ exchanges, deliveries })).toEqual([
      "0 message You: Write",
      "4 state working",
      "110 webhook Webhook registered: http://h/",
      "150 webhook Webhook received 2 ×: artifact a",
      "200 call You canceled the task",
      "210 call Cancellation failed: error -32002: Not now",
      "300 call You canceled the task",
      "306 state canceled",
      "306 webhook Webhook received: status CANCELED",
      "410 webhook Webhook deleted: w",
    ]);
  });

  it("Timeline of a task that the page only reads has its history without times", () => {
    const history = [{ ...text("Write"), role: "ROLE_USER" }, text("For whom?")];
    const artifacts = [{ artifactId: "a", name: "report.md", parts: [{ text: "Tea" }] }];
    const result = { id: "t", status: status("COMPLETED", -5_000), history, artifacts };
    expect(entriesOf({ exchanges: [single(["GetTask", { id: "t" }], { result })] })).toEqual([
      "before -5000 message Message from the user: Write",
      "before -5000 message Message from the agent: For whom?",
      "before -5000 artifact report.md 1 × 3 B",
      "-5000 state completed",
    ]);
  });

  it("Timeline reads events as they arrive, in steps, and counts the events that are left out", () => {
    const events = Array.from(
      { length: 5_000 },
      (_, index) => [index + 1, chunk("12 bytes now")] as const,
    );
    const whole = stream(sent("Write"), [[0, task("WORKING", 0)], ...events], {
      durationMs: undefined,
      omitted: { earlier: 2, tooLong: 1 },
    });
    const timeline = new Timeline("t");
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      let reads = 0;
      isDone = timeline.read({ exchanges: [whole], deliveries: [] }, () => (reads += 1) > 1_000);
    }
    expect(steps).toBe(6);
    expect(timeline.read({ exchanges: [whole], deliveries: [] })).toBe(true);
    expect(linesOf(timeline)).toEqual([
      "0 message You: Write",
      "0 state working",
      "1 artifact a 5000 × 60000 B",
    ]);
    expect(timeline.omitted).toEqual({ earlier: 2, tooLong: 1 });
  });

  it("Timeline joins the versions of an artifact that the agent replaces", () => {
    const events = ["a", "ab", "abc"].map((text, at) => [at, chunk(text, false)] as const);
    expect(entriesOf({ exchanges: [stream(sent("Write"), events)] })).toEqual([
      "0 message You: Write",
      "0 artifact a 1 × 1 B",
      "1 artifact a 2 × 3 B: The agent has replaced the artifact",
    ]);
  });

  it("Timeline tells whether a call has failed, or the user has ended it", () => {
    const lastOf = (options: Options) =>
      entriesOf({
        exchanges: [stream(sent("Write", "t"), [[1, task("WORKING", 0)]], options)],
      }).at(-1);
    expect(lastOf({ error: "The connection was aborted by the peer" })).toBe(
      "1 call Message failed: The connection was aborted by the peer",
    );
    expect(lastOf({ error: "The reader has left", isAborted: true })).toBe(
      "1 call You ended the call",
    );
  });

  it("Timeline forgets the calls that the recorder has deleted", () => {
    const old = stream(sent("Write", "t"), [[1, task("WORKING", 0)]], {
      durationMs: undefined,
      omitted: { earlier: 3, tooLong: 0 },
    });
    const exchanges = [old];
    const timeline = new Timeline("t");
    timeline.read({ exchanges, deliveries: [] });
    expect(timeline.omitted.earlier).toBe(3);
    const events = [[1, chunk("one")] as const];
    exchanges.splice(0, 1, stream(["SubscribeToTask", { id: "t" }], events, { atMs: 10 }));
    timeline.read({ exchanges, deliveries: [] });
    expect(linesOf(timeline).at(-1)).toBe("11 artifact a 1 × 3 B");
    expect(timeline.omitted.earlier).toBe(0);
  });

  it("Timeline has all messages of agents that repeat an id", () => {
    const history = ["Write", "For whom?", "Ada"].map((each) => ({ ...text(each), messageId: "" }));
    const result = { id: "t", status: status("COMPLETED", 5), history };
    expect(entriesOf({ exchanges: [single(["GetTask", { id: "t" }], { result })] })).toEqual([
      "before 5 message Message from the agent: Write",
      "before 5 message Message from the agent: For whom?",
      "before 5 message Message from the agent: Ada",
      "5 state completed",
    ]);
  });

  it("Timeline keeps at most 10,000 entries", () => {
    const events = Array.from(
      { length: 10_100 },
      (_, index) => [index, update("WORKING", index, text(`Step ${index}`))] as const,
    );
    const timeline = new Timeline("t");
    timeline.read({ exchanges: [stream(sent("Write", "t"), events)], deliveries: [] });
    expect(timeline.entries).toHaveLength(10_000);
    expect(timeline.deleted).toBe(101);
  });
});

describe("callOf", () => {
  const at = (method: string, path: string, body?: object) =>
    callOf({
      method,
      url: `http://a.example/base${path}`,
      headers: {},
      body: body && JSON.stringify(body),
    });

  it("callOf reads calls over HTTP", () => {
    expect(
      at("POST", "/message:stream", { message: { ...text("Hi"), taskId: "t" } }),
    ).toMatchObject({ kind: "send", taskId: "t" });
    expect(at("GET", "/tasks/a%2Fb")).toMatchObject({ kind: "get", taskId: "a/b" });
    expect(at("POST", "/v1/tasks/t:cancel")).toMatchObject({ kind: "cancel", taskId: "t" });
    expect(at("GET", "/tasks/t:subscribe")).toMatchObject({ kind: "subscribe", taskId: "t" });
    expect(at("POST", "/tasks/t/pushNotificationConfigs", { url: "http://h/" })).toMatchObject({
      kind: "addWebhook",
      taskId: "t",
      webhook: "http://h/",
    });
    expect(at("DELETE", "/tasks/t/pushNotificationConfigs/w")).toMatchObject({
      kind: "deleteWebhook",
      taskId: "t",
      webhook: "w",
    });
    for (const path of ["/tasks", "/.well-known/agent-card.json", "/tasks/%ZZ:stop"])
      expect(at("GET", path)).toBeUndefined();
  });

  it("callOf reads the methods of 0.3", () => {
    const webhook = { pushNotificationConfig: { url: "http://h/" } };
    const call = (method: string, params: object) => callOf(request(method, params));
    expect(call("tasks/resubscribe", { id: "t" })).toMatchObject({
      kind: "subscribe",
      taskId: "t",
    });
    expect(call("tasks/pushNotificationConfig/set", { taskId: "t", ...webhook })).toMatchObject({
      kind: "addWebhook",
      taskId: "t",
      webhook: "http://h/",
    });
    expect(
      call("tasks/pushNotificationConfig/delete", { id: "t", pushNotificationConfigId: "w" }),
    ).toMatchObject({ kind: "deleteWebhook", taskId: "t", webhook: "w" });
    expect(call("message/send", { message: text("Hi"), configuration: webhook })).toMatchObject({
      kind: "send",
      webhook: "http://h/",
    });
    expect(call("tasks/list", {})).toBeUndefined();
  });
});

describe("the periods of a timeline", () => {
  const period = (state: string, ms: number | undefined): Period => ({
    state,
    tone: "",
    ms,
    isOpen: false,
  });

  it("periodsOf returns the time in each state, until now for a running task", () => {
    const timeline = new Timeline("t");
    const running = stream(
      sent("Write"),
      [
        [5, task("SUBMITTED", 4)],
        [10, update("WORKING", 9)],
      ],
      { durationMs: undefined },
    );
    timeline.read({ exchanges: [running], deliveries: [] });
    const states = [...periodsOf(timeline.entries, start + 100).values()];
    expect(states.map(({ state, ms, isOpen }) => [state, ms, isOpen])).toEqual([
      ["submitted", 6, false],
      ["working", 90, true],
    ]);
  });

  it("totalsOf adds the times of a state", () => {
    const totals = totalsOf([
      period("working", 5),
      period("asks", 3),
      period("working", 2),
      period("done", undefined),
    ]);
    expect(totals.map(({ state, ms }) => [state, ms])).toEqual([
      ["working", 7],
      ["asks", 3],
      ["done", undefined],
    ]);
  });

  it("joined limits the number of periods, and keeps their sum and the end", () => {
    const many = Array.from({ length: 999 }, (_, index) =>
      period(index % 2 === 0 ? "working" : "asks", 1 + (index % 2)),
    );
    const some = joined([...many, period("done", undefined)], 60);
    expect(some.length).toBeLessThanOrEqual(60);
    expect(some.at(-1)).toMatchObject({ state: "done", ms: undefined });
    expect(some[0]).toMatchObject({ state: "asks" });
    expect(joined(many, 1_000)).toBe(many);
  });
});

describe("the texts of times", () => {
  it("durationText has the units of the duration", () => {
    const texts = [5, 1_234, 59_400, 61_000, 3_660_000, 90_000_000].map(durationText);
    expect(texts).toEqual(["5 ms", "1.23 s", "59.40 s", "1 min 1 s", "1 h 1 min", "1 d 1 h"]);
  });

  it("clockText has the date of times that are not today", () => {
    const now = new Date(2026, 10, 27, 10, 3, 4).getTime();
    expect(clockText(now, now)).toBe("10:03:04");
    expect(clockText(now - 86_400_000, now)).toBe("2026-11-26 10:03:04");
  });
});
