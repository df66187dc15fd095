import { UnauthenticatedError } from "../../errors.js";
import type { Caller } from "../../runtime/server/context.js";
import type { AgentCard } from "../model.js";
import { challengeOf } from "./challenge.js";
import type { CheckCredentials } from "./check-credentials.js";
import { checkNames, checkSubjects, demandsOf, firstUser } from "./demands.js";

export type { Access, CheckCredentials } from "./check-credentials.js";

/** Options for {@link authenticateBy}. */
export interface AuthenticationOptions<User> {
  /**
   * User for callers without credentials, if the card admits such callers; may be `null`, but not
   * `undefined`.
   */
  readonly anonymous?: User;
  /**
   * URL of the metadata (RFC 9728) that `protectedResource` serves. Challenges for bearer tokens
   * include it, so that clients find the issuer.
   */
  readonly resourceMetadata?: string;
}

/** Options for `createAgent` that authenticate callers according to the agent card. */
export interface Authentication<User> {
  readonly authenticate: (caller: Caller) => Promise<User | undefined>;
  readonly challenge?: string;
  /** User for callers without credentials; present if the card admits such callers. */
  readonly anonymous?: User;
}

/**
 * Returns options for `createAgent` that admit callers that satisfy one of the card's security
 * requirements. The requirements are checked in the order of the card. The user is the result of
 * the check for the requirement's first scheme. The requirements of skills are not checked, because
 * requests do not name a skill: use `skillAccess`.
 *
 * @param card - the agent card; its schemes define the location of credentials
 * @param checks - a check for each scheme that the card requires, by its name in the card
 * @param options - `anonymous` is the user for callers without credentials, if the card admits
 *   them. These callers are still anonymous: they cannot get the extended card, and cannot list
 *   each other's tasks
 * @throws {TypeError} if the card requires a scheme that has no check or that the card does not
 *   declare, or if it admits callers without credentials and `anonymous` is missing, or if two
 *   issuers may give their users the same id
 *
 * @example
 * const agent = createAgent({ card, ...authenticateBy(card, { token: (token) => users.get(token)
 * }), service });
 */
export function authenticateBy<User>(
  card: AgentCard,
  checks: Readonly<Record<string, CheckCredentials<User>>>,
  options: AuthenticationOptions<User> = {},
): Authentication<User> {
  const { securitySchemes: schemes = {}, securityRequirements: requirements = [] } = card;
  checkNames(card, checks);
  checkSubjects(checks);
  const demands = requirements.map((requirement) => demandsOf(requirement, schemes, checks));
  const isOpen = demands.length === 0 || demands.some((schemes) => schemes.length === 0);
  if (isOpen && options.anonymous === undefined)
    throw new TypeError(
      "The card admits callers without credentials: set the option `anonymous` to their user",
    );
  const { resourceMetadata } = options;
  const challenge = challengeOf(requirements, schemes, options);
  const authenticate = async (caller: Caller): Promise<User | undefined> => {
    const user = await firstUser(demands, { caller, resourceMetadata });
    if (user !== undefined) return user;
    // Invalid credentials are rejected, even if the card admits callers without credentials.
    if (!isOpen || demands.some((schemes) => schemes.some(({ find }) => find(caller))))
      throw new UnauthenticatedError();
    return undefined;
  };
  return {
    authenticate,
    ...(challenge !== undefined && { challenge }),
    ...(isOpen && { anonymous: options.anonymous }),
  };
}
