import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { packageFolder } from "../../../support/package-folder.js";

const folder = join(packageFolder, "spec");
const overlay = new Map(
  Object.entries(parse(readFileSync(join(folder, "docs.yaml"), "utf8")) as object),
);

/** The versions that the overlay is for; protos of later ones say themselves what things are. */
const versions = ["0.1.0", "0.2.1", "0.2.6", "0.3.0", "0.4-draft"];

/** Inline enums of the schemas, by their paths. The manifests name them. */
const inlineEnums: Readonly<Record<string, string>> = { "Message.role": "Role" };

/**
 * Declaration that the overlay must describe: `Task`, `Task.id`, `TaskState.working`, `GetTask`.
 */
interface Thing {
  readonly name: string;
  /** The field, if other types may have an equivalent field. */
  readonly field?: string;
  /** The other fields of its type. */
  readonly beside?: readonly string[];
}

describe.each(versions)("the doc comments of %s", (version) => {
  it.each(filesOf(version))(
    "the doc comments describe every type, field, value and operation in %s",
    (file) => {
      const lacking = thingsOf(version, file).filter(
        ({ name, field }) => !overlay.has(name) && !overlay.has(`*.${String(field)}`),
      );
      expect(lacking.map(({ name }) => name)).toEqual([]);
    },
  );
});

describe("the doc comments of all versions", () => {
  const things = versions.flatMap((version) =>
    filesOf(version).flatMap((file) => thingsOf(version, file)),
  );

  it("the doc comments describe only names that exist in a version", () => {
    const known = new Set([...things.map(({ name }) => name), ...versions.flatMap(addedTo)]);
    const shared = new Set(
      things.filter(({ name }) => !overlay.has(name)).map(({ field }) => `*.${String(field)}`),
    );
    expect([...overlay.keys()].filter((key) => !known.has(key) && !shared.has(key))).toEqual([]);
  });

  // A shared text says something wrong about a field that only happens to have the same name.
  it.each([
    { field: "id", besides: "jsonrpc" },
    { field: "message", besides: "code" },
    { field: "data", besides: "code" },
    { field: "description", besides: "SecurityScheme" },
  ])(
    "the doc comment of $field is only shared by types that also have $besides",
    ({ field, besides }) => {
      const users = things.filter((thing) => thing.field === field && !overlay.has(thing.name));
      expect(users.length).toBeGreaterThan(0);
      const others = users.filter(
        ({ name, beside = [] }) => !beside.includes(besides) && !name.includes(besides),
      );
      expect(others.map(({ name }) => name)).toEqual([]);
    },
  );

  it("the doc comments are strings with lines of at most 100 columns", () => {
    const texts = [...overlay].map(([key, text]) => ({
      key,
      lines: typeof text === "string" ? text.split("\n") : [""],
    }));
    const wrong = texts.filter(
      ({ lines }) => lines[0] === "" || lines.some((line) => line.length > 100),
    );
    expect(wrong.map(({ key }) => key)).toEqual([]);
  });
});

function filesOf(version: string): string[] {
  return readdirSync(join(folder, version)).filter(
    (file) => file === "a2a.proto" || file === "a2a.json",
  );
}

/** The operations that no file but the manifest of a version has. */
function addedTo(version: string) {
  const manifest = parse(readFileSync(join(folder, version, "manifest.yaml"), "utf8")) as {
    readonly operations: Readonly<Record<string, { readonly returns?: string }>>;
  };
  return Object.entries(manifest.operations).flatMap(([name, { returns }]) =>
    returns === undefined ? [] : [name],
  );
}

function thingsOf(version: string, file: string): Thing[] {
  const text = readFileSync(join(folder, version, file), "utf8");
  return file.endsWith(".proto") ? thingsOfProto(text) : thingsOfSchema(JSON.parse(text) as Schema);
}

function thingsOfProto(text: string): Thing[] {
  const root = new protobuf.Root();
  const { package: packageName = "" } = protobuf.parse(text, root, { keepCase: true });
  return root.define(packageName).nestedArray.flatMap((object): Thing[] => {
    if (object instanceof protobuf.Service)
      return object.methodsArray.map(({ name }) => ({ name }));
    const own = { name: object.name };
    if (object instanceof protobuf.Enum)
      return [own, ...Object.keys(object.values).map((value) => member(own, value))];
    if (!(object instanceof protobuf.Type))
      throw new Error(`${object.fullName} is neither service, message nor enum`);
    const oneofs = object.oneofsArray.map(({ name }) => member(own, name));
    return [own, ...fieldsOf(object.name, object.fieldsArray.map(jsonName)), ...oneofs];
  });
}

function jsonName({ name, options }: protobuf.Field) {
  const given: unknown = options?.["json_name"];
  return typeof given === "string"
    ? given
    : name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

interface Schema {
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly const?: string;
}

function thingsOfSchema({ definitions, $defs }: Schema): Thing[] {
  const entries = Object.entries(definitions ?? $defs ?? {});
  return entries.flatMap(([name, schema]) => [
    ...thingsOfDefinition(name, schema),
    ...operationOf(name, schema),
  ]);
}

function thingsOfDefinition(name: string, { enum: values = [], properties = {} }: Schema): Thing[] {
  const own = { name };
  const inline = Object.entries(properties).flatMap(([field, schema]) => {
    const enumName = inlineEnums[`${name}.${field}`];
    return enumName === undefined ? [] : thingsOfDefinition(enumName, schema);
  });
  return [
    own,
    ...values.map((value) => member(own, value)),
    ...fieldsOf(name, Object.keys(properties)),
    ...inline,
  ];
}

/** The operation that a request of JSON-RPC calls. */
function operationOf(name: string, { properties }: Schema): Thing[] {
  return properties?.["method"]?.const === undefined
    ? []
    : [{ name: name.replace(/Request$/, "") }];
}

function fieldsOf(type: string, fields: readonly string[]): Thing[] {
  return fields.map((field) => ({ name: `${type}.${field}`, field, beside: fields }));
}

function member({ name }: Thing, value: string): Thing {
  return { name: `${name}.${value}` };
}
