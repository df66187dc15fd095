import { describe, expect, it } from "vitest";
import { checkSame } from "../../../bench/servers/same.js";

describe("the comparison of what two servers answer", () => {
  const task = { id: "1", status: { state: "done", timestamp: "now" }, history: [{ messageId: "a", text: "hi" }] };

  it("leaves ids and times aside", () => {
    const other = { id: "2", status: { state: "done", timestamp: "later" }, history: [{ messageId: "b", text: "hi" }] };
    expect(() => checkSame("test", [task], [other])).not.toThrow();
  });

  it.each([
    ["another state", [{ ...task, status: { state: "open", timestamp: "now" } }]],
    ["fewer responses", []],
    ["more responses", [task, task]],
    ["no history", [{ id: "1", status: task.status }]],
  ])("tells %s", (_, other) => {
    expect(() => checkSame("test", [task], other)).toThrow("answer differently");
  });

  it("does not take two empty lists for an answer", () => {
    expect(() => checkSame("test", [], [])).toThrow("answer differently");
  });
});
