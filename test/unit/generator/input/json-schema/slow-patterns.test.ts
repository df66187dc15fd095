import { describe, expect, it } from "vitest";
import { isSlowPattern } from "../../../../../generator/input/json-schema/slow-patterns.js";
import { processorTime } from "../../../../support/processor-time.js";

describe("the time that a pattern takes", () => {
  it.each([
    "^(a+)+$",
    "(a*)*b",
    "^(?:a|a)*$",
    "^(\\w|\\d)+$",
    "^(\\w+\\s?)*$",
    "^(a?b?)*c",
    "^((ab)*)+c",
    "^(?:x{1,5})+y",
    "^(?:x{2,})+y",
    "^(?<name>[a-z]+)*$",
    "(?:.*,?)*x",
    "(a|b|ab)*c",
    "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}$",
    "(?=(a+)+b)",
    "^(é|[^a])*$",
  ])("the pattern %s may take exponential time", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(true);
  });

  it.each([
    "",
    "^a+$",
    "a*a*b",
    "^[a-z]+(\\.[a-z]+)*$",
    "^(?:[a-z0-9]+-)*[a-z0-9]+$",
    "^[^@]+@[^@]+\\.[a-z]{2,}$",
    "^(?:a|b)*$",
    "^(?:abc|abd)*$",
    "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$",
    "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    "^[\\w.+-]+/[\\w.+-]+$",
    "^\\p{Lu}(?:\\p{Ll}+)?(?: \\p{L}+)*$",
    "^([\\]a\\\\]|\\(|\\u{62})*$",
    "^(?:a{2}b{3})*$",
  ])("the pattern %s takes no exponential time", (pattern) => {
    expect(isSlowPattern(pattern)).toBe(false);
  });

  it("large patterns are examined in little time, or not at all", () => {
    const begun = processorTime();
    for (const pattern of [
      "(?:.?".repeat(90) + ")*".repeat(90),
      ".*".repeat(100),
      "(a|".repeat(2_000) + ")".repeat(2_000),
      "(".repeat(100) + "){3}".repeat(100),
    ])
      isSlowPattern(pattern);
    // In exponential time, a single pattern takes years.
    expect(processorTime() - begun).toBeLessThan(60_000);
  });
});
