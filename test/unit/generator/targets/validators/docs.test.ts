import { describe, expect, it } from "vitest";
import type {
  FieldDef,
  LossDef,
  Protocol,
  TypeDef,
  ValueType,
} from "../../../../../generator/protocol/model/types.js";
import { filesOf, planTargets } from "../../../../../generator/emit/plan.js";
import { models } from "../../../../../generator/targets/models/models.js";

function field(name: string, type: ValueType, docs = ""): FieldDef {
  return { name, type, docs, deprecated: false, presence: "optional", nonEmpty: false };
}

function message(fields: readonly FieldDef[], more: Partial<TypeDef> = {}): TypeDef {
  const base = {
    name: "Thing",
    fullName: "Thing",
    docs: "",
    deprecated: false,
    fields,
    oneofs: [],
  } as const;
  return { ...base, ...more, kind: "message" };
}

function loss(path: string, kind: LossDef["kind"], text: string): LossDef {
  return { type: "Thing", field: path, bindings: ["grpc"], kind, text };
}

/** The declarations of the models of some types. */
async function declarationsOf(types: readonly TypeDef[], losses: readonly LossDef[] = []) {
  const protocol: Protocol = {
    title: "test",
    sources: [],
    types,
    subjects: new Map(),
    losses,
    operations: [],
    omissions: [],
    legacy: [],
    removed: [],
  };
  const files = filesOf(await planTargets([models], protocol));
  const { types: views } = files[0]?.view as { types: { declarations: string[] }[] };
  return views.flatMap(({ declarations }) => declarations).join("\n");
}

describe("the docs of a field", () => {
  it("the docs of a field name bindings that do not support it, after the text of the source", async () => {
    const thing = message([field("name", { kind: "string" }, "Name of the thing.")]);
    expect(await declarationsOf([thing], [loss("name", "field", "gRPC does not carry it.")])).toBe(
      [
        "export interface Thing {",
        "  /**",
        "   * Name of the thing.",
        "   *",
        "   * gRPC does not carry it.",
        "   */",
        "  name?: string;",
        "}",
      ].join("\n"),
    );
  });

  it("the docs of a field only mention lost defaults of numbers and booleans", async () => {
    const thing = message([
      field("flag", { kind: "boolean" }),
      field("count", { kind: "number", integer: true }),
      field("text", { kind: "string" }),
      field("list", { kind: "list", element: { kind: "string" } }),
    ]);
    const losses = ["flag", "count", "text", "list"].map((name) =>
      loss(name, "default", `${name} is lost.`),
    );
    const text = await declarationsOf([thing], losses);
    expect([...text.matchAll(/(\w+) is lost/g)].map(([, name]) => name)).toEqual(["flag", "count"]);
  });
});

describe("the docs of a type", () => {
  it("the docs of a type name the source if it has another name there", async () => {
    expect(await declarationsOf([message([], { fullName: "a.Thing" })])).toContain("@see a.Thing");
    expect(await declarationsOf([message([], { fullName: "Thing" })])).not.toContain("@see");
  });
});
