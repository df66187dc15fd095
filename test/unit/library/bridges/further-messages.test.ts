import { expect, it } from "vitest";
import { FurtherMessages } from "../../../../library/bridges/further-messages.js";
import { type Message, type Part, Role, TaskState } from "../../../../library/kit/model.js";

/** Returns what answers, and what the agent reads after its run, in a turn with this message. */
function readIn(part: Part, early: boolean) {
  const message = (text: string, ...parts: Part[]): Message => ({
    messageId: text,
    role: Role.User,
    parts: [{ text }, ...parts].slice(-1),
  });
  const turn = {
    message: message("m", part),
    early,
    task: {
      id: "t",
      contextId: "c",
      status: { state: TaskState.InputRequired },
      history: [message("first"), message("m", part)],
    },
    pending: { take: () => undefined } as never,
  };
  const further = new FurtherMessages(turn, undefined);
  const answer = further.answer(undefined);
  return { answer: answer?.parts, further: further.take()?.parts };
}

it("a message that came after the question may answer it", () => {
  const part = { text: "And milk?" };
  expect(readIn(part, false)).toEqual({ answer: [part], further: undefined });
});

it("an early message does not answer, and is read after the run unless it is about a question", () => {
  const part = { text: "And milk?" };
  expect(readIn(part, true)).toEqual({ answer: undefined, further: [part] });
  const decisions = [{ text: "yes" }, { data: { toolCallId: "c1", approved: true } }];
  for (const decision of decisions)
    expect(readIn(decision, true)).toEqual({ answer: undefined, further: undefined });
});
