import type { ErrorTable, ErrorWriter } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ServiceFacts } from "../protocol/operation.js";
import type { Type } from "../schema/schema.js";
import type { CardSource } from "./access.js";
import type { CoreOptions } from "./hooks.js";
import type { ServiceFactory } from "./host.js";

/** Options for a `Core`. */
export interface CoreParts {
  readonly protocol: ServiceFacts;
  readonly discovery: DiscoveryFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  /** The key of the signatures of a card. Absent if cards have no signatures. */
  readonly signatures?: string;
  readonly card: CardSource;
  /** The type of the card, to find misspelled members. If it is absent, cards are not examined. */
  readonly cardType?: Type<unknown>;
  /**
   * Object with a method for each operation that the agent offers, or a function that returns such
   * an object.
   */
  readonly service: object | ServiceFactory<object>;
  /**
   * Quick checks of responses, by the name of the operation. Responses that they reject are checked
   * by the schema.
   */
  readonly accepts?: Readonly<Record<string, (response: unknown) => boolean>>;
  readonly options?: CoreOptions;
}
