import { context, propagation, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { onTestFinished } from "vitest";
import { openTelemetry, type Telemetry } from "a2a-codegen-runtime/otel";
import { createAgent, type A2AService, type AgentOptions } from "../../../generated/1.0/index.js";
import { grpcService } from "../../../generated/1.0/server/grpc.js";
import { nodeListener } from "../../../generated/1.0/server/node.js";
import { json, serve } from "../../support/http.js";
import { cardAt } from "./agent.js";
import { openPorts } from "../../support/ports.js";

/** A span as a collector has received it. */
export interface Span {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly start: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
}

type Pairs = readonly { readonly key: string; readonly value: Value }[];

interface RawSpan extends Pick<Span, "name" | "kind" | "traceId" | "spanId" | "parentSpanId"> {
  readonly startTimeUnixNano: string;
  readonly attributes?: Pairs;
  readonly status?: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

const valuesOf = (pairs: Pairs = []): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a collector of OTLP over HTTP, and returns the spans that it has received. */
export async function startCollector(): Promise<{ readonly url: string; readonly spans: Span[] }> {
  const spans: Span[] = [];
  const { url } = await serve(({ body }, response) => {
    // Only the exporter posts here.
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
      for (const raw of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...raw,
          service: String(valuesOf(resource.attributes)["service.name"]),
          start: BigInt(raw.startTimeUnixNano),
          attributes: valuesOf(raw.attributes),
          failed: raw.status?.code === 2,
        });
    json(response, {});
  });
  return { url: `${url}/v1/traces`, spans };
}

/** Returns the telemetry of a process that exports its spans to a collector. */
export function processOf(name: string, collector: string, card = { name }): Telemetry {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": name }),
    spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: collector }))],
  });
  // The context manager and the propagator are global: the processes of a test share them.
  provider.register();
  onTestFinished(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
    propagation.disable();
  });
  return openTelemetry({ card, tracerProvider: provider });
}

/** Starts a traced agent over all transports, which stops with the test. */
export async function tracedAgent(
  service: AgentOptions["service"] | A2AService,
  telemetry: Telemetry,
  options: Partial<Omit<AgentOptions, "service" | "card">> = {},
): Promise<{ readonly url: string; readonly card: ReturnType<typeof cardAt> }> {
  const { url, grpcUrl, serve } = await openPorts();
  const card = cardAt(url, grpcUrl);
  const agent = createAgent({ card, service, ...telemetry.agent(), ...options });
  serve({ nodeListener, grpcService }, agent);
  return { url, card };
}

const kinds = ["", "internal", "server", "client"];

/** Returns the spans of a trace as a tree, in the order of their beginning. */
export function treeOf(spans: readonly Span[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const sorted = [...spans].sort((a, b) => (a.start < b.start ? -1 : 1));
  const parentOf = ({ parentSpanId = "" }: Span) => parentSpanId;
  const lines: string[] = [];
  const lost = sorted.filter((span) => parentOf(span) !== "" && !known.has(parentOf(span)));
  const add = (span: Span, depth: number) => {
    const { "a2a.task.state": found } = span.attributes;
    const state = typeof found === "string" ? found.replace("TASK_STATE_", "") : "";
    const notes = [
      span.attributes["a2a.turn.resumed"] === true && "resumed",
      state.toLowerCase(),
    ].filter(Boolean);
    const about = notes.length === 0 ? "" : `, ${notes.join(", ")}`;
    lines.push(
      `${"  ".repeat(depth)}${span.name} (${span.service}, ${kinds[span.kind] ?? ""}${about})`,
    );
    for (const child of sorted) if (parentOf(child) === span.spanId) add(child, depth + 1);
  };
  for (const span of sorted) if (parentOf(span) === "") add(span, 0);
  if (lost.length > 0) lines.push("(span of the killed process)");
  for (const span of lost) add(span, 1);
  return lines.join("\n");
}
