import { setTimeout } from "node:timers/promises";
import {
  Role,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from "../../../generated/1.0/index.js";
import { at, textAt, type Json } from "./json.js";
import { everything, outcome, type Binding, type Caller, type Host } from "./peers.js";
import type { SceneName, Stage, Step } from "./scenes.js";

/** A client and a server, and the transport between them. */
export interface Sides {
  readonly caller: Caller;
  readonly host: Host;
  readonly binding: Binding;
}

/** Two sides, and what is seen between them. */
export interface Play extends Sides {
  /** Notes what one side has got, and what it should be. */
  readonly see: (what: string, got: unknown, expected: unknown) => void;
  /**
   * Records that these sides are not compared for a value, so that its recorded deviation is not
   * required.
   */
  readonly leave: (what: string) => void;
}

/**
 * Client actions on a server. The results are compared with the expected results field by field.
 */
export interface Scenario {
  readonly name: string;
  /** Condition of the scenario. It always runs by default. */
  readonly where?: (play: Sides) => boolean;
  readonly play: (play: Play) => Promise<void>;
}

let messages = 0;

export function user(scene: SceneName, more: Partial<Message> = {}): Message {
  messages += 1;
  return {
    messageId: `user-${messages}`,
    role: Role.User,
    parts: [{ text: `${scene} and so on` }],
    ...more,
  };
}

/** The ids that a server has given to a task. */
export function stageOf({ caller }: Play, result: unknown, message: Message): Stage {
  const task = caller.dialect.version === "1.0" ? at(result, "task") : result;
  const [taskId, contextId] = [textAt(task, "id"), textAt(task, "contextId")];
  return { taskId, contextId, message: { ...message, taskId, contextId } };
}

/** The events of a scene, as far as clients see them: up to the first wait. */
export function eventsSeen(steps: readonly Step[]): StreamResponse[] {
  const end = steps.indexOf("wait");
  return steps.slice(0, end < 0 ? steps.length : end).filter((step) => step !== "wait");
}

/** Reads the last request that the server's code received. */
export function seeAsked(
  { host, see }: Play,
  method: string,
  request: Json,
  extensions: readonly string[] = [],
): void {
  see("what the server is asked", host.asked.at(-1), { method, request, extensions });
}

export async function send(play: Play, request: SendMessageRequest): Promise<unknown> {
  return await outcome(play.caller.call("sendMessage", play.caller.dialect.sendRequest(request)));
}

export async function start(
  play: Play,
  scene: SceneName,
  more: Partial<Message> = {},
): Promise<Stage> {
  const message = user(scene, more);
  return stageOf(play, await send(play, { message }), message);
}

/**
 * Starts a scene that waits, follows it until it does, leaves it there, and gives what it has seen.
 */
export async function startHeld(
  play: Play,
): Promise<{ readonly stage: Stage; readonly seen: readonly unknown[] }> {
  const { caller } = play;
  const message = user("hold");
  const seen: unknown[] = [];
  for await (const event of caller.stream(
    "sendStreamingMessage",
    caller.dialect.sendRequest({ message }),
  )) {
    if (seen.push(event) === 3) break;
  }
  return { stage: stageOf(play, seen[0], message), seen };
}

/** Sides of scenarios that run everywhere. */
export const everywhere = (): boolean => true;

/** Returns whether 1.0 is used on the wire, which both sides must support. */
export const isNew = ({ caller, host }: Sides): boolean =>
  (caller.speaks ?? caller.dialect.version) === "1.0" && host.dialect.version === "1.0";

/** Tells whether one side translates: then some members of cards move. */
export const isTranslated = ({ caller, host }: Sides): boolean =>
  caller.dialect !== host.dialect || caller.speaks !== undefined;

/** Tells whether everything can travel. */
export const isRich = (play: Sides): boolean => isNew(play) || play.binding === "JSONRPC";

export function seeTask({ caller, see }: Play, what: string, got: unknown, task: Task): void {
  see(what, got, caller.dialect.sendResponse({ task }));
}

export function seeEvents(
  { caller, see }: Play,
  got: readonly unknown[],
  events: readonly StreamResponse[],
): void {
  see(
    "the events",
    got,
    events.map((event) => caller.dialect.event(event)),
  );
}

export async function stream(play: Play, request: SendMessageRequest): Promise<unknown[]> {
  return await everything(
    play.caller.stream("sendStreamingMessage", play.caller.dialect.sendRequest(request)),
  );
}

/**
 * Reads a stream to its end, or until no event has arrived for some time, because some servers lose
 * subscribers. `onEvent` receives the events so far.
 */
export async function followed(
  events: AsyncIterable<unknown>,
  onEvent: (events: readonly unknown[]) => unknown,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    const silence = new AbortController();
    const silent = setTimeout(4_000, undefined, { signal: silence.signal });
    silent.catch(() => undefined);
    const next = await Promise.race([iterator.next(), silent]).finally(() => silence.abort());
    if (next === undefined || next.done === true) return seen;
    seen.push(next.value);
    await onEvent(seen);
  }
}

/** The class of the error that a call is refused with, or what it gives. */
export function refusedAs(result: unknown): unknown {
  return at(result, "refused") ?? result;
}
