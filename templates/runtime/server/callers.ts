import { isObject } from "../base/json.js";
import type { PacedCaller, PacedCallers } from "../http/body-pace.js";
import { addressOf, type ForwardedAddress } from "./rates.js";

/** The callers of an agent: its users, and the addresses of anonymous callers. */
export class Callers implements PacedCallers {
  readonly paidAt: Map<unknown, number> = new Map();
  readonly #forwarded: ForwardedAddress | undefined;

  constructor(forwarded: ForwardedAddress | undefined) {
    this.#forwarded = forwarded;
  }

  /** Returns the id of the user, the user itself, or the address of an anonymous caller. */
  keyOf(caller: PacedCaller): unknown {
    const { user } = caller;
    if (user !== undefined) return isObject(user) ? (user["id"] ?? user) : user;
    const address = addressOf(caller, this.#forwarded);
    return address === undefined ? undefined : `address ${address}`;
  }
}
