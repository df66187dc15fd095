import type { ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { uncheckedSecurity } from "./checks.js";
import type { CoreOptions, Reporter } from "./hooks.js";
import type { Caller } from "./context.js";
import { GuardedEvents } from "./guarded-events.js";
import { isNobody, isSameUser } from "./nobody.js";

/** What {@link Admission} decides by. */
export interface AdmissionRules {
  readonly options: Pick<CoreOptions, "authenticate" | "anonymous" | "streams">;
  readonly discovery: DiscoveryFacts;
  readonly errors: ErrorTable;
  readonly reporter: Reporter;
}

/** Decides which callers are admitted, by what `authenticate` returns. */
export class Admission {
  readonly #rules: AdmissionRules;
  /** Whether callers without a user may call: nothing authenticates callers, or an option says who these are. */
  readonly #admitsAnonymous: boolean;
  #hasSeenCard: boolean;

  constructor(rules: AdmissionRules) {
    const { options } = rules;
    this.#rules = rules;
    this.#admitsAnonymous = options.authenticate === undefined || "anonymous" in options;
    this.#hasSeenCard = options.authenticate !== undefined;
  }

  /**
   * Returns whether a caller is anonymous for whom `authenticate` returned a value. Throws the error for missing
   * credentials if such callers are not admitted.
   */
  isAnonymous(user: unknown): boolean {
    if (!isNobody(user)) return false;
    if (this.#admitsAnonymous) return true;
    throw new this.#rules.errors.unauthenticated();
  }

  /**
   * Returns the events of a stream as they are, or as far as its caller is admitted again and again as the same user, if
   * that is checked. `user` is what `authenticate` returned at first; `undefined` for an anonymous caller.
   */
  guarded(events: AsyncIterator<unknown, unknown>, caller: Caller, user: unknown): AsyncIterator<unknown, unknown> {
    const { authenticate, streams } = this.#rules.options;
    if (authenticate === undefined || streams?.reauthenticateMs === undefined) return events;
    const check = async (): Promise<void> => {
      const found: unknown = await authenticate(caller);
      // The option `anonymous` admits new calls: the events of a stream are those of the user that began it.
      const now = this.isAnonymous(found) ? undefined : found;
      if (!isSameUser(user, now)) throw new this.#rules.errors.unauthenticated();
    };
    return new GuardedEvents(events, check, streams.reauthenticateMs);
  }

  /** Warns if the first card that it sees requires credentials which nothing checks. */
  see(card: object): void {
    if (this.#hasSeenCard) return;
    this.#hasSeenCard = true;
    const { discovery, reporter } = this.#rules;
    const warning = uncheckedSecurity(card, discovery);
    if (warning !== undefined) reporter.error(warning);
  }
}
