import { expect, it } from "vitest";
import { flat } from "../../../../generator/emit/expressions.js";
import {
  bracketed,
  choice,
  group,
  hardLine,
  indented,
  joined,
  line,
  print,
} from "../../../../generator/emit/layout.js";

const long = "x".repeat(70);

it("a group stays on one line if it fits after the current column", () => {
  expect(print(bracketed("f(", [long], ");"), 26)).toEqual([`f(${long});`]);
  expect(print(bracketed("f(", [long], ");"), 27)).toEqual(["f(", `  ${long},`, ");"]);
});

it("a group that does not fit breaks at its own line breaks, and a nested group only if it does not fit either", () => {
  const inner = group([long, indented([line, "=== 1"])]);
  expect(print(["return ", group(joined([" &&", line], [inner, inner])), ";"])).toEqual([
    `return ${long} === 1 &&`,
    `${long} === 1;`,
  ]);
});

it("a hard break breaks each group around it", () => {
  expect(print(group(["{", indented([line, "a;", hardLine, "b;"]), line, "}"]))).toEqual([
    "{",
    "  a;",
    "  b;",
    "}",
  ]);
});

it("a choice is the first layout whose first line fits, or else the last layout", () => {
  const options = [`${long}${long}`, [long, hardLine, `${long}${long}`], "last"];
  expect(print(choice(...options))).toEqual([long, `${long}${long}`]);
  expect(print(["x".repeat(60), choice(...options)])).toEqual([`${"x".repeat(60)}last`]);
});

it("an empty list does not break", () => {
  expect(print(bracketed(`${long}${long}[`, [], "]"))).toEqual([`${long}${long}[]`]);
});

it("a member whose value is a variable of the same name is written as the name alone", () => {
  expect(flat({ object: { url: "url", id: '"url"', 1: "1", null: "null" } })).toBe(
    '{ "1": 1, url, id: "url", null: null }',
  );
});
