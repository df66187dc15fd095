import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { once } from "node:events";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openTelemetry, traceIdsOf, type Telemetry } from "a2a-codegen-runtime/otel";
import { grpc } from "../../../generated/1.0/client/grpc.js";
import {
  connect,
  jsonRpc,
  rest,
  TaskNotFoundError,
  type Message,
  type ServerInterceptor,
} from "../../../generated/1.0/index.js";
import { completed, taskService, textOf, working } from "../../../generated/1.0/kit/index.js";
import { serve } from "../../support/http.js";
import { call } from "../../support/raw.js";
import { tracedAgent } from "./traced.js";
import { aMessage } from "../../support/messages.js";

const transports = { JSONRPC: jsonRpc(), "HTTP+JSON": rest(), GRPC: grpc() };
const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;
const message: Message = aMessage("secret text", { contextId: "c-1" });
const task = { id: "t-1", status: { state: "TASK_STATE_WORKING" } } as const;

let spans: InMemorySpanExporter;
let telemetry: Telemetry;
let measured: (name: string) => Promise<unknown>;

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  spans = new InMemorySpanExporter();
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spans)],
  });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metrics,
    exportIntervalMillis: 100_000,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const card = { name: "Tested", description: "Is tested.", version: "7" };
  telemetry = openTelemetry({ card, tracerProvider, meterProvider });
  measured = async (name) => {
    metrics.reset();
    await reader.forceFlush();
    const all = metrics
      .getMetrics()
      .flatMap((each) => each.scopeMetrics.flatMap((scope) => scope.metrics));
    return all
      .find(({ descriptor }) => descriptor.name === name)
      ?.dataPoints.map(({ value }) => value);
  };
  onTestFinished(async () => {
    context.disable();
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
  });
});

/** Waits until an agent has ended the span of a call. */
async function ended(count = 2) {
  await vi.waitFor(() => {
    expect(spans.getFinishedSpans()).toHaveLength(count);
  });
  return spans.getFinishedSpans();
}

async function clientOf(
  { card }: Awaited<ReturnType<typeof tracedAgent>>,
  binding: (typeof bindings)[number],
  options: Parameters<Telemetry["client"]>[0] = {},
) {
  const client = await connect(card, {
    transports: [transports[binding]],
    interceptors: [telemetry.client({ card, ...options })],
  });
  onTestFinished(() => {
    client.close();
  });
  return client;
}

describe.each(bindings)("a call over %s", (binding) => {
  it("a call has a span of the client and, in its trace, a span of the server", async () => {
    const agent = await tracedAgent(
      { getTask: ({ id }) => ({ ...task, id, contextId: "c-9" }) },
      telemetry,
    );
    const client = await clientOf(agent, binding, { url: agent.url });
    await client.getTask({ id: "t-1" });
    const [one, other] = await ended();
    const [server, mine] = one?.kind === SpanKind.SERVER ? [one, other] : [other, one];
    expect(mine?.name).toBe("GetTask");
    expect(mine?.attributes).toMatchObject({
      "a2a.method.name": "GetTask",
      "a2a.protocol.version": "1.0",
      "a2a.task.id": "t-1",
      "a2a.task.state": "TASK_STATE_WORKING",
      "gen_ai.conversation.id": "c-9",
      "gen_ai.agent.name": "Observed",
      "server.address": "127.0.0.1",
    });
    expect(server?.name).toBe("GetTask");
    expect(server?.attributes).toMatchObject({
      "a2a.method.name": "GetTask",
      "a2a.protocol.binding": binding,
      "a2a.outcome": "ok",
      "gen_ai.agent.name": "Tested",
      "gen_ai.agent.version": "7",
      "client.address": "127.0.0.1",
    });
    expect(server?.parentSpanContext?.spanId).toBe(mine?.spanContext().spanId);
    expect(server?.spanContext().traceId).toBe(mine?.spanContext().traceId);
  });

  it("a call marks both spans if the service throws a protocol error", async () => {
    const agent = await tracedAgent(
      {
        getTask: () => {
          throw new TaskNotFoundError();
        },
      },
      telemetry,
    );
    const client = await clientOf(agent, binding);
    await expect(client.getTask({ id: "t-1" })).rejects.toThrow(TaskNotFoundError);
    const found = await ended();
    expect(
      found.map(({ status: { code }, attributes }) => [code, attributes["error.type"]]),
    ).toEqual([
      [2, "-32001"],
      [2, "-32001"],
    ]);
  });

  it("a call has spans until the end of its stream, and the turn between them", async () => {
    const agent = await tracedAgent(
      taskService({
        tracing: telemetry.tasks,
        async *run({ message }) {
          const seen = trace.getActiveSpan()?.spanContext().spanId ?? "none";
          yield working(textOf(message));
          return completed(
            `${String(seen === trace.getActiveSpan()?.spanContext().spanId)} ${seen}`,
          );
        },
      }),
      telemetry,
    );
    const client = await clientOf(agent, binding);
    const states: unknown[] = [];
    for await (const event of client.sendStreamingMessage({ message }))
      states.push(event.statusUpdate?.status.message?.parts[0]?.text);
    const found = await ended(3);
    const turn = found.find(({ name }) => name === "invoke_agent Tested");
    const server = found.find(({ kind }) => kind === SpanKind.SERVER);
    expect(states.at(-1)).toBe(`true ${turn?.spanContext().spanId ?? ""}`);
    expect(turn?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
    expect(turn?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": "c-1",
      "a2a.task.state": "TASK_STATE_COMPLETED",
    });
    expect(await measured("a2a.server.active_streams")).toEqual([0]);
    expect(await measured("a2a.server.active_turns")).toEqual([0]);
    expect(await measured("a2a.server.request.duration")).toMatchObject([{ count: 1 }]);
    expect(await measured("a2a.client.request.duration")).toMatchObject([{ count: 1 }]);
    // Content of messages is private.
    expect(JSON.stringify(found.map(({ attributes }) => attributes))).not.toContain("secret text");
  });

  it("a call sends baggage only if the client sets the option", async () => {
    const seen: unknown[] = [];
    const agent = await tracedAgent(
      {
        getTask: (_, { headers }) => {
          seen.push(headers.get("baggage"));
          return task;
        },
      },
      telemetry,
    );
    const [silent, open] = [
      await clientOf(agent, binding),
      await clientOf(agent, binding, { sendBaggage: true }),
    ];
    const baggage = propagation.createBaggage({ user: { value: "ada l" } });
    await context.with(propagation.setBaggage(context.active(), baggage), async () => {
      await silent.getTask({ id: "t-1" });
      await open.getTask({ id: "t-1" });
    });
    expect(seen).toEqual([undefined, "user=ada%20l"]);
  });
});

describe("a span of an agent", () => {
  it("a span of an agent ends if the caller leaves while the agent authenticates it", async () => {
    let started = 0;
    const counter = new (class extends SimpleSpanProcessor {
      override onStart() {
        started += 1;
      }
    })(spans);
    const tracerProvider = new NodeTracerProvider({ spanProcessors: [counter] });
    const own = openTelemetry({ card: { name: "Tested" }, tracerProvider });
    const left = new AbortController();
    let hasAuthenticated: (() => void) | undefined;
    const authenticated = new Promise<void>((resolve) => (hasAuthenticated = resolve));
    const service = { getTask: async () => task };
    const { url } = await tracedAgent(service, own, {
      async authenticate({ signal }) {
        left.abort();
        await once(signal, "abort");
        await ended(1);
        setImmediate(() => hasAuthenticated?.());
        return "ada";
      },
    });
    const headers = { "a2a-version": "1.0" };
    await expect(fetch(`${url}tasks/t-1`, { headers, signal: left.signal })).rejects.toThrow();
    await authenticated;
    expect([started, (await ended(1)).length]).toEqual([1, 1]);
  });

  it("a span is exported for a request that the agent rejects before its operation is known", async () => {
    const agent = await tracedAgent({ getTask: () => task }, telemetry);
    await call(agent.url, "Unknown", {}, { "a2a-version": "1.0" });
    const [span] = await ended(1);
    expect(span?.name).toBe("_OTHER");
    expect(span?.attributes).toMatchObject({ "a2a.outcome": "refused", "error.type": "-32601" });
  });

  it.each([
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
  ])("a span of an agent continues the trace of a valid header: %s", async (traceparent) => {
    const agent = await tracedAgent({ getTask: () => task }, telemetry);
    await call(
      agent.url,
      "GetTask",
      { id: "t" },
      { "a2a-version": "1.0", traceparent, tracestate: "a=1" },
    );
    const [span] = await ended(1);
    expect(span?.spanContext().traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(span?.spanContext().traceState?.serialize()).toBe("a=1");
  });

  it.each([
    "",
    "x",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
  ])("a span of an agent begins a trace if the header is invalid: %s", async (traceparent) => {
    const agent = await tracedAgent({ getTask: () => task }, telemetry);
    await call(agent.url, "GetTask", { id: "t" }, { "a2a-version": "1.0", traceparent });
    const [span] = await ended(1);
    expect(span?.parentSpanContext).toBeUndefined();
  });

  it("a span of an agent is a child of the active span, such as a span of an instrumentation of HTTP", async () => {
    const agent = await tracedAgent({ getTask: () => task }, telemetry);
    const client = await clientOf(agent, "JSONRPC");
    const outer = new NodeTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(spans)],
    }).getTracer("http");
    await outer.startActiveSpan("outer", async (span) => {
      await client.getTask({ id: "t-1" });
      span.end();
    });
    const found = await ended(3);
    expect(new Set(found.map((span) => span.spanContext().traceId)).size).toBe(1);
  });
});

it("your own interceptors run inside the span, and your own observer gets its ids", async () => {
  const found: unknown[] = [];
  const own = telemetry.agent<ServerInterceptor>({
    interceptors: [
      {
        unary(call, next) {
          found.push(trace.getActiveSpan()?.spanContext().spanId);
          return next(call);
        },
      },
    ],
    observe: (report) => found.push(traceIdsOf(report)),
  });
  const agent = await tracedAgent({ getTask: () => task }, telemetry, own);
  await call(agent.url, "GetTask", { id: "t" }, { "a2a-version": "1.0" });
  await call(agent.url, "Unknown", {}, { "a2a-version": "1.0" });
  const [accepted, rejected] = (await ended(2)).map((span) => span.spanContext());
  expect(found).toEqual([
    accepted?.spanId,
    { traceId: accepted?.traceId, spanId: accepted?.spanId },
    { traceId: rejected?.traceId, spanId: rejected?.spanId },
  ]);
});

it("a failed post to a webhook has a span with its status", async () => {
  const { url } = await serve((_, response) => response.writeHead(500).end());
  const service = taskService({
    tracing: telemetry.tasks,
    push: { allowPrivateAddresses: true, maxAttempts: 1 },
    *run() {
      yield working();
      return completed();
    },
  });
  const agent = await tracedAgent(service, telemetry, { onError: () => undefined });
  onTestFinished(() => service.close());
  const client = await clientOf(agent, "JSONRPC");
  await client.sendMessage({ message, configuration: { taskPushNotificationConfig: { url } } });
  const found = await ended(4);
  expect(found.find(({ name }) => name === "a2a.push_notification")).toMatchObject({
    status: { code: 2 },
    attributes: { "http.response.status_code": 500, "server.address": "127.0.0.1" },
  });
});
