/** Options of an agent process. */
export interface AgentSetting {
  readonly engine: string;
  readonly address: string;
  readonly leaseMs: number;
  /** Offset of the process's clock from the other clocks. */
  readonly skewMs?: number;
}

/**
 * Owners of tasks. A store that is sharded over up to three stores has a store with some of them
 * and a store with others.
 */
export const owners: readonly string[] = Array.from(
  { length: 6 },
  (_, at) => `owner-${String(at)}`,
);

/** Header with the owner of a call. */
export const ownerHeader = "x-owner";

/** Content of a task's first message, as JSON. */
export interface Script {
  readonly updates: number;
  readonly everyMs: number;
  /** Whether the turn asks a question and starts again. */
  readonly asks: boolean;
  /** Number of requests that wake the task after its updates. Their payloads count from 0. */
  readonly wakes: number;
  /** Times in milliseconds that the task sleeps after its updates, one after the other. */
  readonly naps: readonly number[];
}

/** State that turns save. */
export interface State {
  /** The number of the next update. */
  readonly next: number;
  readonly script: Script;
  /** Sleep after the updates; absent until the task has slept. */
  readonly sleep?: Sleep;
}

/** Events that have woken a task so far. */
export interface Sleep {
  /** Payloads of the requests that have woken the task. */
  readonly woken: readonly number[];
  /** Number of naps that are over. */
  readonly napped: number;
  /** End of the current nap, if any; see {@link clock}. */
  readonly due?: number;
}

/** A request to a process to wake a task. */
export interface WakeCall {
  /** Number of the call, which the response contains. */
  readonly call: number;
  readonly task: string;
  readonly owner: string;
  readonly payload: number;
}

/** Reports of an agent process to its parent process. */
export type Told =
  | { readonly kind: "ready"; readonly url: string }
  /** A turn has begun. */
  | {
      readonly kind: "began";
      readonly task: string;
      readonly resumed: boolean;
      readonly from: number;
      /** Event that has woken the task, if it slept. */
      readonly woken?: Woken;
      at: number;
    }
  /** A turn is over. */
  | { readonly kind: "over"; readonly task: string }
  /** The process claims tasks from the store. */
  | { readonly kind: "claiming"; readonly at: number }
  /** It has answered, and these were claimed. */
  | { readonly kind: "claimed"; readonly tasks: readonly string[]; readonly at: number }
  /** Appends have been accepted. */
  | { readonly kind: "appended"; readonly appends: readonly Append[] }
  /** Turns have done something. */
  | { readonly kind: "did"; readonly effects: readonly Effect[] }
  /** The response to a request to wake a task; `error` is absent if the request was accepted. */
  | { readonly kind: "woken"; readonly call: number; readonly error?: string }
  /** A turn has seen something that must not happen. */
  | { readonly kind: "problem"; readonly text: string }
  | { readonly kind: "error"; readonly text: string };

/** Event that has woken a task. */
export interface Woken {
  readonly by: "wake" | "time" | "message" | "cancel";
  /** End of the nap, if the task took one. */
  readonly due?: number;
}

/** Events that the holder of a lease has appended. */
export interface Append {
  readonly task: string;
  readonly epoch: number;
  /** The generations of the first one and the last. */
  readonly first: number;
  readonly last: number;
}

/** Something that a turn has done and no store can take back, as sending a mail. */
export interface Effect {
  readonly task: string;
  readonly run: string;
  readonly at: number;
}

/** How many updates there are between two states that a turn keeps. */
export const manyUpdates = 5;

/** An update of a turn, in the text of its status. */
export interface Mark {
  /** Which run of a turn it is of; no other one has its name. */
  readonly run: string;
  readonly number: number;
  /** When it was made. */
  readonly at: number;
}

export function markText({ run, number, at }: Mark): string {
  return `${run} ${String(number)} ${String(at)}`;
}

/** Returns the mark in a text, or `undefined` without a mark. */
export function markOf(text: string | undefined): Mark | undefined {
  const [, run, number, at] = /^(\S+:\d+) (\d+) (\S+)$/.exec(text ?? "") ?? [];
  return run === undefined ? undefined : { run, number: Number(number), at: Number(at) };
}

/** The time of the machine, with fractions of milliseconds. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}
