import { protocol } from "../../generated/1.0/operations.js";
import {
  cardUrls,
  readCard,
  reportOf,
  type CardReport,
  type Fetch,
  type Interceptor,
  type TransportFactory,
} from "../agents/index.js";
import { reasonOf } from "../../support/diagnostics.js";
import { textAt } from "../agents/findings.js";
import type { ActsDocument } from "./acts/format.js";
import { runActs, type ParseResponse } from "./acts/run.js";
import { CardSession } from "./card-session.js";
import { Lane, type LaneOptions } from "./lane.js";
import type { Report, Result } from "./result.js";
import { allCardRules, allRules } from "./rules/index.js";
import { runCardRules, runRules, type RuleOptions } from "./run-rules.js";
import { Session } from "./session.js";
import { withTimeLimit } from "../agents/time-limit.js";

/** Options of a probe. */
export interface ProbeOptions {
  readonly fetch?: Fetch | undefined;
  /** Headers with credentials, for the origin of the URL and for `trustedOrigins`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly trustedOrigins?: readonly string[] | undefined;
  /** Factories of the gRPC transports. */
  readonly transports?: readonly TransportFactory[] | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Time limit of each call in milliseconds; 10 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the whole probe in milliseconds; 5 minutes by default. */
  readonly totalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether checks may send messages and store webhooks. */
  readonly allowSend?: boolean | undefined;
  /** Text of the messages; "Hello" by default. */
  readonly message?: string | undefined;
  /** Ids of the rules or tests to run; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Labels of the interfaces to call, such as `JSONRPC 1.0`; all by default. */
  readonly lanes?: readonly string[] | undefined;
  /** Test suites to run instead of the rules. */
  readonly suites?: readonly ActsDocument[] | undefined;
  /** Values for variables in test suites. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Client under test, for the tests of clients in suites. */
  readonly parse?: ParseResponse | undefined;
  /** Values of environment variables that a suite may use. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each result of a check on an interface, as soon as the check ends. */
  readonly onResult?: ((result: Result) => void) | undefined;
}

/** Thrown if the agent's card cannot be read. */
export class UnreachableAgent extends Error {
  override readonly name = "UnreachableAgent";
}

/** Maximum number of interfaces to call. A longer card is not useful. */
const maxLanes = 12;

/**
 * Checks the card of a running agent, and every interface that the card lists.
 *
 * @throws {UnreachableAgent} if the card cannot be read
 */
export async function probeAgent(url: string, options: ProbeOptions = {}): Promise<Report> {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const { timeoutMs = 10_000, totalMs = 300_000, signal = new AbortController().signal } = options;
  const end = withTimeLimit(totalMs, signal);
  const card = await cardOf(url, { ...options, timeoutMs, signal: end });
  const [cardUrl = url] = cardUrls(url);
  const trustedOrigins = [cardUrl, ...(options.trustedOrigins ?? [])];
  const { fetch, headers, transports, interceptors } = options;
  const settings = {
    fetch,
    headers,
    transports,
    interceptors,
    trustedOrigins,
    timeoutMs,
    signal: end,
    cardUrl: card.url ?? cardUrl,
  };
  const { lanes, notes } = lanesOf(card, settings, options.lanes);
  const results = await resultsOf(card, lanes, settings, options);
  for (const lane of lanes) lane.close();
  signal.throwIfAborted();
  if (end.aborted) notes.push("The probe ended at its time limit: some checks are missing");
  return {
    url: cardUrl,
    startedAt,
    durationMs: Math.round(performance.now() - started),
    results,
    notes,
    agent: textAt(card.raw, "name") ?? "",
    agentVersion: textAt(card.raw, "version") ?? "",
    lanes: lanes.map(({ label }) => label),
    suites: (options.suites ?? []).flatMap(({ suites }) =>
      suites.map(({ id, name }) => ({ id, name })),
    ),
  };
}

async function cardOf(
  url: string,
  options: ProbeOptions & { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CardReport> {
  const { fetch, headers, transports = [], timeoutMs, signal } = options;
  const limit = withTimeLimit(timeoutMs, signal);
  const found = await readCard(url, { fetch, headers, signal: limit }).catch((cause: unknown) => {
    signal.throwIfAborted();
    const reason = limit.aborted ? "it did not arrive in time" : reasonOf(cause);
    throw new UnreachableAgent(`the agent card cannot be read: ${reason}`, { cause });
  });
  // Report again, because the gRPC transports determine which interfaces are supported.
  return reportOf(found.raw, found.url, { transports });
}

/** Returns the interfaces to call, and a note for each interface that is not called. */
function lanesOf(
  { interfaces }: CardReport,
  settings: LaneOptions,
  only: readonly string[] | undefined,
): { readonly lanes: readonly Lane[]; readonly notes: string[] } {
  const all = interfaces.map((target) => ({
    lane: new Lane(target, settings),
    isSupported: target.isSupported,
  }));
  const chosen = all.filter(({ lane }) => only === undefined || only.includes(lane.label));
  const notes = chosen.flatMap(({ lane, isSupported }) => {
    if (isSupported) return [];
    const isPackageMissing =
      lane.binding === protocol.bindings.grpc && (settings.transports ?? []).length === 0;
    const hint = isPackageMissing
      ? "install @grpc/grpc-js to call it"
      : "the probe has no client for it";
    return [`${lane.label} at ${lane.target.url} was not called: ${hint}`];
  });
  const supported = chosen.filter(({ isSupported }) => isSupported).map(({ lane }) => lane);
  if (supported.length > maxLanes)
    notes.push(`Only the first ${maxLanes} of ${supported.length} interfaces were called`);
  return { lanes: supported.slice(0, maxLanes), notes };
}

async function resultsOf(
  card: CardReport,
  lanes: readonly Lane[],
  settings: LaneOptions,
  options: ProbeOptions,
): Promise<Result[]> {
  const {
    suites = [],
    allowSend = false,
    message = "Hello",
    only,
    headers = {},
    env = {},
    onResult,
  } = options;
  if (suites.length > 0) {
    const { variables, parse } = options;
    const found = lanes.map((lane) =>
      runActs(suites, { lane, card, allowSend, env, variables, parse, only, settings, onResult }),
    );
    return (await Promise.all(found)).flat();
  }
  const rules: RuleOptions = { allowSend, only, onResult };
  const hasCredentials = Object.keys(headers).length > 0;
  const cardResults = await runCardRules(allCardRules, new CardSession(card, settings), rules);
  const sessions = lanes.map(
    (lane) => new Session(lane, card, { message, hasCredentials, allowSend }),
  );
  return [...cardResults, ...(await runRules(allRules, sessions, rules))];
}
