import { artifact } from "../../../../../library/kit/turns/artifact.js";
import type { Turn } from "../../../../../library/kit/turns/turn.js";
import {
  completed,
  inputRequired,
  textOf,
  working,
} from "../../../../../library/kit/turns/updates.js";
import { kitAgent, message } from "../../../../support/kit.js";

/** An agent that asks once, and is done then. */
export function asking(more: { owner?: (user: string) => string; anonymousLists?: boolean } = {}) {
  const turns: Turn<string, string>[] = [];
  const agent = kitAgent<string>({
    ...more,
    async *run(turn) {
      turns.push(turn);
      if (turn.state !== undefined) return completed(`${turn.state} and ${textOf(turn.message)}`);
      yield working("Thinking");
      return inputRequired("And?", { state: textOf(turn.message) });
    },
  });
  return { agent, turns };
}

/** An agent whose turn waits until the test opens its gate. */
export function waiting() {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const agent = kitAgent({
    async *run({ untilAborted }) {
      yield working("At work");
      await untilAborted(gate);
      yield artifact("result").finish("42");
      return completed("Done");
    },
  });
  return { agent, go };
}

/** A message whose sender does not wait. */
export const atOnce = (text: string) => ({
  ...message(text),
  configuration: { returnImmediately: true },
});
