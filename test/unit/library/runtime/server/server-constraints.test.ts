import { describe, expect, it } from "vitest";
import { ValidationContext } from "../../../../../library/runtime/schema/schema.js";
import { checkUndeclaredFields } from "../../../../../library/runtime/protocol/requirements.js";
import { checkConstraints } from "../../../../../library/runtime/server/constraints.js";
import type { Operation } from "../../../../../library/runtime/protocol/operation.js";
import { operations, WatchNotSupportedError } from "./server-sample.js";

const operation: Operation = {
  ...operations.addNote,
  nonEmpty: [["note", "pages"], ["stamps"]],
  urls: [["hook"]],
  ranges: [{ path: ["limit"], least: 1, most: 100 }, { path: ["note", "size"], least: 0 }], // prettier-ignore
};

const element = "a list with at least one element";

/** Returns the issues of a request, after `before` from a check of its type. */
function problemsOf(request: object, before: readonly string[] = []) {
  const run = new ValidationContext("json");
  for (const key of before) run.reportAt(key, "something else", undefined);
  checkConstraints(operation, request, run);
  return run.issues.map(({ message }) => message);
}

describe("the constraints of an operation", () => {
  it.each<[string, object, ...string[]]>([
    ["accept lists that have an element", { note: { pages: [1] }, stamps: [1] }],
    [
      "report every list that is absent or empty",
      { note: {}, stamps: [] },
      "/note/pages expected a value, got nothing",
      `/stamps expected ${element}, got an empty list`,
    ],
    ["do not apply to a list of an absent object", { stamps: [1] }],
    ["accept the ends of a range", { stamps: [1], limit: 100, note: { pages: [1], size: 0 } }],
    ["refuse a value below a range", { stamps: [1], limit: 0 }, "/limit expected 1 to 100, got 0"],
    [
      "refuse a value above a range",
      { stamps: [1], limit: 101 },
      "/limit expected 1 to 100, got 101",
    ],
    [
      "refuse a value below the minimum",
      { stamps: [1], note: { pages: [1], size: -1 } },
      "/note/size expected at least 0, got -1",
    ],
    ["accept an empty string if a value is optional", { stamps: [1], title: "" }],
    [
      "refuse an empty string as if it were absent",
      { stamps: "" },
      '/stamps expected a value, got ""',
    ],
    ["accept an absolute URL", { stamps: [1], hook: "HTTPS://example.org:8443/a?b" }],
    ...["/hook", "hook", "", "http:", "https:///a", "ftp://example.org/", "http://a b/"].map(
      (hook): [string, object, string] => [
        `refuse ${JSON.stringify(hook)} in place of a URL`,
        { stamps: [1], hook },
        `/hook expected an absolute http or https URL, got ${JSON.stringify(hook)}`,
      ],
    ),
  ])("the constraints %s", (_, request, ...problems) => {
    expect(problemsOf(request)).toEqual(problems);
  });

  it("the constraints ignore a member that is already invalid", () => {
    const problem = "/stamps expected something else, got nothing";
    expect(problemsOf({ limit: 0 }, ["stamps"])).toEqual([
      problem,
      "/limit expected 1 to 100, got 0",
    ]);
  });
});

describe("a field that needs a capability which the card does not declare", () => {
  it("the field is refused with the error of the capability at any depth", () => {
    const requirement = {
      path: ["note", "hook"],
      capability: ["hooks"],
      error: WatchNotSupportedError,
    };
    const check = () => checkUndeclaredFields([requirement], { note: { hook: {} } });
    expect(check).toThrow(WatchNotSupportedError);
    expect(check).toThrow("note.hook requires hooks, which the agent card does not declare");
    expect(() => checkUndeclaredFields([requirement], { note: {} })).not.toThrow();
  });
});
