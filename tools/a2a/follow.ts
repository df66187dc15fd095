import { followTask } from "../../generated/1.0/kit/client/index.js";
import {
  isTerminal,
  type A2AClient,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
} from "../agents/index.js";
import { BrokenPipe, Canceled, Interrupted } from "./errors.js";
import type { Run } from "./agent.js";
import type { Output } from "./output.js";
import { Renderer, stateOf } from "./render.js";

/** Starting point for following a task: a message to send, or an existing task. */
export type Start = SendMessageRequest | { readonly id: string };

/**
 * Number of retries before the first event. A message is only sent again if the agent has not
 * received it.
 */
const firstRetries = 3;

/** Number of consecutive retries after the first event, for example while the agent restarts. */
const laterRetries = 10;

/** Result of {@link follow}: the task, or the message if the agent responds without a task. */
export type Followed = SendMessageResponse;

/** Callbacks of {@link follow}. */
export interface Observer {
  /** Prints events in another form. */
  readonly show?: ((event: StreamResponse) => Promise<void>) | undefined;
  /** Called with the task after each change, before the change is printed. */
  readonly onTask?: (task: Task) => void;
}

/**
 * Follows a task until it ends or waits for its caller. Uses a stream, and prints each of its
 * events. Polls if the agent does not support streams or the stream is lost.
 */
export async function follow(
  client: A2AClient,
  start: Start,
  run: Run,
  { show, onTask }: Observer = {},
): Promise<Followed> {
  const { output, settings, signal } = run;
  const renderer = new Renderer(output, settings);
  let hasEvent = false;
  const pause = pauses(settings.duration("poll-interval"));
  const options = {
    signal,
    untilEnded: false,
    delayMs(attempts: number): number {
      // Before the first event, only failed attempts have pauses.
      if (!hasEvent) output.note(`No response yet: attempt ${attempts + 2} of ${firstRetries + 1}`);
      return pause(attempts);
    },
    /** Read after each failed attempt. */
    get retries(): number {
      return hasEvent ? laterRetries : firstRetries;
    },
  };
  // Both calls are the same, but the type of each overload accepts only one kind of start.
  const changes =
    "message" in start ? followTask(client, start, options) : followTask(client, start, options);
  let last: Task | undefined;
  let reply: Message | undefined;
  let waiting: NodeJS.Timeout | undefined;
  try {
    for await (const change of changes) {
      hasEvent = true;
      const isFirst = last === undefined;
      last = change.task ?? last;
      if (change.task !== undefined) onTask?.(change.task);
      reply = change.event.message ?? reply;
      if (show !== undefined) await show(change.event);
      else if (output.isStream)
        await (output.isJson ? output.json(change.event) : renderer.event(change.event));
      else if (isFirst && last !== undefined) waiting = noteLater(last, output);
    }
    return last === undefined && reply !== undefined ? { message: reply } : await changes.result();
  } catch (error) {
    // If the user interrupts the command, print the task, because its id is required to continue.
    const { reason } = signal as { readonly reason: unknown };
    const isUseless = reason instanceof BrokenPipe || reason instanceof Canceled;
    const canPrint = signal.aborted && !isUseless;
    if (last !== undefined && canPrint && !isTerminal(last.status.state)) {
      if (output.isStream && !output.isJson) await renderer.identifiers(last);
      const cause = reason instanceof Interrupted ? "Interrupted" : "Stopped";
      output.note(`${cause}; task ${last.id} continues (${stateOf(last)})`);
      if (!output.isJson) await renderer.nextStep(last);
    }
    throw error;
  } finally {
    clearTimeout(waiting);
    await output.close();
  }
}

/**
 * Prints the id of the task if it does not end within a second, because the user may want to stop
 * waiting for it.
 */
function noteLater({ id }: Task, output: Output): NodeJS.Timeout {
  return setTimeout(() => output.note(`Waiting for task ${id}`), 1_000);
}

/**
 * Returns the pauses between attempts. The interval that the user has set grows with each failure,
 * to at most fifteen times its value.
 */
function pauses(pollMs: number): (attempts: number) => number {
  // A pause of less than 50 ms would be a busy loop.
  const minMs = Math.max(pollMs, 50);
  return (attempts) => (attempts === 0 ? 0 : minMs * Math.min(1.5 ** (attempts - 1), 15));
}
