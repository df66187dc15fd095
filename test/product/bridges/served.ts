import { expect, it } from "vitest";
import type { ServingOptions } from "../../../library/bridges/answer.js";
import { optionalString } from "../../../library/bridges/reading.js";
import type { TaskServiceOptions } from "../../../library/kit/options.js";
import type { Turn } from "../../../library/kit/turns/turn.js";
import type { Content, End } from "../../../library/kit/turns/updates.js";
import { type Ability, desk, type Framework, type Script, type Tools } from "./framework.js";
import { type Heard, talkTo } from "./talk.js";

/** An image. */
export const png = "iVBORw0KGgo=";

/** The script of most conversations. */
export function scriptOf({ call, image }: Framework): Script {
  return (last, lines) => {
    if (last.startsWith("tool: ")) return [`I read ${last.slice(6)}.`];
    if (last.includes("mail both"))
      return [call("mail", { to: "ada" }), call("mail", { to: "bob" })];
    if (last.includes("mail")) return ["I will mail.", call("mail", { to: "ada" })];
    if (last.includes("Atlantis")) return [call("weather", { city: "Atlantis" })];
    if (last.includes("weather")) return ["Let me look.", call("weather", { city: "Oslo" })];
    if (last.includes("slow")) return [call("slow", {})];
    if (last.includes("picture")) return [image(png), "Here."];
    if (last.includes("fail")) return ["Hm ", new Error("secret of the model")];
    return [`I read ${lines.join("; ")}.`];
  };
}

/** Options of the task service, the slow tool, and a function for the test. */
export interface Surroundings
  extends Partial<Omit<TaskServiceOptions, "run">>, Partial<Pick<Tools, "slow">> {
  /** Is awaited before each turn. */
  readonly before?: (turn: Turn) => Promise<void>;
}

/** A question of a task: the id of the call that it is about, and its data as JSON. */
interface Question {
  readonly id: string;
  readonly text: string;
}

/** Returns the questions that a task asks. */
export function questionsIn({ asked }: Heard): Question[] {
  return asked.map((data) => {
    const id = optionalString(data, "id") ?? optionalString(data, "toolCallId") ?? "";
    return { id, text: JSON.stringify(data) };
  });
}

/** Answers the questions of a task until it no longer waits. Counts the answers. */
export async function settled(
  { reply }: Pick<Awaited<ReturnType<typeof served>>, "reply">,
  question: Heard,
  answer: (questions: readonly Question[]) => Content,
) {
  let [end, answers] = [question, 0];
  for (; end.state === "TASK_STATE_INPUT_REQUIRED"; answers += 1)
    end = await reply(end, answer(questionsIn(end)));
  expect(end.state).toBe("TASK_STATE_COMPLETED");
  return { end, answers };
}

/** Serves an agent of a framework. `prompts` are the prompts that its model has read, as lines. */
export async function served(
  framework: Framework,
  options: ServingOptions = {},
  script: Script = scriptOf(framework),
  { slow = desk.slow, before, ...service }: Surroundings = {},
) {
  const prompts: (readonly string[])[] = [];
  const read: Script = (last, lines) => {
    prompts.push(lines);
    return script(last, lines);
  };
  const agent = framework.agent(read, { ...desk, slow });
  const behavior = agent.serve(options);
  const talk = await talkTo(
    {
      async *run(turn) {
        await before?.(turn);
        // Delegation to a union of generators has the type `any`.
        const end: unknown = yield* behavior.run(turn);
        return end as End;
      },
    },
    service,
  );
  return { ...talk, agent, prompts };
}

/** Runs a test if a framework has an ability. */
export function itWith(
  ability: Ability,
  { lacks }: Framework,
  title: string,
  test: () => Promise<void>,
): void {
  const reason = lacks[ability];
  it.skipIf(reason !== undefined)(`${title}${reason === undefined ? "" : ` (${reason})`}`, test);
}
