import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it, onTestFinished, vi } from "vitest";
import { connect, fetchHandler, createAgent } from "../../../generated/1.0/index.js";
import { completed, taskService, working } from "../../../generated/1.0/kit/index.js";
import { cardAt } from "./agent.js";
import { processOf, startCollector, tracedAgent, type Span } from "./traced.js";
import { aMessage } from "../../support/messages.js";

const request = {
  message: aMessage("hello"),
};
const service = taskService({
  *run() {
    yield working();
    return completed();
  },
});

/** A request of Node's `fetch`, as its diagnostics channels pass it. */
interface FetchRequest {
  readonly origin: string;
  addHeader(name: string, value: string): void;
}

/**
 * Does what the instrumentation of undici does: creates a span for each `fetch`, and appends its
 * trace context.
 */
function instrumentFetch(origin: string) {
  const tracer = trace.getTracer("undici");
  const spans = new WeakMap<object, ReturnType<typeof tracer.startSpan>>();
  const created = (event: unknown) => {
    const { request } = event as { readonly request: FetchRequest };
    if (request.origin !== origin) return;
    const span = tracer.startSpan("POST", { kind: SpanKind.CLIENT });
    spans.set(request, span);
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
  };
  const ended = (event: unknown): void =>
    spans.get((event as { readonly request: object }).request)?.end();
  subscribe("undici:request:create", created);
  subscribe("undici:request:trailers", ended);
  onTestFinished(() => {
    unsubscribe("undici:request:create", created);
    unsubscribe("undici:request:trailers", ended);
  });
}

/**
 * Returns the spans of a call and its request, in the order in which each is the parent of the
 * next.
 */
async function chainOf(spans: readonly Span[]) {
  const found = (name: string, kind: number) =>
    spans.find((span) => span.name === name && span.kind === kind);
  await vi.waitFor(() => {
    expect([found("SendMessage", 3), found("POST", 3), found("SendMessage", 2)]).not.toContain(
      undefined,
    );
  });
  const [client, post, server] = [
    found("SendMessage", 3),
    found("POST", 3),
    found("SendMessage", 2),
  ];
  expect(new Set([client?.traceId, post?.traceId, server?.traceId]).size).toBe(1);
  return [post?.parentSpanId === client?.spanId, server?.parentSpanId === post?.spanId].map(String);
}

it.each([[true], [false]])(
  "client, request and agent share a trace with an instrumented fetch, with sendTraceContext %s",
  async (sendTraceContext) => {
    const collector = await startCollector();
    const telemetry = processOf("both", collector.url);
    const values: (string | undefined)[] = [];
    const agent = await tracedAgent(service, telemetry, {
      authenticate({ headers }) {
        values.push(headers.get("traceparent"));
        return "ada";
      },
    });
    instrumentFetch(new URL(agent.url).origin);
    const interceptors = [telemetry.client({ card: agent.card, sendTraceContext })];
    const client = await connect(agent.card, { interceptors });
    await client.sendMessage(request);
    expect(await chainOf(collector.spans)).toEqual(["true", "true"]);
    expect(values.map((value) => value?.split(",").length)).toEqual([sendTraceContext ? 2 : 1]);
  },
);

const [one, other] = ["0af7651916cd43dd8448eb211c80319c", "12345678901234567890123456789012"];

it.each([
  [`00-${one}-b7ad6b7169203331-01, 00-${one}-00f067aa0ba902b7-01`, [one, "00f067aa0ba902b7"]],
  [`00-${one}-b7ad6b7169203331-01, broken`, [one, "b7ad6b7169203331"]],
  [`00-${one}-b7ad6b7169203331-01, 00-${other}-00f067aa0ba902b7-01`, []],
  ["broken, broken", []],
])(
  "the header traceparent %s continues a trace only if its values agree",
  async (traceparent, [traceId, spanId]) => {
    const collector = await startCollector();
    const telemetry = processOf("agent", collector.url);
    const card = cardAt("http://127.0.0.1:1", "http://127.0.0.1:1");
    const handle = fetchHandler(createAgent({ card, service, ...telemetry.agent() }));
    const fetch = (url: string, init: RequestInit) => handle(new Request(url, init));
    const client = await connect(card, { fetch, headers: { traceparent } });
    await client.sendMessage(request);
    await vi.waitFor(() => {
      expect(collector.spans.some(({ name }) => name === "SendMessage")).toBe(true);
    });
    const [span] = collector.spans;
    expect(span?.parentSpanId).toBe(spanId);
    if (traceId !== undefined) expect(span?.traceId).toBe(traceId);
    else expect([one, other]).not.toContain(span?.traceId);
  },
);
