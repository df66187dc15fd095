import { reasonOf } from "../../support/diagnostics.js";
import type { CardSession } from "./card-session.js";
import { isError } from "./errors.js";
import type { Reply } from "./reply.js";
import { isFailure, maxReplies, measure, type Result } from "./result.js";
import {
  Inapplicable,
  placeOf,
  type CardRule,
  type Level,
  type Outcome,
  type Rule,
} from "./rule.js";
import type { Session } from "./session.js";

/** Options of a run of rules. */
export interface RuleOptions {
  /** Whether checks may send messages and store webhooks. */
  readonly allowSend: boolean;
  /** Ids of the rules to run; all by default. */
  readonly only?: readonly string[] | undefined;
  readonly onResult?: ((result: Result) => void) | undefined;
}

/** The rule for interfaces that do not respond at all. */
const respondsRule = "interface-responds";

/** Runs the rules for the card. */
export async function runCardRules(
  rules: readonly CardRule[],
  session: CardSession,
  options: RuleOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const rule of rules.filter((candidate) => isSelected(candidate.id, options))) {
    const place = placeOf(rule, !session.isEarlier);
    if (place === undefined) continue;
    const found = await resultOf({ ...rule, ...place }, "card", session, async () =>
      rule.check(session),
    );
    results.push(withoutRepetition(rule, found, results));
  }
  return results;
}

/**
 * Runs the rules for all interfaces: on each interface one after the other, on all interfaces at
 * the same time. Checks with malformed messages start when all other checks have ended, because
 * interfaces often share their tasks. If checks may send messages, finally cancels the tasks that
 * still run.
 */
export async function runRules(
  rules: readonly Rule[],
  sessions: readonly Session[],
  options: RuleOptions,
): Promise<Result[]> {
  const runs = sessions.map((session) => ({ session, results: new Array<Result>() }));
  for (const malformed of [false, true]) {
    const turn = rules.filter(
      ({ id, needs }) => isSelected(id, options) && (needs?.malformed ?? false) === malformed,
    );
    await Promise.all(runs.map(({ session, results }) => runTurn(turn, session, results, options)));
  }
  if (options.allowSend) await Promise.all(sessions.map((session) => session.cancelTasks()));
  return runs.flatMap(({ results }) => results);
}

async function runTurn(
  rules: readonly Rule[],
  session: Session,
  results: Result[],
  options: RuleOptions,
): Promise<void> {
  const { lane } = session;
  for (const rule of rules) {
    // If the interface does not respond, every other rule would also fail, so report only this
    // failure.
    if (results[0]?.id === respondsRule && results[0].state === "fail") return;
    const place = placeOf(rule, lane.isCurrent, lane.binding);
    if (place === undefined || !appliesTo(rule, session)) continue;
    const outcome = await resultOf({ ...rule, ...place }, lane.label, session, () => {
      const isSkipped = rule.needs?.sends === true && !options.allowSend;
      if (isSkipped) throw new Inapplicable("it sends messages, which requires --allow-send");
      return checkRule(rule, session);
    });
    const found = withoutRepetition(rule, outcome, results);
    options.onResult?.(found);
    results.push(found);
  }
}

/** Skips a failure that another rule has already reported. */
function withoutRepetition(
  { follows = [] }: Rule | CardRule,
  found: Result,
  before: readonly Result[],
): Result {
  if (found.state !== "fail") return found;
  const cause = before.find((earlier) => follows.includes(earlier.id) && isFailure(earlier));
  if (cause === undefined) return found;
  const reason = `${cause.id} reports the same fault: ${found.reason}`;
  return { ...found, state: "skip", reason, replies: [] };
}

/**
 * Checks a rule. A failure says nothing about the rule if the agent only refuses calls without the
 * credentials or the extensions that its card requires.
 */
async function checkRule(rule: Rule, session: Session): Promise<Outcome> {
  const outcome = await rule.check(session);
  if (outcome === undefined) return undefined;
  const isMissingCredentials =
    !session.options.hasCredentials && session.used.some(isUnauthenticated);
  if (isMissingCredentials && !rule.id.startsWith("auth-"))
    throw new Inapplicable("the agent requires credentials: pass --bearer or --header");
  const isMissingExtension =
    session.requiresExtension &&
    session.used.some((reply) => isError(reply, "ExtensionSupportRequiredError"));
  if (isMissingExtension && rule.id !== "extension-required")
    throw new Inapplicable("the agent requires an extension: pass --header A2A-Extensions:URI");
  return outcome;
}

function isUnauthenticated({ status, error }: Reply): boolean {
  return (
    status === 401 || error?.name === "UnauthenticatedError" || error?.code === "UNAUTHENTICATED"
  );
}

function isSelected(id: string, { only }: RuleOptions): boolean {
  return only === undefined || only.includes(id);
}

/** Returns whether a rule applies to the binding and the capabilities of an interface. */
function appliesTo({ needs = {} }: Rule, session: Session): boolean {
  const { binding, http, capability, without } = needs;
  if (binding !== undefined && binding !== session.lane.binding) return false;
  if (http === true && !session.lane.isHttp) return false;
  if (capability !== undefined && !session.declares(capability)) return false;
  return without === undefined || !session.declares(without);
}

/** A rule, at its section and level for an interface. */
type PlacedRule = Pick<Rule | CardRule, "id" | "title"> & {
  readonly section: string;
  readonly level: Level;
};

function resultOf(
  { id, title, level, section }: PlacedRule,
  lane: string,
  session: Session | CardSession,
  check: () => Promise<Outcome>,
): Promise<Result> {
  return measure({ id, title, level, section, lane, suite: "" }, async () => {
    session.used = [];
    try {
      const reason = await check();
      if (reason === undefined) return { state: "pass", reason: "", replies: [] };
      return { state: "fail", reason, replies: session.used.slice(-maxReplies) };
    } catch (error) {
      const reason = reasonOf(error);
      if (error instanceof Inapplicable) return { state: "skip", reason, replies: [] };
      return {
        state: "error",
        reason: `the check failed: ${reason}`,
        replies: session.used.slice(-maxReplies),
      };
    }
  });
}
