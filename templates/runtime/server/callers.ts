import { isObject } from "../base/json.js";
import type { PacedCaller, PacedCallers } from "../http/body-pace.js";
import { addressOf, type ForwardedAddress } from "./rates.js";

/** The options of the rates that identify callers. */
interface CallerOptions {
  readonly forwarded?: ForwardedAddress | undefined;
  readonly callerOf?: ((user: unknown) => string) | undefined;
}

/** The callers of an agent: its users, and the addresses of anonymous callers. */
export class Callers implements PacedCallers {
  readonly paidAt: PacedCallers["paidAt"] = new Map<unknown, number>();
  readonly #forwarded: ForwardedAddress | undefined;
  readonly #callerOf: CallerOptions["callerOf"];

  constructor({ forwarded, callerOf }: CallerOptions) {
    this.#forwarded = forwarded;
    this.#callerOf = callerOf;
  }

  /** Returns a key for the name of the user, or for the address of a caller without a name. */
  keyOf(caller: PacedCaller): unknown {
    const { user } = caller;
    const named = user === undefined || user === null ? undefined : this.#callerOf?.(user);
    const name = named ?? (isObject(user) ? user["id"] : user);
    if (typeof name === "string" || typeof name === "number") return `user ${String(name)}`;
    const address = addressOf(caller, this.#forwarded);
    return address === undefined ? undefined : `address ${address}`;
  }
}
