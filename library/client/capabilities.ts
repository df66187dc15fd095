import type { AgentCard } from "../kit/model.js";
import type { CapabilityFacts } from "../kit/kit-facts.js";
import {
  checkUndeclaredFields,
  checkRequirements,
  memberAt,
} from "../runtime/protocol/requirements.js";
import type { Call, Interceptor } from "../runtime/protocol/transport.js";

/** Implements {@link ClientFunctions.withCapabilityCheck} with facts about a version. */
export function withCapabilityCheck(
  card: AgentCard | undefined,
  facts: CapabilityFacts,
): Interceptor {
  const { discovery, operations, send, stream } = facts;
  let currentCard: unknown = card;
  const check = ({ operation: { name }, request }: Call): void => {
    const operation = operations.find((candidate) => candidate.name === name);
    if (currentCard !== undefined && operation !== undefined)
      checkUndeclaredFields(checkRequirements(operation, currentCard), request);
  };
  return {
    async unary(call, next) {
      check(call);
      const response = await next(call);
      if (call.operation.name === `GET ${discovery.path}`) currentCard = response;
      return response;
    },
    async *stream(call, next) {
      const streams = memberAt(currentCard, ["capabilities", "streaming"]) === true;
      const isPlain = currentCard !== undefined && !streams && call.operation.name === stream.name;
      const actual = isPlain ? { ...call, name: send.name, operation: send } : call;
      check(actual);
      yield* next(actual);
    },
  };
}
