import type { CallContext } from "../../runtime/server/context.js";
import type { PushRequest, PushResponse } from "../push/push-transport.js";
import type { TraceContext } from "../store.js";
import type { Turn, TurnGenerator } from "../turns/turn.js";

/** Posts a request to a webhook. */
export type Post = (request: PushRequest) => Promise<PushResponse>;

/**
 * Links the turns and webhook deliveries of a task to the traces of the calls that caused them. The
 * target `otel` implements it with OpenTelemetry.
 */
export interface Tracing {
  /**
   * Returns the trace context of a call. It is stored with the message, for the turn that the
   * message begins.
   */
  capture(context: CallContext): TraceContext | undefined;
  /**
   * Runs a turn in the trace of its call. Another process may have received the call. Calls `run`
   * once, and returns its generator, or a generator that wraps it.
   */
  turn(turn: Turn, trace: TraceContext | undefined, run: () => TurnGenerator): TurnGenerator;
  /** Posts an event to a webhook in the trace of the call whose turn created the event. */
  post(request: PushRequest, trace: TraceContext | undefined, next: Post): Promise<PushResponse>;
}
