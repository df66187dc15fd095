import { Random, seedOf } from "./random/random.js";
import { shrink } from "./random/shrink.js";

/** A way to attack something with random cases. */
export interface Campaign<Case> {
  /** Target of the attack, for seeds and messages. */
  readonly name: string;
  /** Gets ready, for example by starting a server. */
  readonly open: () => Attack<Case> | Promise<Attack<Case>>;
}

/** A {@link Campaign} that is under way. */
export interface Attack<Case> {
  readonly generate: (random: Random) => Case;
  /** Runs a case and returns its outcome for the statistics. Throws if the case fails. */
  readonly attempt: (value: Case) => string | Promise<string>;
  /** CPU time that a case may use, in milliseconds. Default: 1,000. Waiting has separate limits. */
  readonly limitMs?: number;
  /** Smaller cases that might show the same; by default as for JSON. */
  readonly smaller?: (value: Case) => Iterable<Case>;
  readonly print?: (value: Case) => string;
  /**
   * Closes the resources that {@link Campaign.open} opened. Throws if this reveals a hidden
   * failure.
   */
  readonly close?: () => void | Promise<void>;
}

/** Budget: a number of cases, a time, or a single case. */
export interface Budget {
  readonly seed: number;
  readonly cases?: number;
  readonly seconds?: number;
  /** The number of the only case to try. */
  readonly only?: number | undefined;
  /** Hears of each case before it is tried. */
  readonly begin?: (index: number) => void;
  /** Measures the memory after half of the time and at the end. */
  readonly heap?: () => number;
}

/** Result of a campaign. */
export interface Report {
  readonly name: string;
  readonly cases: number;
  /** How often cases came to which end. */
  readonly counts: ReadonlyMap<string, number>;
  /** The time that the slowest case took, in milliseconds. */
  readonly slowest: number;
  /** Growth of the heap in the second half, in bytes. Absent without a measurement. */
  readonly growth: number | undefined;
}

/** How many smaller cases are tried at most, and for how long, in milliseconds. */
const patience = { cases: 3_000, time: 20_000 };

/** Runs cases until the budget is exhausted. Throws at the first failure, reduced to a minimum. */
export async function run<Case>({ name, open }: Campaign<Case>, budget: Budget): Promise<Report> {
  const attack = await open();
  const counts = new Map<string, number>();
  const clock = new Clock(budget);
  let slowest = 0;
  let index = budget.only ?? 0;
  for (; clock.goesOn(index); index += 1) {
    budget.begin?.(index);
    const value = attack.generate(new Random(seedOf(budget.seed, name, index)));
    const { outcome, problem, time } = await trial(attack, value);
    slowest = Math.max(slowest, time);
    if (problem !== undefined)
      throw await failure(name, attack, value, { problem, index, seed: budget.seed });
    if (outcome !== undefined) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const growth = clock.growth();
  await attack.close?.();
  return { name, cases: index - (budget.only ?? 0), counts, slowest, growth };
}

/** Knows when a campaign is over, and what the heap was at half time. */
class Clock {
  readonly #budget: Budget;
  readonly #start = performance.now();
  #half: number | undefined;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  goesOn(index: number): boolean {
    const { cases = Infinity, seconds = Infinity, only } = this.#budget;
    if (only !== undefined) return index === only;
    const share = Math.max(index / cases, (performance.now() - this.#start) / 1000 / seconds);
    if (share >= 0.5) this.#half ??= this.#budget.heap?.();
    return share < 1;
  }

  growth(): number | undefined {
    const end = this.#half === undefined ? undefined : this.#budget.heap?.();
    return end === undefined || this.#half === undefined ? undefined : end - this.#half;
  }
}

interface Trial {
  readonly outcome?: string;
  readonly problem?: string;
  readonly time: number;
}

async function trial<Case>(attack: Attack<Case>, value: Case): Promise<Trial> {
  const { limitMs = 1_000 } = attack;
  const first = await timed(attack, value);
  if (first.problem !== undefined || first.time <= limitMs) return first;
  // Garbage may have been collected, or code compiled.
  const second = await timed(attack, value);
  return second.time <= limitMs
    ? second
    : { ...second, problem: `it took ${Math.round(second.time)} ms` };
}

async function timed<Case>({ attempt }: Attack<Case>, value: Case): Promise<Trial> {
  const start = busyTime();
  try {
    const outcome = await attempt(value);
    return { outcome, time: busyTime() - start };
  } catch (error) {
    return { problem: problemOf(error), time: busyTime() - start };
  }
}

/** Describes an error with its causes. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${problemOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}

/**
 * The time that this process has kept the machine busy, in milliseconds: others on the machine do
 * not count.
 */
function busyTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function failure<Case>(
  name: string,
  attack: Attack<Case>,
  value: Case,
  {
    problem,
    index,
    seed,
  }: { readonly problem: string; readonly index: number; readonly seed: number },
) {
  const smallest = await smallestOf(attack, value, kindOf(problem));
  const said = (await trial(attack, smallest)).problem ?? problem;
  const { print = (shown: Case) => JSON.stringify(shown) } = attack;
  return new Error(
    `${name}: ${said}\nfor ${print(smallest)}\nin case ${index} of seed ${seed}; repeat it with TEST_SEED=${seed}`,
  );
}

async function smallestOf<Case>(attack: Attack<Case>, value: Case, kind: string) {
  const smaller = attack.smaller ?? (shrink as (value: Case) => Iterable<Case>);
  const deadline = performance.now() + patience.time;
  let smallest = value;
  let left = patience.cases;
  for (let found = true; found;) {
    found = false;
    for (const candidate of smaller(smallest)) {
      left -= 1;
      if (left < 0 || performance.now() > deadline) return smallest;
      const { problem } = await trial(attack, candidate);
      if (problem === undefined || kindOf(problem) !== kind) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

/** Key that distinguishes failures: the start of the message. */
function kindOf(problem: string) {
  return problem.slice(0, 24);
}
