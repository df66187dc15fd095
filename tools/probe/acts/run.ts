import { setTimeout } from "node:timers/promises";
import { protocol } from "../../../generated/1.0/operations.js";
import { reasonOf } from "../../../support/diagnostics.js";
import { isObject, listAt, member, textAt } from "../../agents/findings.js";
import type { CardReport } from "../../agents/index.js";
import type { Lane, LaneOptions } from "../lane.js";
import type { Reply } from "../reply.js";
import { maxReplies, measure, type Result } from "../result.js";
import { Inapplicable } from "../rule.js";
import { assertionFailure, failureOf, rootOf, type StepFailure } from "./expect.js";
import type { ActsDocument, Preconditions, Step, Test } from "./format.js";
import { bindings, callOperation, isChange, sendRaw } from "./operations.js";
import { isTrue, UnknownVariable, Variables } from "./variables.js";

/** Reads an agent's response with the client under test, and returns the client's result. */
export type ParseResponse = (operation: string, payload: unknown) => Promise<unknown>;

/** Context for running suites on one interface. */
export interface ActsOptions {
  readonly lane: Lane;
  readonly card: CardReport;
  readonly allowSend: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of variables that the user has passed. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Client under test. Without a client, tests of clients are skipped. */
  readonly parse?: ParseResponse | undefined;
  /** Ids of the tests to run; all by default. */
  readonly only?: readonly string[] | undefined;
  readonly settings: Pick<LaneOptions, "signal">;
  readonly onResult?: ((result: Result) => void) | undefined;
}

/** Number of tests that run at the same time on one interface. */
const concurrency = 8;

/** Runs the tests of suites on one interface. Results are in the order of the suites. */
export async function runActs(
  documents: readonly ActsDocument[],
  options: ActsOptions,
): Promise<Result[]> {
  const all = documents
    .filter(({ specVersion }) => options.lane.version === /^\d+\.\d+/.exec(specVersion)?.[0])
    .flatMap((document) =>
      document.suites.flatMap((suite) => suite.tests.map((test) => ({ document, suite, test }))),
    );
  const { only, lane } = options;
  // Tests of clients contain JSON-RPC responses, so running them for other bindings would only
  // repeat the tests.
  const appliesHere = ({ transport, steps }: Test): boolean =>
    includesBinding(transport, lane) &&
    (lane.binding === protocol.bindings.jsonRpc ||
      !steps.some((step) => "client_response" in step));
  const selected = all.filter(
    ({ test }) => appliesHere(test) && (only === undefined || only.includes(test.id)),
  );
  const results = new Array<Result>(selected.length);
  // All workers take their tests from one iterator.
  const queue = selected.entries();
  const work = async (): Promise<void> => {
    for (const [at, { document, suite, test }] of queue) {
      const facts = {
        id: test.id,
        title: test.name,
        level: test.level,
        section: test.spec_ref ?? "",
        lane: lane.label,
        suite: suite.id,
      };
      const result = await measure(facts, () => new TestRun(test, document, options).run());
      options.onResult?.(result);
      results[at] = result;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

/**
 * Returns whether a list of transports contains the binding of an interface. Without a list,
 * returns `true`.
 */
function includesBinding(transports: readonly string[] | undefined, { binding }: Lane): boolean {
  return transports === undefined || transports.some((name) => bindings[name] === binding);
}

/** Returns the reason why an agent does not meet the preconditions of a test, if any. */
function unmetPrecondition(
  { capabilities = {}, skills = [], transport, extensions = [] }: Preconditions,
  { lane, card }: ActsOptions,
): string | undefined {
  const { raw } = card;
  for (const [name, wanted] of Object.entries(capabilities))
    if (capabilityOf(raw, name) !== wanted) return `the test requires ${name}: ${String(wanted)}`;
  const ids = listAt(raw, "skills").map((skill) => textAt(skill, "id"));
  const skill = skills.find(({ id }) => !ids.includes(id));
  if (skill !== undefined) return `the card has no skill ${skill.id}`;
  const uris = listAt(member(raw, "capabilities"), "extensions").map((declared) =>
    textAt(declared, "uri"),
  );
  const extension = extensions.find((uri) => !uris.includes(uri));
  if (extension !== undefined) return `the card has no extension ${extension}`;
  return includesBinding(transport, lane) ? undefined : "the test is for another transport";
}

function capabilityOf(card: unknown, name: string): unknown {
  // Cards do not declare this capability. An agent with security requirements authenticates its
  // callers.
  if (name === "authentication") return listAt(card, "securityRequirements").length > 0;
  return member(member(card, "capabilities"), name) ?? false;
}

type TestOutcome = Pick<Result, "state" | "reason" | "replies"> & {
  readonly step?: string | undefined;
};

/** One test in progress. */
class TestRun {
  readonly #test: Test;
  readonly #options: ActsOptions;
  readonly #variables: Variables;
  readonly #replies: Reply[] = [];

  constructor(test: Test, { variables }: ActsDocument, options: ActsOptions) {
    this.#test = test;
    this.#options = options;
    const { url } = options.lane.target;
    const base = { baseUrl: url, SUT_BASE_URL: url };
    this.#variables = new Variables({ ...base, ...variables, ...options.variables }, options.env);
  }

  async run(): Promise<TestOutcome> {
    const { preconditions = {}, steps, assertions = [] } = this.#test;
    let current = "";
    try {
      const missing = unmetPrecondition(preconditions, this.#options) ?? this.#reasonToSkip();
      if (missing !== undefined) throw new Inapplicable(missing);
      for (const step of steps) {
        current = step.id;
        const failure = await this.#runStep(step);
        if (failure !== undefined) return this.#failed(failure.message, current);
      }
      const failure = assertionFailure(assertions, this.#variables);
      return failure === undefined
        ? { state: "pass", reason: "", replies: [] }
        : this.#failed(failure.message, current);
    } catch (error) {
      const reason = reasonOf(error);
      if (error instanceof Inapplicable) return { state: "skip", reason, replies: [] };
      if (error instanceof UnknownVariable) return this.#failed(reason, current);
      return { ...this.#failed(`the test failed: ${reason}`, current), state: "error" };
    }
  }

  /** Returns the reason why the test may not run. */
  #reasonToSkip(): string | undefined {
    const { steps } = this.#test;
    const { allowSend, parse } = this.#options;
    if (parse === undefined && steps.some((step) => step.client_response !== undefined))
      return "it tests a client";
    if (!allowSend && steps.some(({ operation, raw }) => isChange(operation, raw)))
      return "it sends messages, which requires --allow-send";
    return undefined;
  }

  #failed(reason: string, step: string): TestOutcome {
    return { state: "fail", reason, step, replies: this.#replies.slice(-maxReplies) };
  }

  async #runStep(step: Step): Promise<StepFailure | undefined> {
    const { delay_ms = 0, repeat } = step;
    await this.#pause(delay_ms);
    if (repeat === undefined) return this.#attempt(step);
    const { until, max_attempts = 10, delay_ms: pauseMs = 1_000, backoff = "none" } = repeat;
    const factors: Readonly<Record<string, (attempt: number) => number>> = {
      linear: (attempt) => attempt,
      exponential: (attempt) => 2 ** (attempt - 1),
    };
    for (let attempt = 1; attempt <= max_attempts; attempt += 1) {
      const failure = await this.#attempt(step);
      if (failure !== undefined) return failure;
      if (isTrue(until, this.#variables.fill(`{{${step.id}.response}}`))) return undefined;
      const factor = factors[backoff]?.(attempt) ?? 1;
      if (attempt < max_attempts) await this.#pause(pauseMs * factor);
    }
    return { message: `the condition "${until}" was still false after ${max_attempts} attempts` };
  }

  async #attempt(step: Step): Promise<StepFailure | undefined> {
    if (step.assertion !== undefined) return assertionFailure([step.assertion], this.#variables);
    if (step.client_response !== undefined) return this.#parseResponse(step);
    // Assertions and the condition may use the response of this step, so fill them later.
    const filled = this.#variables.fill({ ...step, assertions: [], repeat: undefined }) as Step;
    const reply = await this.#send(filled);
    this.#replies.push(reply);
    const isRaw = filled.raw !== undefined;
    const failure = failureOf(filled, reply, isRaw);
    if (failure !== undefined) return failure;
    this.#variables.capture(step.id, rootOf(reply, isRaw), step.capture);
    return assertionFailure(step.assertions ?? [], this.#variables);
  }

  #send({ operation = "", params, raw }: Step): Promise<Reply> {
    const { lane } = this.#options;
    // Send the requests of authentication tests without the user's credentials.
    const { tags = [], preconditions } = this.#test;
    const isAnonymous =
      tags.includes("auth") || member(preconditions?.capabilities, "authentication") === true;
    if (raw !== undefined) return sendRaw(lane, raw, { isAnonymous });
    return callOperation(lane, operation, isObject(params) ? params : {});
  }

  async #parseResponse({
    id,
    client_response,
    expect_parsed,
    assertions = [],
  }: Step): Promise<StepFailure | undefined> {
    const { parse } = this.#options;
    if (client_response === undefined || parse === undefined) return undefined;
    const { operation, wire_payload } = client_response;
    const result = await parse(operation, this.#variables.fill(wire_payload));
    this.#variables.capture(id, result);
    const source = `{{${id}.response}}`;
    return assertionFailure(
      [{ source, match: expect_parsed ?? {} }, ...assertions],
      this.#variables,
    );
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    const { signal } = this.#options.settings;
    // An abort rejects with an error whose cause is the reason of the signal.
    await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
