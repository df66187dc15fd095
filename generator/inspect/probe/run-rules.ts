import type { CardSession } from "./card-session.js";
import { isError } from "./errors.js";
import type { Reply } from "./reply.js";
import { measured, type Result } from "./result.js";
import { Inapplicable, type CardRule, type Outcome, type Rule } from "./rule.js";
import type { Session } from "./session.js";

/** Options of a run of rules. */
export interface RuleOptions {
  /** Whether checks may send messages and store webhooks. */
  readonly allowSend: boolean;
  /** Ids of the rules to run; all by default. */
  readonly only?: readonly string[] | undefined;
  readonly onResult?: ((result: Result) => void) | undefined;
}

/** Maximum number of requests to keep with a failure. */
const maxReplies = 3;

/** Runs the rules for the card. */
export async function runCardRules(
  rules: readonly CardRule[],
  session: CardSession,
  options: RuleOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const rule of rules.filter((each) => isMeant(each.id, options))) {
    const section = session.isEarlier ? rule.earlier : rule.section;
    if (section === undefined) continue;
    results.push(await result({ ...rule, section }, "card", session, async () => rule.check(session)));
  }
  return results;
}

/** Runs the rules for one interface, one after the other. */
export async function runRules(rules: readonly Rule[], session: Session, options: RuleOptions): Promise<Result[]> {
  const results: Result[] = [];
  const { lane } = session;
  for (const rule of rules.filter((each) => isMeant(each.id, options))) {
    const section = lane.isCurrent ? rule.section : rule.earlier;
    if (section === undefined || !isFor(rule, session)) continue;
    const found = await result({ ...rule, section }, lane.label, session, () => {
      const isSkipped = rule.needs?.sends === true && !options.allowSend;
      if (isSkipped) throw new Inapplicable("it sends messages, which requires --allow-send");
      return checked(rule, session);
    });
    options.onResult?.(found);
    results.push(found);
    // The first rule checks that the interface responds. If it fails, every other rule would also fail, so report only
    // this failure.
    if (rule === rules[0] && found.state === "fail") break;
  }
  return results;
}

/**
 * Checks a rule. A failure says nothing about the rule if the agent only refuses calls without the credentials or the
 * extensions that its card requires.
 */
async function checked(rule: Rule, session: Session): Promise<Outcome> {
  const outcome = await rule.check(session);
  const isClosed = !session.options.hasCredentials && session.used.some(isUnauthenticated);
  if (outcome !== undefined && isClosed && !rule.id.startsWith("auth-"))
    throw new Inapplicable("the agent requires credentials: pass --bearer or --header");
  const isExtended = rule.id !== "extension-required" && session.requiresExtension;
  if (
    outcome !== undefined &&
    isExtended &&
    session.used.some((reply) => isError(reply, "ExtensionSupportRequiredError"))
  )
    throw new Inapplicable("the agent requires an extension: pass --header A2A-Extensions:URI");
  return outcome;
}

function isUnauthenticated({ status, error }: Reply): boolean {
  return status === 401 || error?.name === "UnauthenticatedError" || error?.code === "UNAUTHENTICATED";
}

function isMeant(id: string, { only }: RuleOptions): boolean {
  return only === undefined || only.includes(id);
}

/** Returns whether a rule applies to the binding and the capabilities of an interface. */
function isFor({ needs = {} }: Rule, session: Session): boolean {
  const { binding, http, capability, without } = needs;
  if (binding !== undefined && binding !== session.lane.binding) return false;
  if (http === true && !session.lane.isHttp) return false;
  if (capability !== undefined && !session.has(capability)) return false;
  return without === undefined || !session.has(without);
}

type RuleWithSection = (Rule | CardRule) & { readonly section: string };

function result(
  { id, title, level, section }: RuleWithSection,
  lane: string,
  session: Session | CardSession,
  check: () => Promise<Outcome>,
): Promise<Result> {
  return measured({ id, title, level, section, lane, suite: "" }, async () => {
    session.used = [];
    try {
      const reason = await check();
      if (reason === undefined) return { state: "pass", reason: "", replies: [] };
      return { state: "fail", reason, replies: session.used.slice(-maxReplies) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Inapplicable) return { state: "skip", reason, replies: [] };
      return { state: "error", reason: `the check failed: ${reason}`, replies: session.used.slice(-maxReplies) };
    }
  });
}
