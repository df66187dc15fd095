import type { Caller } from "../../runtime/server/context.js";
import type { NoUser } from "../../runtime/server/user.js";

/** Key of the issuer whose subjects a check returns as ids. All copies of this module share it. */
export const subjectIssuer: unique symbol = /* @__PURE__ */ Symbol.for("a2a-codegen.subjectIssuer");

/** Data that a check receives in addition to the credentials. */
export interface Access {
  /**
   * Scopes that the card requires. Throw a `PermissionDeniedError` if the credentials do not
   * include them.
   */
  readonly scopes: readonly string[];
  readonly caller: Caller;
  /** The option `resourceMetadata` of `authenticateBy`, to include in challenges. */
  readonly resourceMetadata?: string | undefined;
}

/**
 * Returns the user to whom the credentials belong. If it returns no user (`undefined`, `null`,
 * `false`, `0`, `NaN`, an empty string, or an object with such an `id`), the credentials are
 * invalid. The credentials are the key, the token, or the text after the name of the HTTP scheme.
 * For mutual TLS, they are an empty string, because the certificate belongs to the connection.
 */
export interface CheckCredentials<User> {
  (credentials: string, access: Access): User | NoUser | Promise<User | NoUser>;
  /**
   * The issuer of the ids, if the check returns the subjects of an issuer's tokens as ids of users.
   */
  readonly [subjectIssuer]?: string;
}
