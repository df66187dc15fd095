import type { JsonObject } from "../../runtime/base/json.js";
import type { Message } from "../model.js";

/** A message with the data of its call. */
export interface Incoming<User = unknown> {
  readonly message: Message;
  /**
   * The stored user data: the result of the option `remember` for the user that the agent's
   * `authenticate` returned. By default, a string unchanged, and `{ id }` of an object.
   */
  readonly user: User;
  /**
   * The owner of the caller's tasks in the tenant; the empty string for anonymous callers. Callers
   * choose the ids of contexts, so a key for data outside of the task must contain the owner and
   * the tenant.
   */
  readonly owner: string;
  readonly tenant: string | undefined;
  /** URIs of the extensions that the caller requested. */
  readonly extensions: readonly string[];
  /** Media types that the caller accepts; empty if the caller did not specify any media types. */
  readonly acceptedOutputModes: readonly string[];
  /** The `metadata` of the request. */
  readonly metadata: JsonObject | undefined;
  /**
   * Protocol version of the caller, `Major.Minor`; absent in tasks that an earlier output stored.
   */
  readonly version: string | undefined;
  /**
   * Lists an extension as active in the response. Calls only have an effect until the response to
   * the message begins, which for a stream is the first update. A turn that is resumed after its
   * process has ended has no response. Throws a `TypeError` if `uri` is not a URI.
   */
  readonly activateExtension: (uri: string) => void;
}
