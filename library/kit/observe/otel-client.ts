import {
  type Attributes,
  context,
  type Histogram,
  type Span,
  SpanKind,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Call, Interceptor } from "../../runtime/protocol/transport.js";
import {
  addResponse,
  agentAttributes,
  type AgentFacts,
  errorTypeOf,
  failed,
  requestAttributes,
} from "./otel-facts.js";
import { names } from "./otel-names.js";
import { baggageFrom, headersFrom } from "./trace-context.js";

/** Options for the interceptor of a client. */
export interface ClientTracingOptions {
  /** The card of the agent, used to set span attributes. */
  readonly card?: AgentFacts;
  /** The URL of the agent, used to set span attributes. */
  readonly url?: string | URL;
  /**
   * Whether to send the trace context of the call's span; `true` by default. Set it to `false` if
   * an instrumentation of `fetch` or gRPC already sends the trace context, because receivers may
   * reject two values.
   */
  readonly sendTraceContext?: boolean;
  /**
   * Whether to send the baggage of the active context to this agent; `false` by default, because
   * baggage may contain private data of your users.
   */
  readonly sendBaggage?: boolean;
}

/**
 * Returns an interceptor that creates a span for each call, and sends its trace context to the
 * agent.
 */
export function clientTracing(
  tracer: Tracer,
  duration: Histogram,
  options: ClientTracingOptions,
): Interceptor {
  const fixed: Attributes = { ...agentAttributes(options.card), ...addressOf(options.url) };
  const sending = <Kind extends Call>(call: Kind, active = context.active()): Kind => {
    const baggage = options.sendBaggage === true ? baggageFrom(active) : {};
    const trace = options.sendTraceContext === false ? {} : headersFrom(active);
    return { ...call, headers: { ...call.headers, ...trace, ...baggage } };
  };
  const begin = ({ name, request, headers }: Call): CallSpan => {
    const { "a2a-version": version = "" } = headers;
    const known = { [names.operation]: name, ...(version !== "" && { [names.version]: version }) };
    const attributes = { ...fixed, ...known, ...requestAttributes(request) };
    return new CallSpan(
      name,
      tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }),
      duration,
    );
  };
  return {
    async unary(call, next) {
      // The request for the card is not an operation, but is part of the trace.
      if (call.name.startsWith("GET ")) return next(sending(call));
      const span = begin(call);
      try {
        const response = await context.with(span.context, () => next(sending(call)));
        span.received(response);
        return response;
      } catch (error) {
        span.failed(error);
        throw error;
      } finally {
        span.end();
      }
    },
    async *stream(call, next) {
      const span = begin(call);
      const events = context.with(span.context, () => next(sending(call))[Symbol.asyncIterator]());
      try {
        for (;;) {
          const step: IteratorResult<unknown, unknown> = await context.with(span.context, () =>
            events.next(),
          );
          if (step.done === true) return;
          span.received(step.value);
          yield step.value;
        }
      } catch (error) {
        span.failed(error);
        throw error;
      } finally {
        span.end();
        await events.return?.();
      }
    },
  };
}

/** The span of a call. */
class CallSpan {
  readonly context = context.active();
  readonly #name: string;
  readonly #span: Span;
  readonly #duration: Histogram;
  readonly #since = performance.now();
  #error: string | undefined;

  constructor(name: string, span: Span, duration: Histogram) {
    this.#name = name;
    this.#span = span;
    this.#duration = duration;
    this.context = trace.setSpan(this.context, span);
  }

  received(response: unknown): void {
    addResponse(this.#span, response);
  }

  failed(error: unknown): void {
    this.#error = errorTypeOf(error);
    failed(this.#span, error);
  }

  end(): void {
    this.#span.end();
    this.#duration.record((performance.now() - this.#since) / 1_000, {
      [names.operation]: this.#name,
      ...(this.#error !== undefined && { [names.errorType]: this.#error }),
    });
  }
}

function addressOf(url: string | URL | undefined): Attributes {
  if (url === undefined) return {};
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === "http:" ? 80 : 443;
  return {
    [names.serverAddress]: hostname,
    [names.serverPort]: port === "" ? defaultPort : Number(port),
  };
}
