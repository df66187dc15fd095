import { describe, expect, it } from "vitest";
import { aliasOf, messageOf, read, readText, typeOf, valueOf } from "./schema-reading.js";

const text = { kind: "string" };
const any = { kind: "any" };

describe("an object with properties", () => {
  it("has a field for what it only requires", () => {
    const [field] = messageOf(read({ Thing: { type: "object", required: ["a"] } }), "Thing").fields;
    expect(field).toMatchObject({ name: "a", type: any, presence: "required" });
  });

  it.each([
    ["refers to", { $ref: "#/definitions/Base" }],
    ["puts together with nothing", { allOf: [{ $ref: "#/definitions/Base" }, { type: "object" }] }],
  ])("has the fields of a type that a name %s", (_, alias) => {
    const base = { type: "object", properties: { a: { type: "string" } } };
    const thing = { $ref: "#/definitions/Alias", required: ["b"] };
    const { fields } = messageOf(read({ Alias: alias, Base: base, Thing: thing }), "Thing");
    expect(fields.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("is a map as a definition that only has other members", () => {
    expect(aliasOf({ type: "object", additionalProperties: { type: "string" } })).toEqual({
      kind: "map",
      key: "string",
      value: text,
    });
  });
});

describe("an inline object", () => {
  const inner = { type: "object", description: "Inside", properties: { x: {} } };

  it("is declared behind its owner, under a name that tells where it stands", () => {
    const properties = {
      some_part: inner,
      list: { type: "array", items: inner },
      map: { additionalProperties: inner },
    };
    const parts = read({ Owner: { type: "object", properties }, Next: {} });
    expect(parts.types.map(({ name, fullName }) => `${name} = ${fullName}`)).toEqual([
      "Owner = Owner",
      "OwnerSomePart = Owner.some_part",
      "OwnerListItem = Owner.list.items",
      "OwnerMapValue = Owner.map.additionalProperties",
      "Next = Next",
    ]);
    expect(typeOf(parts, "OwnerSomePart").docs).toBe("Inside");
  });

  it("takes the name that a hint gives its path", () => {
    const names = { "Owner.field": "Inner" };
    expect(valueOf(inner, {}, { names })).toEqual({ kind: "message", name: "Inner" });
  });

  it.each([
    ["a constant", { k: { const: "text" } }, { k: { const: "file" } }, ["PartText", "PartFile"]],
    ["a property of its own", { k: {}, a: {} }, { k: {}, b: {} }, ["PartWithA", "PartWithB"]],
    ["a letter", { k: { type: "null" } }, { k: {} }, ["PartA", "PartB"]],
  ])("in a union goes by %s", (_, first, second, names) => {
    const parts = read({ Part: { anyOf: [first, second].map((properties) => ({ type: "object", properties })) } });
    expect(parts.types.map(({ name }) => name)).toEqual(["Part", ...names]);
  });

  it("in a union goes by its title, if that says more", () => {
    const members = ["Short text", "long text"].map((title) => ({ title, type: "object", properties: { a: {} } }));
    const parts = read({ Part: { anyOf: members } });
    expect(parts.types.map(({ name }) => name)).toEqual(["Part", "PartShortText", "PartLongText"]);
  });
});

describe("allOf of objects", () => {
  it("may build on the type that it stands in", () => {
    const parts = read({
      Tree: { type: "object", properties: { up: { $ref: "#/definitions/Tree", required: ["up"] } } },
    });
    const up = { kind: "message", name: "TreeUp" };
    expect(messageOf(parts, "TreeUp").fields).toMatchObject([{ name: "up", presence: "required", type: up }]);
  });
});

describe("the places", () => {
  const source =
    '{\n  "definitions": {\n    "Task": {\n      "properties": {\n        "id": {}\n      }\n    }\n  }\n}';

  it("are those of the names of definitions and members", () => {
    const { locationOf } = readText(source);
    expect(locationOf("Task")).toEqual({ file: "s.json", line: 3, column: 5 });
    expect(locationOf("Task", "id")).toEqual({ file: "s.json", line: 5, column: 9 });
    expect(locationOf("Task.id")).toEqual(locationOf("Task", "id"));
    expect(locationOf("Task", "other")).toBeUndefined();
  });

  it("are found where a definition inherits the member", () => {
    const parts = read({
      Base: { type: "object", properties: { a: {} } },
      Thing: { allOf: [{ $ref: "#/definitions/Base" }] },
    });
    expect(parts.locationOf("Thing", "a")).toEqual(parts.locationOf("Base", "a"));
    expect(parts.locationOf("Thing", "a")).toBeDefined();
  });
});
