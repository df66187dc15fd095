import { PermissionDeniedError, UnauthenticatedError } from "../../errors.js";
import type { Caller } from "../../runtime/server/context.js";
import type { AgentCard } from "../model.js";
import type { CheckCredentials } from "./check-credentials.js";
import { challengeOf, type ChallengeOptions } from "./challenge.js";
import { checkNames, demandsOf, type Demands, firstUser } from "./demands.js";

/**
 * Checks whether a caller satisfies the security requirements of the skill with the given id.
 * Returns the user of the first scheme, or `undefined` if the skill has no requirements. Rejects
 * with an `UnauthenticatedError`, whose challenge lists the schemes of the skill, or with the error
 * of a check, for example because scopes are missing. If the skill is unknown, rejects with a
 * `PermissionDeniedError`.
 */
export type CheckSkill<User> = (skill: string, caller: Caller) => Promise<User | undefined>;

/**
 * Returns a function that checks the security requirements of individual skills. Requests do not
 * name a skill, so only the program knows which skill it uses for a message. Call the function in
 * `authorize`, or in a method of the service, before the program uses the skill. The card's own
 * requirements still apply to every call.
 *
 * @param card - the agent card; its skills define the requirements
 * @param checks - a check for each scheme that a skill requires, by its name in the card
 * @throws {TypeError} if a skill requires a scheme that has no check or that the card does not
 *   declare
 *
 * @example
 * const checkSkill = skillAccess(card, { login });
 * const agent = createAgent({
 *   card,
 *   ...authenticateBy(card, { login }),
 *   authorize: ({ request, context }) => checkSkill(skillFor(request), context),
 *   service,
 * });
 */
export function skillAccess<User>(
  card: AgentCard,
  checks: Readonly<Record<string, CheckCredentials<User>>>,
  options: ChallengeOptions = {},
): CheckSkill<User> {
  checkNames(card, checks);
  const { securitySchemes: schemes = {}, skills } = card;
  const rules = new Map(
    skills.map(({ id, securityRequirements: requirements = [] }): [string, SkillRule<User>] => [
      id,
      {
        demands: requirements.map((requirement) => demandsOf(requirement, schemes, checks)),
        challenge: challengeOf(requirements, schemes, options),
      },
    ]),
  );
  return async (skill, caller) => {
    const rule = rules.get(skill);
    // The id may come from the caller, so do not treat an unknown id as a mistake in the program.
    if (rule === undefined) throw new PermissionDeniedError("The agent has no such skill");
    const { demands, challenge } = rule;
    if (demands.length === 0 || demands.some(({ length }) => length === 0)) return undefined;
    const user = await firstUser(demands, { caller, resourceMetadata: options.resourceMetadata });
    if (user === undefined) throw new SkillError(challenge);
    return user;
  };
}

/** Requirements of a skill. */
interface SkillRule<User> {
  readonly demands: readonly Demands<User>[];
  readonly challenge: string | undefined;
}

/** Error for a caller without the credentials that a skill requires. */
class SkillError extends UnauthenticatedError {
  override readonly challenge: string | undefined;

  constructor(challenge: string | undefined) {
    super("The skill requires additional credentials");
    this.challenge = challenge;
  }
}
