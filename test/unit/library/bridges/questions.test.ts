import { describe, expect, it } from "vitest";
import { decisionIn, isBare, isYes } from "../../../../library/bridges/questions.js";
import { type Part, Role } from "../../../../library/kit/model.js";

/** Returns whether a message approves the calls `c1` and `c2`; `undefined` if it does not answer. */
function approvals(parts: readonly Part[]): (boolean | undefined)[] {
  const message = { messageId: "m", role: Role.User, parts: [...parts] };
  return ["c1", "c2"].map((id) => decisionIn(message, [id])?.approved);
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
      "is open if the data has no boolean",
      [{ data: { toolCallId: "c1", approved: "true" } }],
      [undefined, undefined],
    ],
    [
      "is open if the message has neither a text nor an object",
      [{ data: "yes" }],
      [undefined, undefined],
    ],
  ])("%s", (_what, parts, expected) => {
    expect(approvals(parts)).toEqual(expected);
  });
});

describe("a text about an action", () => {
  const approving = [
    "yes",
    "Yes!",
    "y",
    "OK.",
    "yes please",
    "Yes, go ahead",
    "sure, thanks",
    "👍",
  ];
  const denying = ["no", "", "yes, but to Bob", "yes and no", "not yes", "please", "yesterday"];

  it("a text approves an action if it only agrees", () => {
    expect(approving.filter((text) => !isYes(text))).toEqual([]);
    expect(denying.filter((text) => isYes(text))).toEqual([]);
  });

  it("a message that only agrees or denies is about a question", () => {
    const bare = (parts: Part[]) => isBare({ messageId: "m", role: Role.User, parts });
    const texts = [...approving, "no", "No, thanks.", "stop"];
    expect(texts.filter((text) => !bare([{ text }]))).toEqual([]);
    expect(["no tea", "yes, but to Bob", ""].filter((text) => bare([{ text }]))).toEqual([]);
    expect(bare([{ text: "yes" }, { data: 1 }])).toBe(false);
    expect(bare([{ data: { toolCallId: "c1", approved: true } }])).toBe(true);
    expect(bare([{ data: 1 }])).toBe(false);
  });
});
