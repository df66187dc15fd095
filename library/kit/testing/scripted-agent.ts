import { isObject } from "../../runtime/base/json.js";
import { InternalError } from "../../errors.js";
import type { Message } from "../model.js";
import { errorOf } from "../thrown.js";
import { artifact } from "../turns/artifact.js";
import type { Behavior, Turn } from "../turns/turn.js";
import { completed, type End, failed, type Update } from "../turns/updates.js";
import { isEnd, isUpdate, shown } from "../turns/values.js";
import { Connections } from "./connections.js";

/**
 * A step that breaks all connections to the agent when callers have read its updates. Waits for a
 * caller that is connected. The turn continues.
 */
export const lostConnection: unique symbol = Symbol("lost connection");

/**
 * A step of a turn: an update, the end of the turn, text of the artifact `answer`, a lost
 * connection, or a function that returns one of these or waits.
 */
export type ScriptStep =
  | string
  | Update
  | End
  | typeof lostConnection
  | ((turn: Turn) => ScriptStep | undefined | Promise<ScriptStep | undefined>)
  | ((turn: Turn) => void | Promise<void>);

/**
 * The turn with which a scripted agent answers a message: its steps, its only step, or the error
 * with which the agent refuses the message. A turn without an end completes its task.
 */
export type ScriptedTurn = ScriptStep | readonly ScriptStep[] | Error;

/** The script of an agent. */
export interface Script {
  /**
   * The turns for the messages of the caller, in order, or a function that returns the turn for a
   * message. A repeated message gets no further turn.
   */
  readonly turns: readonly ScriptedTurn[] | ((message: Message) => ScriptedTurn);
  /** Address of the agent; `http://agent.test` by default. */
  readonly url?: string;
  /**
   * Called with each HTTP request. Returns a response instead of the agent's, or throws as a
   * `fetch` does that reaches no server.
   */
  readonly onRequest?: (request: Request) => Response | undefined | Promise<Response | undefined>;
}

/** An agent without a network, for tests of programs that call agents. */
export interface ScriptedAgent {
  readonly url: string;
  /** Sends requests to the agent. Pass it to `connect`, or replace the global `fetch` by it. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Messages of the caller, in order, without repeated messages. */
  readonly messages: readonly Message[];
  /** All requests, in order. */
  readonly requests: readonly Request[];
  /** Errors that callers do not see. Errors in a script are shown to callers too. */
  readonly errors: readonly unknown[];
  /** Breaks all connections to the agent. */
  readonly loseConnections: () => void;
  /** Stops the agent. */
  readonly close: () => Promise<void>;
}

/**
 * Functions of the output that serve a behavior.
 * @internal
 */
export interface ServedScript {
  readonly handle: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/**
 * Data that the output passes to its agent.
 * @internal
 */
export interface ScriptHooks {
  readonly url: string;
  readonly behavior: Behavior;
  /** Admits a call, or throws the error with which it is refused. */
  readonly authorize: (call: { readonly request: unknown }) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Returns an agent that answers messages as a script says. `serve` creates the agent from the
 * functions of an output.
 */
export function scriptedAgent(
  { turns, url = "http://agent.test", onRequest }: Script,
  serve: (hooks: ScriptHooks) => ServedScript,
): ScriptedAgent {
  if (!Array.isArray(turns) && typeof turns !== "function")
    throw new TypeError("`turns` of a scripted agent must be a list of turns, or a function");
  const errors: unknown[] = [];
  const requests: Request[] = [];
  const plays = new Plays(turns);
  const connections = new Connections();
  const behavior: Behavior = { run: (turn) => play(plays.of(turn.message), turn, connections) };
  const { handle, close } = serve({
    url,
    behavior,
    authorize: ({ request }) => {
      if (isObject(request) && isMessage(request["message"])) plays.begin(request["message"]);
    },
    onError: (error) => void errors.push(error),
  });
  return {
    url,
    messages: plays.messages,
    requests,
    errors,
    loseConnections: () => {
      connections.lose();
    },
    close,
    async fetch(input, init) {
      const request = new Request(input, init);
      requests.push(request.clone());
      const { origin } = new URL(request.url);
      if (origin !== new URL(url).origin)
        throw new TypeError(`fetch failed: the scripted agent is at ${url}, not at ${origin}`);
      return connections.open(request.signal, async () => {
        const response = await onRequest?.(request.clone());
        return response ?? handle(request);
      });
    },
  };
}

/** Assigns the turns of a script to messages. */
class Plays {
  readonly messages: Message[] = [];
  readonly #turns: Script["turns"];
  readonly #begun = new Map<string, Exclude<ScriptedTurn, Error>>();
  #count = 0;

  constructor(turns: Script["turns"]) {
    this.#turns = turns;
  }

  /** Assigns the next turn to a message, unless it is repeated. */
  begin(message: Message): void {
    if (this.#begun.has(message.messageId)) return;
    this.messages.push(message);
    const turn = this.#next(message);
    if (turn instanceof Error) throw turn;
    this.#begun.set(message.messageId, turn);
  }

  of({ messageId }: Message): Exclude<ScriptedTurn, Error> {
    const turn = this.#begun.get(messageId);
    if (turn === undefined) throw new TypeError(`The message ${messageId} has no turn`);
    return turn;
  }

  #next(message: Message): ScriptedTurn {
    if (typeof this.#turns === "function") return this.#turns(message);
    const turn = this.#turns.at(this.#count);
    if (turn === undefined)
      throw new InternalError(
        `The script has no turn for message ${String(this.#count + 1)}: add it to \`turns\``,
      );
    this.#count += 1;
    return turn;
  }
}

async function* play(
  turn: Exclude<ScriptedTurn, Error>,
  context: Turn,
  connections: Connections,
): AsyncGenerator<Update, End, undefined> {
  try {
    return yield* playSteps(turn, context, connections);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return failed(`The script has failed: ${errorOf(error).message}`);
  }
}

async function* playSteps(
  turn: Exclude<ScriptedTurn, Error>,
  context: Turn,
  connections: Connections,
): AsyncGenerator<Update, End, undefined> {
  const answer = artifact("answer", "text/plain", { append: true });
  const steps: readonly ScriptStep[] = isList(turn) ? turn : [turn];
  for (const [index, given] of steps.entries()) {
    let step: ScriptStep | undefined = given;
    while (typeof step === "function") step = await context.untilAborted(called(step, context));
    if (step === lostConnection) await context.untilAborted(connections.loseWhenRead());
    else if (typeof step === "string") yield answer.text(step);
    // A request for a sign-in is an update unless it is the last step.
    else if (isEnd(step) && (index === steps.length - 1 || !isUpdate(step))) return step;
    else if (isUpdate(step)) yield step;
    else if ((step as unknown) !== undefined) throw new TypeError(`${shown(step)} is not a step`);
  }
  return completed();
}

async function called(step: (turn: Turn) => unknown, turn: Turn): Promise<ScriptStep | undefined> {
  return (await step(turn)) as ScriptStep | undefined;
}

function isList(turn: ScriptedTurn): turn is readonly ScriptStep[] {
  return Array.isArray(turn);
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value["messageId"] === "string";
}
