import { describe, expect, it } from "vitest";
import { Diagnostics, InputError } from "../../../../../support/diagnostics.js";
import { readSchema } from "../../../../../generator/input/json-schema/read.js";
import { schemaFiles } from "../../../../../generator/input/json-schema/files.js";
import type { SchemaParts } from "../../../../../generator/protocol/model/schema-parts.js";
import { fits } from "./schema-fits.js";
import { messageOf, typeOf } from "./schema-reading.js";

const dialect = "https://json-schema.org/draft/2020-12/schema";

type Files = Readonly<Record<string, unknown>>;

const readFrom = (files: Files) => (path: string) =>
  files[path] === undefined ? undefined : { file: path, text: JSON.stringify(files[path]) };

/** Reads a schema in the file `main.json`, with other files next to it. */
function readFiles(main: object, files: Files = {}, rootType?: string) {
  const source = { file: "main.json", text: JSON.stringify(main) };
  const diagnostics = new Diagnostics();
  const hints = { names: {}, keys: {}, enumAliases: {} };
  const parts = readSchema(source, hints, diagnostics, {
    rootType,
    readReference: readFrom(files),
  });
  diagnostics.throwIfAny();
  return parts;
}

function problemsOf(main: object, files: Files = {}): readonly string[] {
  try {
    readFiles(main, files);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.message.split("\n");
    throw error;
  }
}

const namesOf = ({ types }: SchemaParts) => types.map(({ name }) => name);
const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest });
const price = (reference: string) => object({ price: { $ref: reference } }, { title: "Order" });
const amount = object({ value: { type: "integer" } }, { title: "Amount" });

describe("a reference of a JSON Schema to another file", () => {
  it("the file becomes a type with its title, or with the name of the file", () => {
    expect(namesOf(readFiles(price("types/amount.json"), { "types/amount.json": amount }))).toEqual(
      ["Order", "Amount"],
    );
    const untitled = { ...amount, title: undefined };
    expect(
      namesOf(readFiles(price("types/the-amount.json"), { "types/the-amount.json": untitled })),
    ).toEqual(["Order", "TheAmount"]);
  });

  it("files may refer to each other, to files above them, and to their definitions", () => {
    const files = {
      "types/a.json": object(
        { b: { $ref: "../b.json#/$defs/b" }, main: { $ref: "../main.json" } },
        { title: "A" },
      ),
      "b.json": { $defs: { b: object({ a: { $ref: "types/a.json#" } }), unused: object({}) } },
    };
    const parts = readFiles(object({ a: { $ref: "types/a.json" } }, { title: "Main" }), files);
    expect(namesOf(parts)).toEqual(["Main", "A", "b"]);
    expect(messageOf(parts, "A").fields.map(({ type }) => type)).toMatchObject([
      { name: "b" },
      { name: "Main" },
    ]);
    expect(
      schemaFiles(
        { file: "x/main.json", text: JSON.stringify({ $ref: "types/a.json" }) },
        readFrom(files),
      ),
    ).toMatchObject([{ path: "main.json" }, { path: "types/a.json" }, { path: "b.json" }]);
  });

  it("a URI refers to the file with this `$id` next to the schema, or at the same path below its `$id`", () => {
    const main = {
      ...price("https://example.com/schemas/amount.json"),
      $id: "https://example.com/schemas/v1/order.json",
    };
    const identified = { ...amount, $id: "https://example.com/schemas/amount.json" };
    expect(namesOf(readFiles(main, { "../amount.json": identified }))).toEqual(["Order", "Amount"]);
    expect(namesOf(readFiles(main, { "amount.json": identified }))).toEqual(["Order", "Amount"]);
    expect(
      problemsOf(main, { "amount.json": { ...identified, $id: "https://example.com/other.json" } }),
    ).toEqual([
      'main.json:1:41: "https://example.com/schemas/amount.json" refers to another file, which does not exist in the ' +
        "project. Add it to the project as ../amount.json, relative to the schema, or copy the definition into this file.",
    ]);
  });

  it("a definition with its own `$id` is found by it", () => {
    const inner = {
      $id: "amount",
      ...amount,
      $defs: { Unit: { enum: ["a"] } },
      properties: { unit: { $ref: "#/$defs/Unit" } },
    };
    const main = {
      ...price("https://example.com/amount"),
      $id: "https://example.com/order",
      $defs: { Amount: inner },
    };
    expect(namesOf(readFiles(main))).toEqual(["Order", "Amount", "Unit"]);
  });

  it("types of several files with the same name get different names", () => {
    const files = {
      "a.json": { $defs: { Item: object({ a: {} }) } },
      "b.json": { $defs: { item: object({ b: {} }) } },
    };
    const main = object(
      { a: { $ref: "a.json#/$defs/Item" }, b: { $ref: "b.json#/$defs/item" } },
      { title: "Order" },
    );
    expect(namesOf(readFiles({ ...main, $defs: { Item: object({ c: {} }) } }, files))).toEqual([
      "Order",
      "Item",
      "AItem",
      "BItem",
    ]);
  });

  it("a JSON Schema as a value is an object, or true or false", () => {
    const parts = readFiles(object({ schema: { $ref: dialect } }, { title: "Tool" }));
    const values = [{ type: "string" }, true, "text"].map((schema) =>
      fits(parts, "Tool", { schema }),
    );
    expect(values).toEqual([true, true, false]);
  });

  it("mistakes are reported with the file that contains them", () => {
    const files = { "a.json": { type: "text" }, "b.json": { $ref: "#/$defs/None" } };
    expect(
      problemsOf(
        { $defs: { A: { $ref: "a.json" }, B: { $ref: "b.json" }, C: { $ref: "none.json" } } },
        files,
      ),
    ).toEqual([
      expect.stringMatching(
        /^main\.json:1:\d+: "none\.json" refers to another file, which does not exist/,
      ),
      expect.stringMatching(/^a\.json:1:2: "type" must be one of/),
      'b.json:1:2: "#/$defs/None" refers to a missing definition. Add it to the definitions, or correct the name.',
    ]);
  });
});

describe("a reference of a JSON Schema to a part of a file", () => {
  it("a property that is referred to becomes a type, and the property refers to it", () => {
    const inner = object({ text: { type: "string" } });
    const parts = readFiles({
      $defs: { Update: object({ name: inner, alias: { $ref: "#/$defs/Update/properties/name" } }) },
    });
    const reference = { kind: "message", name: "UpdateName" };
    expect(namesOf(parts)).toEqual(["Update", "UpdateName"]);
    expect(messageOf(parts, "Update").fields.map(({ type }) => type)).toEqual([
      reference,
      reference,
    ]);
  });

  it("elements, members of unions, and members of unknown keywords can be referred to", () => {
    const main = {
      title: "Root",
      type: "object",
      properties: {
        list: { type: "array", items: object({ x: {} }) },
        one: { anyOf: [{ type: "string" }, object({ y: {} })] },
        item: { $ref: "#/properties/list/items" },
        other: { $ref: "#/properties/one/anyOf/1" },
        kept: { $ref: "#/components/schemas/Kept" },
      },
      components: { schemas: { Kept: object({ z: {} }) } },
    };
    const parts = readFiles(main);
    expect(
      messageOf(parts, "Root").fields.map(({ type }) => ("name" in type ? type.name : type.kind)),
    ).toEqual(["list", "anyOf", "RootListItems", "RootOne1", "RootSchemasKept"]);
  });

  it("a schema may contain a reference to itself", () => {
    const tree = object(
      { node: object({ next: { $ref: "#/properties/node" } }) },
      { title: "Tree" },
    );
    const parts = readFiles(tree);
    expect(fits(parts, "Tree", { node: { next: { next: {} } } })).toBe(true);
    expect(fits(parts, "Tree", { node: { next: { next: 1 } } })).toBe(false);
  });
});

describe("the type that a JSON Schema itself describes", () => {
  it("a document with constraints is a type with its title, or with the name of its file", () => {
    const $defs = { Guest: object({}) };
    expect(
      namesOf(
        readFiles({ title: "Booking", ...object({ guest: { $ref: "#/$defs/Guest" } }), $defs }),
      ),
    ).toEqual(["Booking", "Guest"]);
    expect(namesOf(readFiles({ $schema: dialect, ...object({}) }))).toEqual(["Main"]);
    expect(namesOf(readFiles({ title: "Guest", ...object({}), $defs }))).toEqual(["Main", "Guest"]);
  });

  it("a document that only refers to one of its definitions adds no type", () => {
    const main = {
      title: "Config",
      $ref: "#/definitions/Options",
      definitions: { Options: object({}) },
    };
    expect(namesOf(readFiles(main))).toEqual(["Options"]);
    expect(typeOf(readFiles(main), "Options").kind).toBe("message");
  });
});
