import { describe, expect, it } from "vitest";
import { readExpectations } from "../../../../tools/probe/expected.js";

const lanesOf = (line: string) => readExpectations(line, "known.txt").map(({ lane }) => lane);

describe("a list of expected failures", () => {
  it("a long line without a colon is refused in a time that is linear", () => {
    expect(() => lanesOf(`a${" ".repeat(500_000)}x`)).toThrow("is not an expected failure");
  });

  it("an entry without bindings is for all interfaces, and an entry with bindings for those", () => {
    expect(lanesOf("X-1: late")).toEqual([""]);
    expect(lanesOf("X-1 HTTP+JSON, GRPC: late")).toEqual(["HTTP+JSON", "GRPC"]);
  });

  it.each(["X-1 HTTP+JSON,: late", "X-1 ,GRPC: late", "X-1 GRPC,,JSONRPC: late"])(
    "the line %s is refused, because an empty binding would stand for all interfaces",
    (line) => {
      expect(() => lanesOf(line)).toThrow("the line is not an expected failure");
    },
  );
});
