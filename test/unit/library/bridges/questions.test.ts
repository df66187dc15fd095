import { describe, expect, it } from "vitest";
import { decisionIn } from "../../../../library/bridges/questions.js";
import { type Part, Role } from "../../../../library/kit/model.js";

/** Returns whether a message approves the calls `c1` and `c2`; `undefined` if it does not answer. */
function approvals(parts: readonly Part[], early = false): (boolean | undefined)[] {
  const message = { messageId: "m", role: Role.User, parts: [...parts] };
  return ["c1", "c2"].map((id) => decisionIn({ message, early }, [id])?.approved);
}

describe("the decision about an action", () => {
  it.each<[string, Part[], (boolean | undefined)[]]>([
    ["of a plain yes is for all actions", [{ text: "yes" }], [true, true]],
    ["of data without an id is for all actions", [{ data: { approved: true } }], [true, true]],
    [
      "of data with an id is for this action",
      [{ data: { toolCallId: "c1", approved: true } }],
      [true, undefined],
    ],
    [
      "of data with an id is not extended by a text",
      [{ data: { toolCallId: "c1", approved: true } }, { text: "yes" }],
      [true, undefined],
    ],
    [
      "about another action is not extended by a text",
      [{ data: { toolCallId: "other", approved: false } }, { text: "yes" }],
      [undefined, undefined],
    ],
    [
      "with an id that is a number is for no action",
      [{ data: { toolCallId: 1, approved: true } }],
      [undefined, undefined],
    ],
    [
      "with a list of ids is for no action",
      [{ data: { toolCallId: ["c1"], approved: true } }],
      [undefined, undefined],
    ],
    [
      "with an empty list of ids is for no action",
      [{ data: { id: [], approved: true } }],
      [undefined, undefined],
    ],
    [
      "is open if the data is the result of another tool",
      [{ data: { toolCallId: "other", output: 5 } }, { text: "yes" }],
      [undefined, undefined],
    ],
    [
      "that is no boolean denies the action",
      [{ data: { toolCallId: "c1", approved: "true" } }],
      [false, undefined],
    ],
  ])("%s", (_what, parts, expected) => {
    expect(approvals(parts)).toEqual(expected);
  });

  it.each<[string, Part[], (boolean | undefined)[]]>([
    ["a text", [{ text: "yes" }], [undefined, undefined]],
    ["data without an id", [{ data: { approved: true } }], [undefined, undefined]],
    ["data with an id", [{ data: { toolCallId: "c1", approved: true } }], [true, undefined]],
  ])(
    "the decision in a message that was sent before the question needs an id: %s",
    (_what, parts, expected) => {
      expect(approvals(parts, true)).toEqual(expected);
    },
  );
});
