import { UnauthenticatedError, type AgentOptions } from "../../generated/0.3.0/index.js";

/** Identifies the caller; returns `undefined` for callers without credentials. */
export type Authenticate = NonNullable<AgentOptions["authenticate"]>;

/**
 * Authenticates callers by bearer tokens, which are passed with the name of their user. Callers
 * without credentials are anonymous. Invalid credentials cause an `UnauthenticatedError`.
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
