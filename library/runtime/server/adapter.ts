import type { Codecs } from "../protocol/codec.js";
import type { A2AError, ErrorTable, ErrorWriter } from "../protocol/error.js";
import type { DiscoveryFacts, Operation, ServiceFacts } from "../protocol/operation.js";
import type { RestJson } from "../protocol/rest-json.js";
import type { WebhookForm } from "./host.js";

/** A version of the protocol in which an agent accepts calls. */
export interface CallVersion {
  readonly protocol: ServiceFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  /** Conversion for HTTP+JSON, if its JSON differs from the JSON of the model. */
  readonly restJson?: RestJson | undefined;
  readonly codecs?: Codecs | undefined;
  /**
   * Adapter that converts calls to the agent's own version. Absent if this is the agent's own
   * version.
   */
  readonly adapter?: VersionAdapter | undefined;
}

/** Another version that an agent serves, exported from `versions/` of the output. */
export interface ServedVersion {
  readonly protocol: ServiceFacts;
  /** Returns the version with an adapter that converts to the agent's version. */
  readonly adaptedTo: (own: AgentFacts) => CallVersion;
}

/** Facts about the agent, for an adapter. */
export interface AgentFacts
  extends Pick<CallVersion, "errors" | "operations" | "protocol">, CardFacts {}

/** Facts about the cards of a version. */
export interface CardFacts {
  readonly discovery: DiscoveryFacts;
  /** The key of the signatures of a card. Absent if cards have no signatures. */
  readonly signatures?: string | undefined;
}

/**
 * Adapter that converts calls in another version to calls in the agent's version, and responses
 * back. Each value is checked in its original version, and again in the version that it is
 * converted to.
 */
export interface VersionAdapter {
  /** The path at which callers look for the card. */
  readonly cardPath: string;
  /**
   * Form of requests to webhooks that callers of the version have registered. Absent if the version
   * does not define it.
   */
  readonly webhookForm?: WebhookForm | undefined;
  /**
   * Returns the agent's operation for an operation of the other version. Throws the error for an
   * operation without a counterpart.
   */
  operation(operation: Operation): Operation;
  /**
   * Converts a request to a request for the agent's operation. Throws a `ValidationError` for
   * values that the agent's version cannot represent.
   */
  request(operation: Operation, request: unknown): unknown;
  /**
   * Converts a response of the agent to the version of the caller. Throws a `ValidationError` for
   * values that the caller's version cannot represent.
   */
  response(operation: Operation, response: unknown): unknown;
  /**
   * Returns an operation of the agent without the requirements that the other version cannot
   * satisfy.
   */
  relaxed(operation: Operation): Operation;
  /**
   * Returns the name that error messages use for a request that is invalid after its conversion.
   */
  requestName(operation: Operation): string;
  /** Returns whether an operation of the agent responds with a card. */
  returnsCard(operation: Operation): boolean;
  /**
   * Returns the events of an operation of the agent in the version of the caller. `check` is called
   * with each event before the conversion. `write` receives the event and the conversion, and calls
   * the conversion itself, so that it can handle errors of the conversion.
   */
  events(
    operation: Operation,
    source: AsyncIterator<unknown, unknown>,
    check: (event: unknown) => unknown,
    write: (event: unknown, convert: (event: unknown) => unknown) => unknown,
  ): AsyncIterator<unknown, undefined>;
  /** Returns an error of the agent's version as an error of the other version. */
  error(error: A2AError): A2AError;
  /**
   * Returns the agent's card in the version of the caller, without signatures, because they would
   * not match.
   */
  card(card: object): object;
  /**
   * Returns the agent's card with interfaces of the version. If the card has no such interfaces,
   * copies the interfaces of the agent's version.
   */
  listed(card: object): object;
}
