import type { A2AError, A2AErrorOptions } from "../errors.js";
import type { ClientErrors } from "../runtime/protocol/error.js";
import type { ClientOperation, DiscoveryFacts, Operation, ProtocolFacts } from "../runtime/protocol/operation.js";
import type { Schema } from "../runtime/schema/schema.js";
import type { AgentCard, Models } from "./model.js";

/** Facts of a version of the protocol that a task service needs. An output hands them over once. */
export interface ServiceFacts {
  readonly protocol: PostFacts;
  /**
   * The error for a task of another generation than the caller expects. If it is set, tasks and their events carry
   * their generations.
   */
  readonly mismatch: (new (message?: string, options?: A2AErrorOptions) => A2AError) | undefined;
  /** Throws a `ValidationError` for an event that is not valid in the version. */
  readonly assertStatusUpdate: (value: unknown) => void;
  /** Throws a `ValidationError` for an event that is not valid in the version. */
  readonly assertArtifactUpdate: (value: unknown) => void;
}

/** Facts that a post to a webhook is written by. */
export type PostFacts = Pick<ProtocolFacts, "version" | "headers" | "mediaTypes">;

/** Facts that a post to a webhook is read by. */
export interface ReceiverFacts<M extends Models = Models> {
  readonly protocol: Pick<ProtocolFacts, "mediaTypes">;
  readonly event: Schema<M["StreamResponse"]>;
  readonly task: Schema<M["Task"]>;
}

/** Facts that signatures of agent cards are made by. */
export interface SigningFacts {
  readonly card: Schema<AgentCard>;
}

/** Facts that signatures of agent cards are checked by. */
export interface VerifyingFacts extends SigningFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly extendedCard: Pick<ClientOperation, "name">;
}

/** Facts that a task is followed by. */
export interface FollowFacts {
  readonly errors: Pick<ClientErrors, "invalidResponse">;
  /** Whether tasks and their events carry generations in this version. */
  readonly counts: boolean;
}

/** Facts that calls are checked by against the capabilities of an agent. */
export interface CapabilityFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly operations: readonly Operation[];
  readonly send: ClientOperation;
  readonly stream: ClientOperation;
}

/** Facts that credentials are sent by. */
export interface CredentialFacts {
  readonly discovery: Pick<DiscoveryFacts, "path">;
  readonly protocol: Pick<ProtocolFacts, "headers">;
}

/** Facts that files of agents are decoded by. */
export interface BindingFacts {
  readonly protocol: { readonly bindings: { readonly jsonRpc: string } };
}
