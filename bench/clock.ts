/** Durations of a measurement. */
export interface Effort {
  /** Number of rounds. The result is the median of all rounds. */
  readonly rounds: number;
  /** Minimum duration of a turn. A turn repeats shorter functions. */
  readonly turnMs: number;
  /** Duration of the warm-up of each function. */
  readonly warmUpMs: number;
  /** Set if only the shape of the results matters, not their values. */
  readonly quick: boolean;
}

/** Durations for reproducible results. */
export const thorough: Effort = { rounds: 21, turnMs: 60, warmUpMs: 400, quick: false };

/** Durations for tests of the benchmarks. */
export const quick: Effort = { rounds: 1, turnMs: 1, warmUpMs: 0, quick: true };

/** The results of one function, in the order of the rounds. */
export type Rounds = readonly number[];

/** Functions that run in turns, by name. */
export type Contestants<Name extends string, T> = { readonly [K in Name]: () => T };

/**
 * Waits before each round. When two commits are compared, their processes take turns: each waits
 * here until the other one has completed its round.
 */
export const turns: { wait: (() => Promise<void>) | undefined } = { wait: undefined };

/**
 * The last result of every measured function. Storing it prevents engines from optimizing the call
 * away.
 */
export const kept: { value: unknown } = { value: undefined };

/**
 * Returns how often each function runs per second in each of several rounds. In a round, all
 * functions take a turn, so that other load on the machine affects all functions equally. Rejects
 * with the error of a failing function.
 */
export async function rates<Name extends string>(
  contestants: Contestants<Name, unknown>,
  { rounds, turnMs, warmUpMs }: Effort = thorough,
): Promise<Record<Name, Rounds>> {
  const names = Object.keys(contestants) as Name[];
  const batches = new Map(
    names.map((name) => [name, batchOf(contestants[name], warmUpMs, turnMs)] as const),
  );
  return await inRounds(names, rounds, (name) =>
    turn(contestants[name], batches.get(name) ?? 1, turnMs),
  );
}

/** Returns a measure, such as milliseconds or bytes, that each function returns once per round. */
export async function measures<Name extends string>(
  contestants: Contestants<Name, number | Promise<number>>,
  rounds: number,
): Promise<Record<Name, Rounds>> {
  const names = Object.keys(contestants) as Name[];
  return await inRounds(names, rounds, (name) => contestants[name]());
}

/**
 * Returns measures of several subjects that one function returns together, because it measures all
 * of them in the same seconds.
 */
export async function measuresTogether<Name extends string>(
  measure: () => Promise<Record<Name, number>>,
  rounds: number,
): Promise<Record<Name, Rounds>> {
  const { all } = await inRounds(["all"], rounds, measure);
  const names = Object.keys(all[0] ?? {}) as Name[];
  const found: Record<string, Rounds> = Object.fromEntries(
    names.map((name) => [name, all.map((values) => values[name])]),
  );
  return found;
}

/** Returns the median of some values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

async function inRounds<Name extends string, T>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => T | Promise<T>,
): Promise<Record<Name, readonly T[]>> {
  const found = new Map<Name, T[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    await turns.wait?.();
    for (const name of names) {
      const measured = measure(name);
      found.get(name)?.push(measured instanceof Promise ? await measured : measured);
    }
  }
  const all: Record<string, readonly T[]> = Object.fromEntries(found);
  return all;
}

/** Warms up a function, and returns how often it runs in about a tenth of a turn. */
function batchOf(run: () => unknown, warmUpMs: number, turnMs: number): number {
  let runs = 0;
  const start = performance.now();
  do {
    kept.value = run();
    runs += 1;
  } while (performance.now() - start < warmUpMs);
  const each = (performance.now() - start) / runs;
  return Math.max(1, Math.floor(turnMs / 10 / each));
}

function turn(run: () => unknown, batch: number, turnMs: number): number {
  let runs = 0;
  const start = performance.now();
  let spent: number;
  do {
    for (let left = batch; left > 0; left -= 1) kept.value = run();
    runs += batch;
    spent = performance.now() - start;
  } while (spent < turnMs);
  return (runs / spent) * 1000;
}
