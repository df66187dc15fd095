import {
  context,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type UpDownCounter,
} from "@opentelemetry/api";
import type { TraceContext } from "../store.js";
import type { Turn, TurnGenerator } from "../turns/turn.js";
import { agentAttributes, type AgentFacts, failed } from "./otel-facts.js";
import { names } from "./otel-names.js";
import { spanKey } from "./otel-server.js";
import { contextFrom, headersFrom, traceContextOf } from "./trace-context.js";
import type { Tracing } from "./tracing.js";

/**
 * Returns the tracing for a task service, which creates spans for turns and for posts to webhooks.
 */
export function taskTracing(
  tracer: Tracer,
  activeTurns: UpDownCounter,
  card: AgentFacts | undefined,
): Tracing {
  const name = card?.name === undefined ? names.invokeAgent : `${names.invokeAgent} ${card.name}`;
  const fixed = { ...agentAttributes(card), [names.agentOperation]: names.invokeAgent };
  return {
    capture({ values }) {
      const span = values.get(spanKey) ?? trace.getSpan(context.active());
      return traceContextOf(span?.spanContext());
    },
    turn(turn, found, run) {
      const parent = parentOf(found);
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.INTERNAL, attributes: { ...fixed, ...idsOf(turn) } },
        parent,
      );
      activeTurns.add(1);
      const active = trace.setSpan(parent, span);
      const end = (): void => {
        span.end();
        activeTurns.add(-1);
      };
      try {
        return new TracedTurn(context.with(active, run), active, span, end) as TurnGenerator;
      } catch (error) {
        failed(span, error);
        end();
        throw error;
      }
    },
    async post(request, found, next) {
      const parent = parentOf(found);
      const { hostname, port, protocol } = request.url;
      const defaultPort = protocol === "http:" ? 80 : 443;
      const attributes = {
        [names.httpMethod]: "POST",
        [names.serverAddress]: hostname,
        [names.serverPort]: port === "" ? defaultPort : Number(port),
      };
      const span = tracer.startSpan(names.post, { kind: SpanKind.CLIENT, attributes }, parent);
      const active = trace.setSpan(parent, span);
      try {
        const headers = { ...request.headers, ...headersFrom(active) };
        const response = await context.with(active, () => next({ ...request, headers }));
        span.setAttribute(names.httpStatus, response.status);
        if (response.status >= 400) {
          span.setAttribute(names.errorType, String(response.status));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        return response;
      } catch (error) {
        failed(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/**
 * Returns the active context with the span of a stored trace context as its span. The active span
 * must not be the parent, because a worker runs the turns of several calls, and a sender posts the
 * events of several turns.
 */
function parentOf(found: TraceContext | undefined): Context {
  return contextFrom(found, trace.deleteSpan(context.active()));
}

function idsOf({ task, resumed, message, tenant }: Turn): Record<string, string | boolean> {
  return {
    [names.taskId]: task.id,
    [names.contextId]: task.contextId,
    [names.messageId]: message.messageId,
    ...(tenant !== undefined && { [names.tenant]: tenant }),
    ...(resumed && { [names.resumed]: true }),
  };
}

type Step = ReturnType<TurnGenerator["next"]>;

/**
 * A generator that runs its steps in the context of a span, and ends the span at the end of the
 * turn.
 */
class TracedTurn {
  readonly #inner: TurnGenerator;
  readonly #active: Context;
  readonly #span: Span;
  #end: (() => void) | undefined;

  constructor(inner: TurnGenerator, active: Context, span: Span, end: () => void) {
    this.#inner = inner;
    this.#active = active;
    this.#span = span;
    this.#end = end;
  }

  next(): Step {
    return this.#step(() => this.#inner.next());
  }

  return(value: never): Step {
    return this.#step(() => this.#inner.return(value));
  }

  throw(error: unknown): Step {
    return this.#step(() => this.#inner.throw(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #step(run: () => Step): Step {
    try {
      const step = context.with(this.#active, run);
      if (!("then" in step)) {
        if (step.done === true) this.#ended(step.value);
        return step;
      }
      return step.then(
        (result) => {
          if (result.done === true) this.#ended(result.value);
          return result;
        },
        (error: unknown) => {
          this.#failed(error);
          throw error;
        },
      );
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #ended(end: unknown): void {
    // If a turn was stopped, `return()` has no value.
    const state: unknown =
      typeof end === "object" && end !== null && "state" in end ? end.state : undefined;
    if (typeof state === "string") this.#span.setAttribute(names.taskState, state);
    this.#finish();
  }

  #failed(error: unknown): void {
    if (this.#end !== undefined) failed(this.#span, error);
    this.#finish();
  }

  #finish(): void {
    const end = this.#end;
    this.#end = undefined;
    end?.();
  }
}
