import type { Codecs } from "../protocol/codec.js";
import type { A2AError, ErrorTable, ErrorWriter } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../protocol/operation.js";
import type { RestJson } from "../protocol/rest-json.js";
import type { WebhookForm } from "./host.js";

/** A version of the protocol that an agent takes calls of. */
export interface CallVersion {
  readonly protocol: ProtocolFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  /** How HTTP+JSON looks where its JSON is not that of the model. */
  readonly restJson?: RestJson | undefined;
  readonly codecs?: Codecs | undefined;
  /** Makes its calls those of the agent's own version; absent where it is that. */
  readonly adapter?: VersionAdapter | undefined;
}

/** Another version that an agent serves, as `versions/` of the output has it. */
export interface ServedVersion {
  readonly protocol: ProtocolFacts;
  /** Returns the version as one that an agent takes calls of. */
  readonly adaptedTo: (own: AgentFacts) => CallVersion;
}

/** What an adapter knows of the agent. */
export interface AgentFacts extends Pick<CallVersion, "errors" | "operations" | "protocol">, CardFacts {}

/** What is known of the cards of a version. */
export interface CardFacts {
  readonly discovery: DiscoveryFacts;
  /** The key of the signatures of a card; absent where cards have none. */
  readonly signatures?: string | undefined;
}

/**
 * Makes calls of another version calls of the agent's, and what comes of them responses of the other version. What it
 * converts has been checked in the version that it comes from, and is checked in the one that it is then in.
 */
export interface VersionAdapter {
  /** The path where callers look for the card. */
  readonly cardPath: string;
  /** What webhooks get that callers of the version have registered; absent where the version does not say. */
  readonly webhookForm?: WebhookForm | undefined;
  /** Returns which operation of the agent one of the other version is. Throws the error where it is none. */
  operation(operation: Operation): Operation;
  /** Returns a request for an operation of the agent. Throws a `ValidationError` for what its version does not have. */
  request(operation: Operation, request: unknown): unknown;
  /**
   * Returns a response of an operation of the agent as callers read it. Throws a `ValidationError` for what their version
   * does not have.
   */
  response(operation: Operation, response: unknown): unknown;
  /** Returns an operation of the agent with what it demands of requests that the other version can say. */
  demanded(operation: Operation): Operation;
  /** Returns what messages call a request that is not valid once it is one of the agent's version. */
  wording(operation: Operation): string;
  /** Returns whether an operation of the agent responds with a card. */
  returnsCard(operation: Operation): boolean;
  /**
   * Returns the events of an operation of the agent as callers read them. `check` is what is done to them before, and
   * `write` has them converted, so that it sees what their version does not have.
   */
  events(
    operation: Operation,
    source: AsyncIterator<unknown, unknown>,
    check: (event: unknown) => unknown,
    write: (event: unknown, convert: (event: unknown) => unknown) => unknown,
  ): AsyncIterator<unknown, undefined>;
  /** Returns an error of the agent's version as one of the other. */
  error(error: A2AError): A2AError;
  /** Returns the card of the agent as callers read it, without its signatures, which are of another one. */
  card(card: object): object;
  /** Returns the card of the agent with the interfaces of the version: at the addresses of its own, where it names none. */
  listed(card: object): object;
}
