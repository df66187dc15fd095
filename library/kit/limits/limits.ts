import { longestMs } from "../timer.js";

/** Limits of a task service. Times are in milliseconds. Sizes are approximate, in bytes of JSON. */
export interface Limits {
  /** Time after which a turn is stopped if its task is canceled; 5 seconds by default. */
  readonly cancelWithinMs: number;
  /** Maximum duration of a turn; unlimited by default. If a turn takes longer, its task fails. */
  readonly turnWithinMs: number;
  /**
   * Maximum number of updates from a turn that have not been written yet; 100 by default. Above
   * this number, the turn must wait.
   */
  readonly maxQueue: number;
  /**
   * Maximum number of messages and cancel requests in the inbox of a task; 100 by default. Only
   * messages are refused.
   */
  readonly maxPending: number;
  /** Maximum size of all messages in the inbox of a task; 8 MiB by default. */
  readonly maxInboxBytes: number;
  /**
   * Maximum size of a task with its history, its artifacts, the call of its turn and its
   * checkpoint; 16 MiB by default. If a message would exceed it, the message is rejected. If a turn
   * exceeds it, its task fails.
   */
  readonly maxTaskBytes: number;
  /**
   * Maximum number of parts in a message, and of tasks that a message refers to; 1,000 by default.
   */
  readonly maxMessageParts: number;
  /**
   * Maximum length of each id, tenant and owner, in bytes of UTF-8, because stores index these
   * strings; 768 by default.
   */
  readonly maxTextBytes: number;
  /**
   * Maximum number of times that a turn is resumed without a new event; 10 by default. After that,
   * the task fails, so that a turn that crashes its process is not resumed forever.
   */
  readonly maxResumes: number;
  /**
   * Maximum number of tasks of ended processes that this process claims in one check; 2,000 by
   * default. A check runs about once a second. Other processes, or the next check, claim the
   * remaining tasks.
   */
  readonly maxClaims: number;
  /**
   * Maximum time that a request waits for a change to a task, if the caller asks it to wait; 30
   * seconds by default.
   */
  readonly pollWithinMs: number;
  /** Limits for each owner of tasks. */
  readonly perOwner: OwnerLimits;
}

/**
 * Limits for each owner of tasks, in all tenants together. Processes rarely read the usage from the
 * store, so each process may let an owner exceed a limit by about a sixteenth.
 */
export interface OwnerLimits {
  /** Maximum number of open tasks; 10,000 by default. */
  readonly maxOpenTasks: number;
  /** Maximum size of the open tasks; 256 MiB by default. */
  readonly maxOpenBytes: number;
  /**
   * Maximum size of all tasks, including ended tasks; unlimited by default, because most stores
   * keep all tasks.
   */
  readonly maxStoredBytes: number;
  /** Maximum number of open streams and subscriptions in this process; 1,000 by default. */
  readonly maxStreams: number;
  /** Maximum number of webhooks of open tasks; 10,000 by default. */
  readonly maxWebhooks: number;
  /**
   * Bytes of tasks and messages per second that calls and turns may read and write in one process;
   * 8 MiB by default. An owner may use the bytes of two seconds at once. If an owner has large
   * tasks, its calls run one at a time, so that they do not delay other owners.
   */
  readonly bytesPerSecond: number;
}

/** Limits of a task service. Each limit is optional and has a default. */
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
  // This is larger than any message that fits into a request of the default maximum size.
  maxInboxBytes: 8 * MiB,
  // A store may read or write a task as one string, including escapes. This blocks the event loop
  // for about 4 ms per MiB. The longest string in V8 has about 512 MiB.
  maxTaskBytes: 16 * MiB,
  maxMessageParts: 1_000,
  // Postgres rejects index rows of more than 2,704 bytes, and one index row contains the tenant,
  // owner, context and id of a task.
  maxTextBytes: 768,
  maxResumes: 10,
  maxClaims: 2_000,
  pollWithinMs: 30_000,
  perOwner: {
    maxOpenTasks: 10_000,
    maxOpenBytes: 256 * MiB,
    maxStoredBytes: Infinity,
    maxStreams: 1_000,
    maxWebhooks: 10_000,
    bytesPerSecond: 8 * MiB,
  },
};

/** Minimum of each limit. */
const minimums: Readonly<Record<Exclude<keyof Limits, "perOwner">, number>> = {
  cancelWithinMs: 0,
  turnWithinMs: 0,
  maxQueue: 1,
  maxPending: 0,
  maxInboxBytes: 0,
  maxTaskBytes: 1,
  maxMessageParts: 1,
  maxTextBytes: 1,
  maxResumes: 0,
  maxClaims: 1,
  pollWithinMs: 0,
};

/** Validates an option. Throws a `TypeError` unless it is a number of at least `min`. */
export function checked(name: string, value: unknown, min: number): number {
  if (typeof value === "number" && value >= min) return value;
  throw new TypeError(`${name} must be a number of at least ${String(min)}`);
}

/**
 * Returns limits, with defaults for absent limits. Throws a `TypeError` if a limit is invalid or
 * unknown.
 */
export function limitsOf({ perOwner, ...given }: LimitOptions = {}): Limits {
  const { perOwner: ownerDefaults, ...defaults } = defaultLimits;
  const limits = checkedAll("limits", defaults, given, (name) => minimums[name]);
  return {
    ...limits,
    cancelWithinMs: Math.min(limits.cancelWithinMs, longestMs),
    pollWithinMs: Math.min(limits.pollWithinMs, longestMs),
    perOwner: checkedAll("limits.perOwner", ownerDefaults, perOwner ?? {}, () => 1),
  };
}

/**
 * Validates numbers by name, and adds defaults. Throws for an unknown name, because a misspelled
 * limit would have no effect.
 */
function checkedAll<Name extends string>(
  path: string,
  defaults: Readonly<Record<Name, number>>,
  given: Partial<Record<Name, number>>,
  minimumOf: (name: Name) => number,
): Record<Name, number> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) throw new TypeError(`${path}.${unknown} is unknown: remove it`);
  const limits: Record<Name, number> = { ...defaults };
  for (const name of Object.keys(defaults) as Name[])
    limits[name] = checked(`${path}.${name}`, given[name] ?? defaults[name], minimumOf(name));
  return limits;
}
