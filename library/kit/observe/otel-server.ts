import {
  type Attributes,
  context,
  type Histogram,
  type Span,
  SpanKind,
  trace,
  type Tracer,
  type UpDownCounter,
} from "@opentelemetry/api";
import type { Caller, ServerCall, ServerInterceptor } from "../../runtime/server/context.js";
import type { RequestReport } from "../../runtime/server/observer.js";
import { type ContextKey, createContextKey } from "../../runtime/server/values.js";
import {
  addResponse,
  agentAttributes,
  type AgentFacts,
  errorTypeOf,
  failed,
  requestAttributes,
} from "./otel-facts.js";
import { names } from "./otel-names.js";
import { contextFrom } from "./trace-context.js";

/** Instruments of an agent. */
export interface ServerInstruments {
  readonly tracer: Tracer;
  readonly duration: Histogram;
  readonly activeStreams: UpDownCounter;
}

/** Key of the span of a call. The span ends with the response. */
export const spanKey: ContextKey<Span | undefined> = /* @__PURE__ */ createContextKey<
  Span | undefined
>(undefined, "span");

/** Creates a span for each call of an agent, and ends it with the response. */
export class ServerTracing {
  readonly #instruments: ServerInstruments;
  readonly #fixed: Attributes;
  readonly interceptor: ServerInterceptor;

  constructor(instruments: ServerInstruments, card: AgentFacts | undefined) {
    this.#instruments = instruments;
    this.#fixed = agentAttributes(card);
    this.interceptor = {
      unary: async (call, next) => {
        const span = this.#begin(call);
        const response = await context.with(trace.setSpan(context.active(), span), () =>
          next(call),
        );
        addResponse(span, response);
        return response;
      },
      stream: (call, next) => this.#stream(call, next),
    };
  }

  /**
   * Ends the span of a request, and records the duration. If the agent rejected the request,
   * creates the span first.
   */
  observe(report: RequestReport): void {
    const { caller, binding, operation, error, outcome, durationMs, requestBytes, responseBytes } =
      report;
    // Requests for the card and for unknown paths are not calls.
    if (caller === undefined || binding === undefined) return;
    const span = caller.values.get(spanKey) ?? this.#rejected(report, caller);
    span.setAttributes({
      [names.binding]: binding,
      [names.outcome]: outcome,
      [names.requestBytes]: requestBytes,
      [names.responseBytes]: responseBytes,
    });
    if (error !== undefined) failed(span, error);
    span.end();
    if (operation !== undefined && operation.streaming !== "none" && report.context !== undefined)
      this.#instruments.activeStreams.add(-1);
    this.#instruments.duration.record(durationMs / 1_000, {
      [names.operation]: operation?.name ?? names.unknownOperation,
      [names.binding]: binding,
      [names.outcome]: outcome,
      ...(error !== undefined && { [names.errorType]: errorTypeOf(error) }),
    });
  }

  async *#stream(
    call: ServerCall,
    next: (call: ServerCall) => AsyncIterable<unknown>,
  ): AsyncGenerator<unknown, void> {
    const span = this.#begin(call);
    const active = trace.setSpan(context.active(), span);
    const events = context.with(active, () => next(call)[Symbol.asyncIterator]());
    try {
      for (;;) {
        const step: IteratorResult<unknown, unknown> = await context.with(active, () =>
          events.next(),
        );
        if (step.done === true) return;
        addResponse(span, step.value);
        yield step.value;
      }
    } finally {
      await events.return?.();
    }
  }

  #begin({ name, request, context: call }: ServerCall): Span {
    // If the caller disconnected during its authentication, the request is already over and has a
    // span.
    const known = call.values.get(spanKey);
    if (known !== undefined) return known;
    const attributes = { ...this.#attributesOf(name, call.version), ...requestAttributes(request) };
    const address = call.peer?.address;
    if (address !== undefined) attributes[names.clientAddress] = address;
    const { tracer } = this.#instruments;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(call));
    call.values.set(spanKey, span);
    if (call.operation.streaming !== "none") this.#instruments.activeStreams.add(1);
    return span;
  }

  /** Creates the span of a rejected request after the request has ended. */
  #rejected({ operation, version, durationMs }: RequestReport, caller: Caller): Span {
    const name = operation?.name ?? names.unknownOperation;
    const startTime = Date.now() - durationMs;
    const attributes = this.#attributesOf(name, version);
    const options = { kind: SpanKind.SERVER, attributes, startTime };
    const span = this.#instruments.tracer.startSpan(name, options, parentOf(caller));
    caller.values.set(spanKey, span);
    return span;
  }

  #attributesOf(name: string, version: string | undefined): Attributes {
    return {
      ...this.#fixed,
      [names.operation]: name,
      ...(version !== undefined && { [names.version]: version }),
    };
  }
}

/**
 * Returns the ids of the trace and the span of a request, for logs; `undefined` for requests that
 * are not calls.
 */
export function traceIdsOf({
  caller,
}: Pick<RequestReport, "caller">):
  { readonly traceId: string; readonly spanId: string } | undefined {
  const span = caller?.values.get(spanKey);
  if (span === undefined) return undefined;
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

/**
 * Returns the trace context of a caller. If a span is already active, such as the span of an
 * instrumentation for HTTP, returns the active context.
 */
function parentOf({ headers }: Pick<Caller, "headers">): ReturnType<typeof context.active> {
  const active = context.active();
  if (trace.getSpan(active) !== undefined) return active;
  const [traceparent, tracestate] = [headers.get("traceparent"), headers.get("tracestate")];
  if (traceparent === undefined) return active;
  return contextFrom({ traceparent, ...(tracestate !== undefined && { tracestate }) }, active);
}
