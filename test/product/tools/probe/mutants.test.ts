import { describe, expect, it } from "vitest";
import { A2AError, type Interceptor } from "../../../../tools/agents/index.js";
import type { Result } from "../../../../tools/probe/result.js";
import { allCardRules, allRules } from "../../../../tools/probe/rules/index.js";
import { mutated, type AgentKind, type Mutant } from "./mutants/mutant.js";
import { grpcMutants } from "./mutants/protocol.js";
import { agents, mutants, probe, type Subject } from "./mutants/subjects.js";

const isCardRule = (id: string) => allCardRules.some((rule) => rule.id === id);

/** Number of mutants that are probed at the same time. */
const concurrency = 8;

/**
 * Probes the mutants of one kind of agent, and the agent itself. Returns a line for each wrong
 * result.
 */
async function wrongResults(kind: AgentKind) {
  const subject = await agents[kind]();
  const own = mutants.filter(({ agent = "full" }) => agent === kind);
  const [lanes, wrong] = [["JSONRPC 1.0", "HTTP+JSON 1.0"], new Array<string>()];
  const before = await probe(subject, { lanes });
  const next = own.values();
  const work = async () => {
    for (const mutant of next) wrong.push(...(await problemsOf(mutant, subject, before)));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await subject.close();
  return wrong;
}

async function problemsOf(mutant: Mutant, subject: Subject, before: readonly Result[]) {
  const { rule, change } = mutant;
  const lane = isCardRule(rule) ? "card" : (mutant.lane ?? "JSONRPC 1.0");
  const isHere = (result: Result) => result.id === rule && result.lane === lane;
  const control = before.find(isHere);
  const isCard = lane === "card";
  const fetch = mutated(change, ({ url }) => isCard === url.pathname.startsWith("/.well-known/"));
  // Without the card, an agent has no interfaces to call.
  const after = (await probe(subject, { fetch, only: [rule], lanes: isCard ? [] : [lane] })).find(
    isHere,
  );
  const reason = (found: Result | undefined) =>
    `${found?.state ?? "missing"} ${found?.reason ?? ""}`;
  return [
    ...(control?.state === "pass" ? [] : [`${rule}: the agent: ${reason(control)}`]),
    ...(after?.state === "fail" ? [] : [`${rule}: the mutant: ${reason(after)}`]),
  ];
}

describe("the rules of the probe", () => {
  it("each rule has its own id and a mutant that breaks it", () => {
    const ids = [...allCardRules, ...allRules].map(({ id }) => id);
    const broken = [...mutants, ...grpcMutants].map(({ rule }) => rule);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(120);
    expect([...broken].sort()).toEqual([...ids].sort());
  });

  it.each(Object.keys(agents) as AgentKind[])(
    "the rules pass the %s agent, and each rule notices the mutant that breaks it",
    async (kind) => {
      expect(await wrongResults(kind)).toEqual([]);
    },
    60_000,
  );

  it("the rules for gRPC notice calls with another status", async () => {
    const subject = await agents.full();
    const lanes = ["GRPC 1.0"];
    const before = await probe(subject, { lanes });
    for (const { rule, replace } of grpcMutants) {
      const interceptor: Interceptor = {
        async unary(call, next) {
          return next(call).catch((error: unknown) => {
            throw error instanceof A2AError ? replace(error) : error;
          });
        },
        async *stream(call, next) {
          try {
            yield* next(call);
          } catch (error) {
            throw error instanceof A2AError ? replace(error) : error;
          }
        },
      };
      const [after] = await probe(subject, { lanes, only: [rule], interceptors: [interceptor] });
      const control = before.find(({ id }) => id === rule);
      expect([rule, control?.state, after?.state]).toEqual([rule, "pass", "fail"]);
    }
    await subject.close();
  });
});
