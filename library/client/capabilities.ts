import type { AgentCard } from "../kit/model.js";
import type { CapabilityFacts } from "../kit/kit-facts.js";
import { checkFields, checkRequirements, memberAt } from "../runtime/protocol/requirements.js";
import type { Call, Interceptor } from "../runtime/protocol/transport.js";

/** Implements {@link ClientFunctions.withCapabilityCheck} with facts about a version. */
export function withCapabilityCheck(
  card: AgentCard | undefined,
  facts: CapabilityFacts,
): Interceptor {
  const { discovery, operations, send, stream } = facts;
  let known: unknown = card;
  const check = ({ operation: { name }, request }: Call): void => {
    const operation = operations.find((each) => each.name === name);
    if (known !== undefined && operation !== undefined)
      checkFields(checkRequirements(operation, known), request);
  };
  return {
    async unary(call, next) {
      check(call);
      const response = await next(call);
      if (call.operation.name === `GET ${discovery.path}`) known = response;
      return response;
    },
    async *stream(call, next) {
      const streams = memberAt(known, ["capabilities", "streaming"]) === true;
      const isPlain = known !== undefined && !streams && call.operation.name === stream.name;
      const actual = isPlain ? { ...call, name: send.name, operation: send } : call;
      check(actual);
      yield* next(actual);
    },
  };
}
