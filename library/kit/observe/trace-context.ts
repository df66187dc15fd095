import {
  context,
  createTraceState,
  isSpanContextValid,
  propagation,
  trace,
  type Context,
  type SpanContext,
} from "@opentelemetry/api";
import type { TraceContext } from "../store.js";

/** Form of the header `traceparent`. Later versions may append further fields. */
const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Maximum length of `tracestate`. Longer states are dropped, because the state is stored with each
 * message.
 */
const maxStateLength = 512;

/**
 * Returns the trace context of a span in the format of W3C Trace Context; `undefined` if the span
 * is invalid.
 */
export function traceContextOf(span: SpanContext | undefined): TraceContext | undefined {
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  const traceparent = `00-${span.traceId}-${span.spanId}-${flags}`;
  const tracestate = span.traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/**
 * Returns the last value of a `traceparent` header. An instrumentation of `fetch` appends a value
 * to the value of a client that sends one itself: `A, B`. The span of the last value is a
 * descendant of the others. If the values belong to different traces, returns `undefined`, because
 * W3C Trace Context then requires a new trace.
 */
function lastOf(traceparent: string): RegExpExecArray | undefined {
  const found = traceparent.split(",").flatMap((value) => {
    const parts = form.exec(value.trim());
    return parts === null ? [] : [parts];
  });
  const last = found.at(-1);
  return found.every(([, , traceId]) => traceId === last?.[2]) ? last : undefined;
}

/**
 * Returns `base` with the remote span of a trace context as its active span. If the trace context
 * is invalid, returns `base` unchanged.
 */
export function contextFrom(
  found: Partial<TraceContext> | undefined,
  base: Context = context.active(),
): Context {
  const [, version = "ff", traceId = "", spanId = "", flags = "", rest = ""] =
    lastOf(found?.traceparent ?? "") ?? [];
  if (version === "ff" || (version === "00" && rest !== "")) return base;
  const tracestate = found?.tracestate ?? "";
  const span: SpanContext = {
    traceId,
    spanId,
    traceFlags: parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== "" &&
      tracestate.length <= maxStateLength && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(span) ? trace.setSpanContext(base, span) : base;
}

/** Returns the headers that let another process continue the trace of a context. */
export function headersFrom(active: Context): Record<string, string> {
  const { traceparent, tracestate } = traceContextOf(trace.getSpanContext(active)) ?? {};
  return {
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  };
}

/**
 * Returns the header with the baggage of a context in the format of W3C Baggage, or no header if
 * the baggage is empty.
 */
export function baggageFrom(active: Context): Record<string, string> {
  const entries = propagation.getBaggage(active)?.getAllEntries() ?? [];
  if (entries.length === 0) return {};
  const text = ([key, { value }]: (typeof entries)[number]): string =>
    `${key}=${encodeURIComponent(value)}`;
  return { baggage: entries.map(text).join(",") };
}
