import { longestMs } from "../timer.js";

/** Limits of a task service. Times are in milliseconds, sizes in bytes of JSON, as far as they can be told cheaply. */
export interface Limits {
  /** How long a turn may still work when its task is canceled; 5 seconds by default. */
  readonly cancelWithinMs: number;
  /** How long a turn may take in all; without end by default. A turn that takes longer fails its task. */
  readonly turnWithinMs: number;
  /** Updates of one turn that wait for the store at most, before the turn has to wait; 100 by default. */
  readonly maxQueue: number;
  /** Messages that wait for a turn of one task at most; 100 by default. */
  readonly maxPending: number;
  /** Size of all messages that wait for a turn of one task; 16 MiB by default. */
  readonly maxInboxBytes: number;
  /**
   * Size of a task with its history and its artifacts, the call of its turn and its checkpoint; 32 MiB by default. A
   * message beyond it is refused, and a turn that produces more fails its task.
   */
  readonly maxTaskBytes: number;
  /** Parts of a message, and tasks that a message refers to; 1,000 by default. */
  readonly maxMessageParts: number;
  /** Length of each id, tenant and owner in bytes of UTF-8; 768 by default. Stores index these. */
  readonly maxTextBytes: number;
  /**
   * How often in a row a turn is resumed without an event of it; 10 by default. Whatever ends the processes that work on
   * it, the task fails then.
   */
  readonly maxResumes: number;
  /**
   * How many tasks of ended processes this process takes over each time it looks for them, about once a second; 500 by
   * default. Other processes, or the next look, take over the rest.
   */
  readonly maxTakeovers: number;
  /** How long a request waits for a task to change, where it asks for that; 30 seconds by default. */
  readonly pollWithinMs: number;
  /** Limits for each owner of tasks. */
  readonly perOwner: OwnerLimits;
}

/**
 * Limits for each owner of tasks, in all tenants together. What the store holds is counted for all processes together, and
 * looked up rarely: several processes may let an owner exceed a limit by about a sixteenth each.
 */
export interface OwnerLimits {
  /** Tasks that have not ended; 10,000 by default. */
  readonly maxOpenTasks: number;
  /** Size of the tasks that have not ended; 256 MiB by default. */
  readonly maxOpenBytes: number;
  /** Size of all tasks, ended ones included; without limit by default, as most stores keep every task. */
  readonly maxStoredBytes: number;
  /** Streams and subscriptions that are open in this process; 1,000 by default. */
  readonly maxStreams: number;
  /** Webhooks of the tasks that have not ended; 10,000 by default. */
  readonly maxWebhooks: number;
  /**
   * How many bytes of tasks and messages the calls to one process may read and write in a second; 32 MiB by default.
   * Calls of an owner with large tasks wait for each other, so that calls of other owners do not.
   */
  readonly bytesPerSecond: number;
}

/** Limits as an author gives them: each one has a default. */
export interface LimitOptions extends Partial<Omit<Limits, "perOwner">> {
  /** Limits for each owner of tasks. */
  readonly perOwner?: Partial<OwnerLimits>;
}

const MiB = 2 ** 20;

/** Default limits. */
export const defaultLimits: Limits = {
  cancelWithinMs: 5_000,
  turnWithinMs: Infinity,
  maxQueue: 100,
  maxPending: 100,
  // Larger than the largest message that a request of default size can carry.
  maxInboxBytes: 16 * MiB,
  // A sixteenth of the longest string in V8, as a store may have to write or read a task as one string, escapes included:
  // that keeps the event loop for a few hundred milliseconds.
  maxTaskBytes: 32 * MiB,
  maxMessageParts: 1_000,
  // Postgres refuses index rows of more than 2,704 bytes; one of them has tenant, owner and context of a task, and its id.
  maxTextBytes: 768,
  maxResumes: 10,
  maxTakeovers: 500,
  pollWithinMs: 30_000,
  perOwner: {
    maxOpenTasks: 10_000,
    maxOpenBytes: 256 * MiB,
    maxStoredBytes: Infinity,
    maxStreams: 1_000,
    maxWebhooks: 10_000,
    bytesPerSecond: 32 * MiB,
  },
};

/** The least value of each limit. */
const least: Readonly<Record<Exclude<keyof Limits, "perOwner">, number>> = {
  cancelWithinMs: 0,
  turnWithinMs: 0,
  maxQueue: 1,
  maxPending: 0,
  maxInboxBytes: 0,
  maxTaskBytes: 1,
  maxMessageParts: 1,
  maxTextBytes: 1,
  maxResumes: 0,
  maxTakeovers: 1,
  pollWithinMs: 0,
};

/** Returns the value of an option. Throws a `TypeError` unless it is a number of at least `min`. */
export function checked(name: string, value: unknown, min: number): number {
  if (typeof value === "number" && value >= min) return value;
  throw new TypeError(`${name} must be a number of at least ${String(min)}`);
}

/** Returns limits with the defaults for those that are missing. Throws a `TypeError` for an invalid or unknown one. */
export function limitsOf({ perOwner, ...given }: LimitOptions = {}): Limits {
  const { perOwner: ownerDefaults, ...defaults } = defaultLimits;
  const limits = checkedAll("limits", defaults, given, (name) => least[name]);
  return {
    ...limits,
    cancelWithinMs: Math.min(limits.cancelWithinMs, longestMs),
    pollWithinMs: Math.min(limits.pollWithinMs, longestMs),
    perOwner: checkedAll("limits.perOwner", ownerDefaults, perOwner ?? {}, () => 1),
  };
}

/** Returns numbers by name, with defaults. An unknown name would be a limit that does not hold. */
function checkedAll<Name extends string>(
  of: string,
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Record<Name, number>>,
  leastOf: (name: Name) => number,
): Record<Name, number> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) throw new TypeError(`${of}.${unknown} is unknown: remove it`);
  const found: Record<Name, number> = { ...defaults };
  for (const name of Object.keys(defaults) as Name[])
    found[name] = checked(`${of}.${name}`, given[name] ?? defaults[name], leastOf(name));
  return found;
}
