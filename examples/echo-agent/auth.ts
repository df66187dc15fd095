import { UnauthenticatedError, type AgentOptions } from "../../generated/1.0/index.js";

/** Finds out who calls; `undefined` where the caller does not say. */
export type Authenticate = NonNullable<AgentOptions<string | undefined>["authenticate"]>;

/**
 * Knows callers by their bearer tokens, given with the name of the user that each belongs to. Calls without credentials
 * may go on as nobody's; wrong credentials are an `UnauthenticatedError`.
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
