import { describe, expect, it } from "vitest";
import { enumOf, read } from "./reading.js";

const valuesOf = (body: string, name = "Task_State") =>
  enumOf(read(`enum ${name} { ${body} }`), name).values.map(({ name: text, key, number }) => [text, key, number]);

describe("an enum", () => {
  it("has keys without the name of the enum", () => {
    expect(valuesOf("TASK_STATE_UNSPECIFIED = 0; TASK_STATE_INPUT_REQUIRED = 1;")).toEqual([
      ["TASK_STATE_UNSPECIFIED", "Unspecified", 0],
      ["TASK_STATE_INPUT_REQUIRED", "InputRequired", 1],
    ]);
  });

  it("keeps the name where not all values start with it", () => {
    expect(valuesOf("TASK_STATE_A = 0; OTHER = 1;").map(([, key]) => key)).toEqual(["TaskStateA", "Other"]);
  });

  it("keeps the name where a key would start with a digit", () => {
    expect(valuesOf("TASK_STATE_0 = 0; TASK_STATE_1 = 1;").map(([, key]) => key)).toEqual(["TaskState0", "TaskState1"]);
  });

  it("has values below zero", () => {
    expect(valuesOf("A = 0; B = -1; C = -2147483648; D = 2147483647;").map(([, , number]) => number)).toEqual([
      0, -1, -2_147_483_648, 2_147_483_647,
    ]);
  });

  it("has two names for one number where it allows aliases", () => {
    expect(valuesOf("option allow_alias = true; A = 0; B = 1; C = 1;").map(([text]) => text)).toEqual(["A", "B", "C"]);
  });

  it("knows which values are deprecated", () => {
    const { values } = enumOf(read("enum E { A = 0; B = 1 [deprecated = true]; }"), "E");
    expect(values.map(({ deprecated }) => deprecated)).toEqual([false, true]);
  });

  it("may be deprecated itself", () => {
    expect(enumOf(read("enum E { option deprecated = true; A = 0; }"), "E").deprecated).toBe(true);
  });

  it("may have values of the name of members that every object has", () => {
    const { values } = enumOf(read("enum E { A = 0; constructor = 1; valueOf = 2; }"), "E");
    expect(values.map(({ name, docs }) => [name, docs])).toEqual([
      ["A", ""],
      ["constructor", ""],
      ["valueOf", ""],
    ]);
  });

  it("may reserve numbers and names", () => {
    expect(valuesOf('reserved 2, 5 to 7, -3; reserved "B"; A = 0;')).toEqual([["A", "A", 0]]);
  });
});
