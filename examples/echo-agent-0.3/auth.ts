import { UnauthenticatedError, type AgentOptions } from "../../generated/0.3.0/index.js";

/** Finds out who calls. */
export type Authenticate = NonNullable<AgentOptions["authenticate"]>;

/**
 * Knows callers by their bearer tokens, given with the name of the user that each belongs to. Callers without credentials
 * are anonymous; invalid credentials are an `UnauthenticatedError`.
 */
export function bearerTokens(users: ReadonlyMap<string, string>): Authenticate {
  return ({ headers }) => {
    const credentials = headers.get("authorization");
    if (credentials === undefined) return undefined;
    const token = /^Bearer ([!-~]+)$/i.exec(credentials)?.[1];
    const user = token === undefined ? undefined : users.get(token);
    if (user === undefined) throw new UnauthenticatedError("The bearer token is not valid");
    return user;
  };
}
