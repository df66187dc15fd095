import { describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../../generator/protocol/build/subjects.js";
import { bundled, versions } from "../../../../oracle/subjects.js";
import { read } from "../../input/proto/reading.js";

/** A proto with a rpc, a task that refers to messages, and enough other messages to be split. */
function protoOf(members: Readonly<Record<string, string>> = {}) {
  const messages = {
    GetRequest: "string id = 1; Options options = 2;",
    Options: "string text = 1;",
    Task: "repeated Note notes = 1; Status status = 2; Part part = 3;",
    Status: "string text = 1;",
    Note: "Part part = 1;",
    Part: "string text = 1;",
    ...members,
  };
  const others = Array.from(
    { length: 24 },
    (_, index) => `message Other${index} { string text = 1; }`,
  );
  const own = Object.entries(messages).map(([name, text]) => `message ${name} { ${text} }`);
  return `${own.join("\n")}\n${others.join("\n")}\nservice S { rpc Get(GetRequest) returns (Task); }`;
}

const roots = { notes: ["Note"], tasks: ["Task"], rest: ["Other*"] };

function subjectsIn(proto: string): Readonly<Record<string, string>> {
  const { types, operations } = read(proto);
  const found = subjectsOf(types, operations, roots);
  return Object.fromEntries([...found].filter(([name]) => !name.startsWith("Other")));
}

describe("the subjects of types", () => {
  it("subjects start with the roots of the manifest and contain the types that only these refer to", () => {
    expect(subjectsIn(protoOf())).toEqual({
      GetRequest: "calls",
      Options: "calls",
      Task: "tasks",
      Status: "tasks",
      Note: "notes",
      Part: "notes",
    });
  });

  it("a type that two independent subjects use is common", () => {
    const proto = protoOf({ Task: "Status status = 1; Part part = 2;" });
    expect(subjectsIn(proto)).toMatchObject({ Part: "common", Status: "tasks" });
  });

  it("subjects do not change if a field is added that refers to no other subject", () => {
    const before = subjectsIn(protoOf());
    expect(
      subjectsIn(protoOf({ Status: "string text = 1; int32 count = 2; Status before = 3;" })),
    ).toEqual(before);
  });

  it("a small protocol has one subject", () => {
    const { types, operations } = read("message A { B b = 1; } message B { string text = 1; }");
    expect(new Set(subjectsOf(types, operations, { a: ["A"] }).values())).toEqual(
      new Set(["common"]),
    );
  });

  it("a very large subject is split into numbered files", () => {
    const messages = Array.from(
      { length: 150 },
      (_, index) => `message M${index} { string text = 1; }`,
    );
    const { types, operations } = read(messages.join("\n"));
    expect([...new Set(subjectsOf(types, operations).values())]).toEqual([
      "common-1",
      "common-2",
      "common-3",
    ]);
  });

  it.each(versions)("each type of version %s has a subject of the manifest", (version) => {
    const { protocol } = bundled(version);
    const common = [...protocol.subjects]
      .filter(([, subject]) => subject === "common")
      .map(([name]) => name);
    expect(protocol.types.filter(({ name }) => !protocol.subjects.has(name))).toEqual([]);
    expect(common).toEqual([]);
  });
});
