import type { ServerCall } from "./context.js";

/** An extension of the protocol that an agent supports. */
export interface ServerExtension {
  readonly uri: string;
  /** Entry for the agent card that declares the extension. */
  readonly declaration: object;
  /**
   * Called for each call that requests the extension, after `authorize` and before the service. To
   * reject the call, throw a protocol error. The result is ignored.
   */
  accept?(call: ServerCall): unknown;
}
