import type { CardSession } from "./card-session.js";
import { isError } from "./errors.js";
import type { Reply } from "./reply.js";
import { isFailure, measured, type Result } from "./result.js";
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
const responds = "interface-responds";

/** Maximum number of requests to keep with a failure. */
const maxReplies = 3;

/** Runs the rules for the card. */
export async function runCardRules(
  rules: readonly CardRule[],
  session: CardSession,
  options: RuleOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const rule of rules.filter((candidate) => isMeant(candidate.id, options))) {
    const place = placeOf(rule, !session.isEarlier);
    if (place === undefined) continue;
    const found = await result({ ...rule, ...place }, "card", session, async () =>
      rule.check(session),
    );
    results.push(withoutEcho(rule, found, results));
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
  for (const isLast of [false, true]) {
    const turn = rules.filter(
      ({ id, needs }) => isMeant(id, options) && (needs?.malformed === true) === isLast,
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
    if (results[0]?.id === responds && results[0].state === "fail") return;
    const place = placeOf(rule, lane.isCurrent, lane.binding);
    if (place === undefined || !isFor(rule, session)) continue;
    const outcome = await result({ ...rule, ...place }, lane.label, session, () => {
      const isSkipped = rule.needs?.sends === true && !options.allowSend;
      if (isSkipped) throw new Inapplicable("it sends messages, which requires --allow-send");
      return checked(rule, session);
    });
    const found = withoutEcho(rule, outcome, results);
    options.onResult?.(found);
    results.push(found);
  }
}

/** Skips a failure that another rule has already reported. */
function withoutEcho(
  { follows = [] }: Rule | CardRule,
  found: Result,
  before: readonly Result[],
): Result {
  const cause =
    found.state === "fail"
      ? before.find((earlier) => follows.includes(earlier.id) && isFailure(earlier))
      : undefined;
  return cause === undefined
    ? found
    : {
        ...found,
        state: "skip",
        reason: `${cause.id} reports the same fault: ${found.reason}`,
        replies: [],
      };
}

/**
 * Checks a rule. A failure says nothing about the rule if the agent only refuses calls without the
 * credentials or the extensions that its card requires.
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
  return (
    status === 401 || error?.name === "UnauthenticatedError" || error?.code === "UNAUTHENTICATED"
  );
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

/** A rule, at its section and level for an interface. */
type PlacedRule = Pick<Rule | CardRule, "id" | "title"> & {
  readonly section: string;
  readonly level: Level;
};

function result(
  { id, title, level, section }: PlacedRule,
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
      return {
        state: "error",
        reason: `the check failed: ${reason}`,
        replies: session.used.slice(-maxReplies),
      };
    }
  });
}
