import { describe, expect, it } from "vitest";
import { A2AError, type Interceptor } from "../../../../tools/agents/index.js";
import { isFailure } from "../../../../tools/probe/result.js";
import { allCardRules } from "../../../../tools/probe/rules/index.js";
import { mutated, observed, signatureOf, type AgentKind, type Mutant } from "./mutants/mutant.js";
import { grpcMutants } from "./mutants/protocol.js";
import { agents, mutants, probe, type Subject } from "./mutants/subjects.js";
import { together } from "./mutants/together.js";

const isCardRule = (id: string) => allCardRules.some((rule) => rule.id === id);
const listed = new Map(together.flatMap((each) => Object.entries(each.mutants)));

type Call = Parameters<NonNullable<Interceptor["unary"]>>[0];

/** Number of mutants that are probed at the same time. */
const concurrency = 8;

/**
 * Returns the rules that notice a mutant. The mutant only changes the responses to requests that
 * its own rule sends. Otherwise, it would break all rules that read a similar response.
 */
async function noticing({ rule, change, lane = "JSONRPC 1.0" }: Mutant, subject: Subject) {
  const isCard = isCardRule(rule);
  const lanes = isCard ? [] : [lane];
  const read = new Set<string>();
  await probe(subject, {
    lanes,
    only: [rule],
    fetch: observed((sent) => read.add(signatureOf(sent))),
  });
  const fetch = mutated(change, (sent) => {
    return isCard === sent.url.pathname.startsWith("/.well-known/") && read.has(signatureOf(sent));
  });
  const results = await probe(subject, { lanes, fetch });
  return results.filter(isFailure).map(({ id }) => id);
}

/** Returns a line if other rules than expected notice a mutant. */
function problemsOf(rule: string, found: readonly string[]) {
  const expected = [rule, ...(listed.get(rule) ?? [])].sort();
  const noticed = [...new Set(found)].sort();
  return noticed.join() === expected.join()
    ? []
    : [`${rule} is noticed by ${noticed.join(", ") || "no rule"}`];
}

describe("the mutants of the rules", () => {
  it("the table of rules that fall together names mutants and rules that exist, each mutant once", () => {
    const names = together.flatMap((each) => Object.keys(each.mutants));
    expect(names).toHaveLength(new Set(names).size);
    const known = new Set([...mutants, ...grpcMutants].map(({ rule }) => rule));
    expect([...names, ...[...listed.values()].flat()].filter((name) => !known.has(name))).toEqual(
      [],
    );
  });

  it.each(Object.keys(agents) as AgentKind[])(
    "each mutant of the %s agent is noticed by its rule, and otherwise only by rules in the table",
    async (kind) => {
      const subject = await agents[kind]();
      const next = mutants.filter(({ agent = "full" }) => agent === kind).values();
      const problems: string[] = [];
      const work = async () => {
        for (const mutant of next)
          problems.push(...problemsOf(mutant.rule, await noticing(mutant, subject)));
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      await subject.close();
      expect(problems).toEqual([]);
    },
    600_000,
  );

  it("each mutant of a call over gRPC is noticed by its rule, and otherwise only by rules in the table", async () => {
    const subject = await agents.full();
    const lanes = ["GRPC 1.0"];
    const keyOf = ({ name, request, headers }: Call) =>
      JSON.stringify([name, request, headers["a2a-version"], headers["a2a-extensions"]]);
    for (const { rule, replace } of grpcMutants) {
      const read = new Set<string>();
      const changing = (isMutant: boolean): Interceptor => {
        const change = (key: string, error: unknown) => {
          if (!isMutant) read.add(key);
          return isMutant && read.has(key) && error instanceof A2AError ? replace(error) : error;
        };
        return {
          async unary(call, next) {
            return next(call).catch((error: unknown) => {
              throw change(keyOf(call), error);
            });
          },
          async *stream(call, next) {
            try {
              yield* next(call);
            } catch (error) {
              throw change(keyOf(call), error);
            }
          },
        };
      };
      await probe(subject, { lanes, only: [rule], interceptors: [changing(false)] });
      const results = await probe(subject, { lanes, interceptors: [changing(true)] });
      const found = results.filter(isFailure).map(({ id }) => id);
      expect(problemsOf(rule, found)).toEqual([]);
    }
    await subject.close();
  });
});
