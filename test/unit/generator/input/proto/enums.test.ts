import { describe, expect, it } from "vitest";
import { enumOf, read } from "./reading.js";

const valuesOf = (body: string, name = "Task_State") =>
  enumOf(read(`enum ${name} { ${body} }`), name).values.map(({ name: text, key, number }) => [
    text,
    key,
    number,
  ]);

describe("an enum", () => {
  it("an enum has keys without its own name", () => {
    expect(valuesOf("TASK_STATE_UNSPECIFIED = 0; TASK_STATE_INPUT_REQUIRED = 1;")).toEqual([
      ["TASK_STATE_UNSPECIFIED", "Unspecified", 0],
      ["TASK_STATE_INPUT_REQUIRED", "InputRequired", 1],
    ]);
  });

  it("an enum keeps its name in the keys if not all values start with it", () => {
    expect(valuesOf("TASK_STATE_A = 0; OTHER = 1;").map(([, key]) => key)).toEqual([
      "TaskStateA",
      "Other",
    ]);
  });

  it("an enum keeps its name in the keys if a key would start with a digit", () => {
    expect(valuesOf("TASK_STATE_0 = 0; TASK_STATE_1 = 1;").map(([, key]) => key)).toEqual([
      "TaskState0",
      "TaskState1",
    ]);
  });

  it("an enum may have values below zero", () => {
    expect(
      valuesOf("A = 0; B = -1; C = -2147483648; D = 2147483647;").map(([, , number]) => number),
    ).toEqual([0, -1, -2_147_483_648, 2_147_483_647]);
  });

  it("an enum has two names for one number if it allows aliases", () => {
    expect(
      valuesOf("option allow_alias = true; A = 0; B = 1; C = 1;").map(([text]) => text),
    ).toEqual(["A", "B", "C"]);
  });
});
