import type { VersionMapping } from "../runtime/versions/mapping.js";
import type { AgentCard } from "./model.js";
import type { PushReader } from "./push/push-event.js";
import type { PushReceiver, PushReceiverOptions } from "./push/receiver-options.js";
import type { SigningOptions } from "./signatures/sign.js";

/** The functions of the kit that an output binds to the facts of its version. */
export interface KitFunctions {
  /**
   * Returns a receiver of push notifications. The receiver authenticates each post, validates the
   * event, and responds after the event was handled.
   * @throws A `TypeError` if no option authenticates agents.
   */
  pushReceiver(options: PushReceiverOptions): PushReceiver;

  /**
   * Returns a function for the `read` option of `pushReceiver` that reads push notifications of
   * other versions.
   * @param mappings The `mapping` of each version, exported from `versions/` of the output.
   */
  pushReader(...mappings: readonly VersionMapping[]): PushReader;

  /**
   * Returns a card with an additional signature. The signature covers the current members of the
   * card, so sign the card after all other changes. To rotate keys, sign the card with both keys.
   * @throws A `TypeError` if the card is invalid, if the key does not match the algorithm, or if an
   *   empty value has a meaning that a signature without it would not cover.
   *
   * @example
   * const agent = createAgent({ card: await signCard(card, { key, kid: "2026-11" }), service });
   */
  signCard(card: AgentCard, options: SigningOptions): Promise<AgentCard>;
}
