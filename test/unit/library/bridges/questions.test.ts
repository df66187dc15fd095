import { describe, expect, it } from "vitest";
import { decisionIn } from "../../../../library/bridges/questions.js";
import { type Part, Role } from "../../../../library/kit/model.js";

/** Returns whether an answer approves the calls `c1` and `c2`. */
function approvals(parts: readonly Part[]): boolean[] {
  const message = { messageId: "m", role: Role.User, parts: [...parts] };
  return ["c1", "c2"].map((id) => decisionIn(message, [id]).approved);
}

describe("the decision about an action", () => {
  it.each<[string, Part[], boolean[]]>([
    ["of a plain yes is for all actions", [{ text: "yes" }], [true, true]],
    ["of data without an id is for all actions", [{ data: { approved: true } }], [true, true]],
    [
      "of data with an id is for this action",
      [{ data: { toolCallId: "c1", approved: true } }],
      [true, false],
    ],
    [
      "of data with an id is not extended by a text",
      [{ data: { toolCallId: "c1", approved: true } }, { text: "yes" }],
      [true, false],
    ],
    [
      "about another action is not extended by a text",
      [{ data: { toolCallId: "other", approved: false } }, { text: "yes" }],
      [false, false],
    ],
    [
      "with an id that is a number is for no action",
      [{ data: { toolCallId: 1, approved: true } }],
      [false, false],
    ],
    [
      "with a list of ids is for no action",
      [{ data: { toolCallId: ["c1"], approved: true } }],
      [false, false],
    ],
    [
      "with an empty list of ids is for no action",
      [{ data: { id: [], approved: true } }],
      [false, false],
    ],
    [
      "beside the result of another tool is the text",
      [{ data: { toolCallId: "other", output: 5 } }, { text: "yes" }],
      [true, true],
    ],
    [
      "that is no boolean denies the action",
      [{ data: { toolCallId: "c1", approved: "true" } }],
      [false, false],
    ],
  ])("%s", (_what, parts, expected) => {
    expect(approvals(parts)).toEqual(expected);
  });
});
