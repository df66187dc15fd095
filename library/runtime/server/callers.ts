import type { PacedCaller, PacedCallers } from "../http/body-pace.js";
import { addressOf, nameOf, type RateOptions } from "./rates.js";

/** The callers of an agent: its users, and the addresses of anonymous callers. */
export class Callers implements PacedCallers {
  readonly paidAt: PacedCallers["paidAt"] = new Map<unknown, number>();
  readonly #options: Pick<RateOptions, "forwarded" | "callerOf">;

  constructor(options: Pick<RateOptions, "forwarded" | "callerOf">) {
    this.#options = options;
  }

  /** Returns a key for the name of the user, or for the address of a caller without a name. */
  keyOf(caller: PacedCaller): unknown {
    const { user } = caller;
    const hasUser = user !== undefined && user !== null;
    const name = hasUser ? nameOf(user, this.#options.callerOf) : undefined;
    if (name !== undefined) return `user ${name}`;
    const address = addressOf(caller, this.#options.forwarded);
    return address === undefined ? undefined : `address ${address}`;
  }
}
