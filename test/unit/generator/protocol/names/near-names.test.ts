import fc from "../../../../support/properties.js";
import { describe, expect, it } from "vitest";
import { didYouMean, namesHint, nearNames } from "../../../../../support/near-names.js";

const names = [
  "Message",
  "MessageSendParams",
  "Task",
  "TaskState",
  "AgentCard",
  "1.0",
  "0.3.0",
  "0.2.6",
];

describe("near names", () => {
  it.each([
    ["Mesage", ["Message"]],
    ["message", ["Message"]],
    ["tsak", ["Task"]],
    ["AgentCrad", ["AgentCard"]],
    ["MessageSend", ["MessageSendParams"]],
    ["0.3", ["0.3.0"]],
    ["9.9", []],
    ["Elephant", []],
    ["", []],
  ])("the near names of %s are %j", (wrong, near) => {
    expect(nearNames(wrong, names)).toEqual(near);
  });

  it("the near names of a name with one additional, missing or different character include the name", () => {
    const cases = fc.tuple(
      fc.stringMatching(/^[a-z]{3,12}$/),
      fc.nat(),
      fc.stringMatching(/^[a-z]?$/),
      fc.boolean(),
    );
    fc.assert(
      fc.property(cases, ([name, position, letter, isMore]) => {
        const at = position % name.length;
        const wrong = name.slice(0, at) + letter + name.slice(isMore ? at : at + 1);
        expect(nearNames(wrong, ["quiteanothername", name])).toEqual(wrong === name ? [] : [name]);
      }),
    );
  });

  it("the near names come first in a short list", () => {
    const many = Array.from({ length: 45 }, (_, index) => `Type${index}`);
    expect(didYouMean("Elephant", names)).toBe("");
    expect(namesHint("Type444", many, "types")).toBe(
      `Did you mean Type44? The types are ${many.slice(0, 16).join(", ")} and 29 more`,
    );
    expect(namesHint("x", ["a1", "b2"], "keys")).toBe("The keys are a1, b2");
  });
});
