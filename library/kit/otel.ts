import { metrics, type MeterProvider, trace, type TracerProvider } from "@opentelemetry/api";
import type { Interceptor } from "../runtime/protocol/transport.js";
import type { ServerInterceptor } from "../runtime/server/context.js";
import type { RequestReport } from "../runtime/server/observer.js";
import { clientTracing, type ClientTracingOptions } from "./observe/otel-client.js";
import type { AgentFacts } from "./observe/otel-facts.js";
import { durationBuckets, names } from "./observe/otel-names.js";
import { ServerTracing } from "./observe/otel-server.js";
import { taskTracing } from "./observe/otel-tasks.js";
import type { Tracing } from "./observe/tracing.js";

export { traceIdsOf } from "./observe/otel-server.js";
export { names as telemetryNames } from "./observe/otel-names.js";
export type { AgentFacts, ClientTracingOptions };

/** Options for {@link openTelemetry}. */
export interface TelemetryOptions {
  /** Your agent's card, used to set span attributes. */
  readonly card?: AgentFacts;
  /** Default: the global provider. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global provider. */
  readonly meterProvider?: MeterProvider;
}

/** Options of `createAgent` that trace an agent. */
export interface AgentTelemetry<Each, Report> {
  readonly interceptors: readonly (ServerInterceptor | Each)[];
  readonly observe: (report: RequestReport & Report) => void;
}

/** Your own interceptors and observer for a traced agent. */
export interface OwnHooks<Each, Report> {
  readonly interceptors?: readonly Each[];
  readonly observe?: (report: Report) => unknown;
}

/** Functions and options that connect agents, clients and task services to OpenTelemetry. */
export interface Telemetry {
  /**
   * Returns options for `createAgent`, which create a span and a metric for each request:
   * `createAgent({ card, service, ...telemetry.agent() })`. Your own interceptors run inside the
   * span.
   */
  agent<Each = never, Report = RequestReport>(
    own?: OwnHooks<Each, Report>,
  ): AgentTelemetry<Each, Report>;
  /** Value for the option `tracing` of `taskService`. */
  readonly tasks: Tracing;
  /**
   * Returns an interceptor for one client, which creates a span for each call and sends its trace
   * context.
   */
  client(options?: ClientTracingOptions): Interceptor;
}

/** Name of the instrumentation in traces and metrics. */
const scopeName = "a2a-codegen";

/**
 * Connects agents, clients and task services to OpenTelemetry. A trace continues across all
 * transports, into webhooks, and into turns, even turns in other processes. Baggage is only sent if
 * a client sets `sendBaggage`. Register the OpenTelemetry SDK before you call this function.
 * Without the SDK, nothing is recorded.
 *
 * @example
 * const telemetry = openTelemetry({ card });
 * const service = taskService({ run, tracing: telemetry.tasks });
 * const agent = createAgent({ card, service, ...telemetry.agent() });
 * const client = await connect(url, { interceptors: [telemetry.client()] });
 */
export function openTelemetry({
  card,
  tracerProvider,
  meterProvider,
}: TelemetryOptions = {}): Telemetry {
  const tracer = (tracerProvider ?? trace).getTracer(scopeName);
  const meter = (meterProvider ?? metrics).getMeter(scopeName);
  const seconds = { unit: "s", advice: { explicitBucketBoundaries: durationBuckets } };
  const duration = meter.createHistogram(names.serverDuration, seconds);
  const clientDuration = meter.createHistogram(names.clientDuration, seconds);
  const activeStreams = meter.createUpDownCounter(names.activeStreams, { unit: "{stream}" });
  const activeTurns = meter.createUpDownCounter(names.activeTurns, { unit: "{turn}" });
  return {
    agent({ interceptors = [], observe } = {}) {
      const server = new ServerTracing({ tracer, duration, activeStreams }, card);
      return {
        interceptors: [server.interceptor, ...interceptors],
        observe(report) {
          server.observe(report);
          return observe?.(report);
        },
      };
    },
    tasks: taskTracing(tracer, activeTurns, card),
    client: (options = {}) => clientTracing(tracer, clientDuration, options),
  };
}
