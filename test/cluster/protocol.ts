/** What an agent process is started with. */
export interface AgentSetting {
  readonly engine: string;
  readonly address: string;
  readonly leaseMs: number;
  /** By how much the clock of the process is ahead of that of the others. */
  readonly skewMs?: number;
}

/** What the first message of a task asks for, as JSON. */
export interface Script {
  readonly updates: number;
  readonly everyMs: number;
  /** Whether the turn asks back and begins again. */
  readonly asks: boolean;
}

/** What turns keep. */
export interface State {
  /** The number of the next update. */
  readonly next: number;
  readonly script: Script;
}

/** What an agent process tells whoever has started it. */
export type Told =
  | { readonly kind: "ready"; readonly url: string }
  /** A turn has begun. */
  | { readonly kind: "began"; readonly task: string; readonly resumed: boolean; readonly from: number; at: number }
  /** A turn is over. */
  | { readonly kind: "over"; readonly task: string }
  /** The store is asked for tasks to take over. */
  | { readonly kind: "claiming"; readonly at: number }
  /** It has answered, and these were taken over. */
  | { readonly kind: "claimed"; readonly tasks: readonly string[]; readonly at: number }
  /** Appends have been accepted. */
  | { readonly kind: "appended"; readonly appends: readonly Append[] }
  /** Turns have done something. */
  | { readonly kind: "did"; readonly effects: readonly Effect[] }
  | { readonly kind: "error"; readonly text: string };

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

/** Returns the mark in a text; `undefined` where it has none. */
export function markOf(text: string | undefined): Mark | undefined {
  const [, run, number, at] = /^(\S+:\d+) (\d+) (\S+)$/.exec(text ?? "") ?? [];
  return run === undefined ? undefined : { run, number: Number(number), at: Number(at) };
}

/** The time of the machine, with fractions of milliseconds. */
export function clock(): number {
  return performance.timeOrigin + performance.now();
}
