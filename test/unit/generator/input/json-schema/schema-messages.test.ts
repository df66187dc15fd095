import { describe, expect, it } from "vitest";
import { aliasOf, messageOf, read, readText, typeOf, valueOf } from "./schema-reading.js";

const text = { kind: "string" };
const any = { kind: "any" };

describe("an object with properties", () => {
  it("an object has a field for a property that is only required", () => {
    const [field] = messageOf(read({ Thing: { type: "object", required: ["a"] } }), "Thing").fields;
    expect(field).toMatchObject({ name: "a", type: any, presence: "required" });
  });

  it.each([
    ["refers to", { $ref: "#/definitions/Base" }],
    ["combines with nothing", { allOf: [{ $ref: "#/definitions/Base" }, { type: "object" }] }],
  ])("an object has the fields of a type that a name %s", (_, alias) => {
    const base = { type: "object", properties: { a: { type: "string" } } };
    const thing = { $ref: "#/definitions/Alias", required: ["b"] };
    const { fields } = messageOf(read({ Alias: alias, Base: base, Thing: thing }), "Thing");
    expect(fields.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("an object that only has additional members is a map", () => {
    expect(aliasOf({ type: "object", additionalProperties: { type: "string" } })).toEqual({
      kind: "map",
      key: "string",
      value: text,
    });
  });
});

describe("an inline object", () => {
  const inner = { type: "object", description: "Inside", properties: { x: {} } };

  it("an inline object is declared after its owner, under a name that describes its path", () => {
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

  it("an inline object has the name that a hint gives its path", () => {
    const names = { "Owner.field": "Inner" };
    expect(valueOf(inner, {}, { names })).toEqual({ kind: "message", name: "Inner" });
  });

  it.each([
    ["a constant", { k: { const: "text" } }, { k: { const: "file" } }, ["PartText", "PartFile"]],
    ["a property of its own", { k: {}, a: {} }, { k: {}, b: {} }, ["PartWithA", "PartWithB"]],
    ["a character", { k: { type: "null" } }, { k: {} }, ["PartA", "PartB"]],
  ])("an inline object in a union is named by %s", (_, first, second, names) => {
    const parts = read({
      Part: { anyOf: [first, second].map((properties) => ({ type: "object", properties })) },
    });
    expect(parts.types.map(({ name }) => name)).toEqual(["Part", ...names]);
  });

  it("an inline object in a union is named by its title if the title is more specific", () => {
    const members = ["Short text", "long text"].map((title) => ({
      title,
      type: "object",
      properties: { a: {} },
    }));
    const parts = read({ Part: { anyOf: members } });
    expect(parts.types.map(({ name }) => name)).toEqual(["Part", "PartShortText", "PartLongText"]);
  });
});

describe("allOf of objects", () => {
  it("allOf may refer to the type that contains it", () => {
    const parts = read({
      Tree: {
        type: "object",
        properties: { up: { $ref: "#/definitions/Tree", required: ["up"] } },
      },
    });
    const up = { kind: "message", name: "TreeUp" };
    expect(messageOf(parts, "TreeUp").fields).toMatchObject([
      { name: "up", presence: "required", type: up },
    ]);
  });
});

describe("locations in a schema", () => {
  const source =
    '{\n  "definitions": {\n    "Task": {\n      "properties": {\n        "id": {}\n      }\n    }\n  }\n}';

  it("locations refer to the names of definitions and members", () => {
    const { locationOf } = readText(source);
    expect(locationOf("Task")).toEqual({ file: "s.json", line: 3, column: 5 });
    expect(locationOf("Task", "id")).toEqual({ file: "s.json", line: 5, column: 9 });
    expect(locationOf("Task.id")).toEqual(locationOf("Task", "id"));
    expect(locationOf("Task", "other")).toBeUndefined();
  });

  it("locations are found if a definition inherits the member", () => {
    const parts = read({
      Base: { type: "object", properties: { a: {} } },
      Thing: { allOf: [{ $ref: "#/definitions/Base" }] },
    });
    expect(parts.locationOf("Thing", "a")).toEqual(parts.locationOf("Base", "a"));
    expect(parts.locationOf("Thing", "a")).toBeDefined();
  });
});
