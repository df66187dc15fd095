import { describe, expect, it } from "vitest";
import { problemsOf, read } from "./schema-reading.js";

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });

/** A chain of definitions, each of which refers to the next definition twice. */
const doubled = (count: number) => ({
  ...Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `D${at}`,
      { anyOf: [ref(`D${at + 1}`), { not: ref(`D${at + 1}`) }] },
    ]),
  ),
  [`D${count}`]: { type: "object", properties: { a: { type: "string" } } },
});

describe("the size of a schema", () => {
  it("definitions that multiply by their references are refused", () => {
    expect(problemsOf(JSON.stringify({ definitions: doubled(60) }))).toEqual([
      's.json:1:17: "D0" combines more than 100000 schemas by its references. Refer to each schema once.',
    ]);
    expect(read(doubled(10)).types).not.toEqual([]);
  });

  it.each([
    ["enum", Array.from({ length: 200_000 }, (_, at) => `v${at}`), 10_000],
    ["anyOf", Array.from({ length: 2_000 }, (_, at) => ({ const: at })), 1_000],
  ])("a schema is refused if its keyword %s lists too many items", (key, items, most) => {
    const [problem] = problemsOf(JSON.stringify({ definitions: { A: { [key]: items } } }));
    expect(problem).toBe(
      `s.json:1:22: "${key}" lists more than ${most} items. Describe the values in fewer items.`,
    );
  });

  it("an enum of 10,000 values is accepted", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => `v${at}`);
    expect(read({ A: { enum: values } }).types).toHaveLength(1);
  });
});
