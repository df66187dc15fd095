import type { A2AError, A2AErrorOptions } from "../errors.js";
import type { ClientErrors } from "../runtime/protocol/error.js";
import type {
  ClientOperation,
  DiscoveryFacts,
  Operation,
  ProtocolFacts,
} from "../runtime/protocol/operation.js";
import type { Schema } from "../runtime/schema/schema.js";

/**
 * Facts about a protocol version that a task service requires. The generated code passes them to
 * the kit.
 */
export interface ServiceFacts {
  readonly protocol: PostFacts;
  /**
   * Class of the error for a task whose generation differs from the generation that the caller
   * expects. If the class is set, tasks and their events contain generations.
   */
  readonly mismatch: (new (message?: string, options?: A2AErrorOptions) => A2AError) | undefined;
  /** Throws a `ValidationError` if the event is invalid in this version. */
  readonly assertStatusUpdate: (value: unknown) => void;
  /** Throws a `ValidationError` if the event is invalid in this version. */
  readonly assertArtifactUpdate: (value: unknown) => void;
}

/** Facts for posting to a webhook. */
export type PostFacts = Pick<ProtocolFacts, "version" | "headers" | "mediaTypes">;

/**
 * Facts for reading a push notification. The types of the schemas have the members of the kit's
 * types, but may have further states and kinds of content.
 */
export interface ReceiverFacts {
  readonly protocol: Pick<ProtocolFacts, "mediaTypes">;
  readonly event: Schema<object>;
  readonly task: Schema<object>;
}

/** Facts for signing agent cards. */
export interface SigningFacts {
  readonly card: Schema<object>;
}

/** Facts for verifying the signatures of agent cards. */
export interface VerifyingFacts extends SigningFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly extendedCard: Pick<ClientOperation, "name">;
}

/** Facts for following a task. */
export interface FollowFacts {
  readonly errors: Pick<ClientErrors, "invalidResponse">;
  /** Whether tasks and their events contain generations in this version. */
  readonly counts: boolean;
}

/** Facts for checking calls against the capabilities of an agent. */
export interface CapabilityFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly operations: readonly Operation[];
  readonly send: ClientOperation;
  readonly stream: ClientOperation;
}

/** Facts for sending credentials. */
export interface CredentialFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly protocol: Pick<ProtocolFacts, "headers">;
}

/** Facts for requesting extensions. */
export interface ExtensionFacts {
  readonly discovery: Pick<DiscoveryFacts, "path" | "extensions">;
  readonly protocol: Pick<ProtocolFacts, "headers">;
}
