import type { ErrorWriter } from "../protocol/error.js";
import type { Operation, ProtocolFacts } from "../protocol/operation.js";

/**
 * Lets callers of another version talk to an agent. All that the server knows of other versions is behind this: each
 * member turns something of the caller's version into the agent's, or back, and one that is absent leaves it as it is.
 */
export interface VersionAdapter {
  /**
   * Returns the version, as `Major.Minor`, that a call is held in, or `undefined` where the adapter does not take it.
   * `named` is the version that the call names, if it does; `binding` is absent for the agent card.
   */
  versionOf(named: string | undefined, binding: string | undefined): string | undefined;
  /** Returns which method of the agent's version a method of JSON-RPC is, if the adapter knows it. */
  method?(name: string): AdaptedMethod | undefined;
  /**
   * Returns a request of the caller as one of the agent's version; it is checked afterwards. `calledAs` is the method
   * by which the caller named the operation. Throws a `ValidationError` for what cannot be understood without doubt.
   */
  request?(operation: Operation, request: unknown, calledAs: string | undefined): unknown;
  /** Returns a response as callers of the version read it. */
  response?(operation: Operation, response: unknown): unknown;
  /** Returns an event of a stream as callers of the version read it. */
  event?(operation: Operation, event: unknown): unknown;
  /** Writes errors as callers of the version read them. */
  readonly errorWriter?: ErrorWriter;
  /** Returns the agent card as callers of the version read it. */
  card?(card: object): object;
}

/** A method of the agent's version, and why it cannot be called under another name, where that is so. */
export interface AdaptedMethod {
  readonly method: string;
  readonly problem?: string;
}

/** What an adapter knows of the agent that it works for. */
export interface AdapterHost {
  readonly protocol: ProtocolFacts;
  /** The versions that the agent takes without an adapter, as `Major.Minor`. */
  readonly versions: readonly string[];
  /** Reports an error that no caller is told about. */
  readonly report: (error: unknown) => void;
}

/** Makes the adapter of an agent. */
export type AdapterFactory = (host: AdapterHost) => VersionAdapter;
