import type { ErrorTable } from "../protocol/error.js";
import type { DiscoveryFacts } from "../protocol/operation.js";
import { uncheckedSecurity } from "./checks.js";
import type { CoreOptions, Reporter } from "./hooks.js";
import type { Caller } from "./context.js";
import { GuardedEvents } from "./guarded-events.js";
import { isNoUser, isSameUser } from "./user.js";

/** Rules of an {@link Admission}. */
export interface AdmissionRules {
  readonly options: Pick<CoreOptions, "authenticate" | "anonymous" | "streams">;
  readonly discovery: DiscoveryFacts;
  readonly errors: ErrorTable;
  readonly reporter: Reporter;
}

/** Determines which callers are admitted, from the result of `authenticate`. */
export class Admission {
  readonly #rules: AdmissionRules;
  /**
   * Whether callers without a user are admitted, because `authenticate` is absent or the option
   * `anonymous` is set.
   */
  readonly #admitsAnonymous: boolean;
  #hasSeenCard: boolean;

  constructor(rules: AdmissionRules) {
    const { options } = rules;
    this.#rules = rules;
    this.#admitsAnonymous = options.authenticate === undefined || options.anonymous !== undefined;
    this.#hasSeenCard = options.authenticate !== undefined;
  }

  /**
   * Returns whether a caller is anonymous, given the result of `authenticate`. Throws the error for
   * missing credentials if anonymous callers are not admitted.
   */
  isAnonymous(user: unknown): boolean {
    if (!isNoUser(user)) return false;
    if (this.#admitsAnonymous) return true;
    throw new this.#rules.errors.unauthenticated();
  }

  /**
   * Returns the events of a stream. If `reauthenticateMs` is set, the stream ends when its caller
   * is no longer authenticated as the same user. `user` is the first result of `authenticate`;
   * `undefined` for anonymous callers.
   */
  guarded(
    events: AsyncIterator<unknown, unknown>,
    caller: Caller,
    user: unknown,
  ): AsyncIterator<unknown, unknown> {
    const { authenticate, streams } = this.#rules.options;
    if (authenticate === undefined || streams?.reauthenticateMs === undefined) return events;
    const check = async (): Promise<void> => {
      const identified: unknown = await authenticate(caller);
      // The option `anonymous` admits new calls, but a stream belongs to the user that started it.
      const currentUser = this.isAnonymous(identified) ? undefined : identified;
      if (!isSameUser(user, currentUser)) throw new this.#rules.errors.unauthenticated();
    };
    return new GuardedEvents(events, check, streams.reauthenticateMs);
  }

  /**
   * Checks the first card that the agent serves, and reports a warning if it requires credentials
   * although `authenticate` is absent.
   */
  see(card: object): void {
    if (this.#hasSeenCard) return;
    this.#hasSeenCard = true;
    const { discovery, reporter } = this.#rules;
    const warning = uncheckedSecurity(card, discovery);
    if (warning !== undefined) reporter.error(warning);
  }
}
