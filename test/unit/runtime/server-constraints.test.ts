import { describe, expect, it } from "vitest";
import { checkConstraints, checkFields } from "../../../templates/runtime/server/constraints.js";
import type { Operation } from "../../../templates/runtime/protocol/operation.js";
import { operations, WatchNotSupportedError } from "./server-sample.js";

const operation: Operation = {
  ...operations.addNote,
  nonEmpty: [["note", "pages"], ["stamps"]],
  ranges: [{ path: ["limit"], least: 1, most: 100 }, { path: ["note", "size"], least: 0 }], // prettier-ignore
};

const element = "a list with at least one element";

describe("the constraints of an operation", () => {
  it.each<[string, object, string | undefined]>([
    ["accept lists that have an element", { note: { pages: [1] }, stamps: [1] }, undefined],
    [
      "name every list that is absent or empty",
      { note: {}, stamps: [] },
      `/note/pages expected ${element}, got nothing; /stamps expected ${element}, got an empty list`,
    ],
    ["do not miss a list of an object that is absent", { stamps: [1] }, undefined],
    ["accept the ends of a range", { stamps: [1], limit: 100, note: { pages: [1], size: 0 } }, undefined],
    ["refuse what is below a range", { stamps: [1], limit: 0 }, "/limit expected 1 to 100, got 0"],
    ["refuse what is above a range", { stamps: [1], limit: 101 }, "/limit expected 1 to 100, got 101"],
    [
      "refuse what is below the least",
      { stamps: [1], note: { pages: [1], size: -1 } },
      "/note/size expected at least 0, got -1",
    ],
  ])("%s", (_, request, problem) => {
    const check = () => checkConstraints(operation, request);
    if (problem === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(`AddNoteRequest: ${problem}`);
  });
});

describe("a field that needs a capability which the card does not declare", () => {
  it("is refused with the error of the capability, wherever it stands", () => {
    const requirement = { path: ["note", "hook"], capability: ["hooks"], error: WatchNotSupportedError };
    expect(() => checkFields([requirement], { note: { hook: {} } })).toThrow(WatchNotSupportedError);
    expect(() => checkFields([requirement], { note: {} })).not.toThrow();
  });
});
