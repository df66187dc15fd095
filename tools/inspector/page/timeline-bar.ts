import type { Entry } from "./timeline-entries.js";

/** A period in which a task has one state. */
export interface Period {
  readonly state: string;
  readonly tone: string;
  /** The duration in milliseconds; `undefined` for the last state of a task that has ended. */
  readonly ms: number | undefined;
  /** Whether the task still has the state. */
  readonly isOpen: boolean;
}

/** Tones of states that a task keeps. */
const ends = ["good", "bad"];

/** Returns the periods of a task with their entries. `now` is the end of an open period. */
export function periodsOf(entries: readonly Entry[], now: number): Map<Entry, Period> {
  const states = entries.filter(({ kind }) => kind === "state");
  const periods = states.map((entry, index): [Entry, Period] => {
    const next = states[index + 1];
    const { title, tone, at } = entry;
    const isEnd = next === undefined && ends.includes(tone);
    // A task does not work yet while it is submitted.
    const color = title === "submitted" ? "soft" : tone;
    const ms = isEnd ? undefined : Math.max(0, (next?.at ?? now) - at);
    return [entry, { state: title, tone: color, ms, isOpen: next === undefined && !isEnd }];
  });
  return new Map(periods);
}

/** Returns the total time in each state, in the order of the first occurrence. */
export function totalsOf(periods: Iterable<Period>): Period[] {
  const totals = new Map<string, Period>();
  for (const period of periods) {
    const { ms = 0 } = totals.get(period.state) ?? {};
    totals.set(period.state, {
      ...period,
      ms: period.ms === undefined ? period.ms : ms + period.ms,
    });
  }
  return [...totals.values()];
}

/** Returns at most `limit` periods. Neighbors are joined, and have the state of the longest. */
export function joined(periods: readonly Period[], limit: number): readonly Period[] {
  if (periods.length <= limit) return periods;
  const size = Math.ceil(periods.length / limit);
  return Array.from({ length: Math.ceil(periods.length / size) }, (_, index) => {
    const some = periods.slice(index * size, (index + 1) * size);
    const [first, ...rest] = some;
    const longest = rest.reduce(
      (one, other) => ((other.ms ?? 0) > (one?.ms ?? 0) ? other : one),
      first,
    );
    const ms = some.reduce((sum, period) => sum + (period.ms ?? 0), 0);
    const last = some.at(-1);
    if (longest === undefined || last === undefined) throw new Error("A part has no periods");
    // The end of the task stays visible.
    return last.ms === undefined ? last : { ...longest, ms, isOpen: last.isOpen };
  });
}
