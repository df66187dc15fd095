import { describe, expect, it } from "vitest";
import { legacyPlaces } from "../../../generator/targets/server/legacy-places.js";
import type { LegacyDef } from "../../../generator/protocol/model/types.js";
import type { Operation } from "../../../templates/runtime/protocol/operation.js";
import { EmptySchema } from "../../../templates/runtime/schema/message.js";
import type { VersionAdapter } from "../../../templates/runtime/server/adapter.js";
import { legacyAdapter, type LegacyOptions, type LegacyTable } from "../../../templates/runtime/versions/legacy.js";
import { ValidationError } from "../../../templates/runtime/schema/schema.js";
import { read } from "../../unit/generator/reading.js";
import { protocol } from "../../unit/runtime/server-sample.js";

const versions = { since: "2.0.0", until: "3.0.0" };
const label = { old: "Node.label", now: "Node.name", value: "same" } as const;
const red = { old: "Color.red", now: "Color.RED" };
const renamed: LegacyDef = { kind: "properties", ...label, ...versions };
const spelled: LegacyDef = { kind: "values", ...red, ...versions };

const table: LegacyTable = {
  names: [{ ...versions, properties: [label], values: [red] }],
  requests: { Draw: "Tree" },
  places: {
    Tree: { root: "Node", byName: { mapOf: "Node" }, colors: "Color" },
    Node: { child: "Node" },
  },
  unions: {},
};

const draw: Operation = {
  name: "Draw",
  method: "draw",
  streaming: "none",
  request: EmptySchema,
  response: EmptySchema,
  jsonRpc: "Draw",
};

function adapterOf(names: LegacyTable, options: LegacyOptions): VersionAdapter {
  return legacyAdapter(names, options)({ protocol, versions: [protocol.version], report: () => undefined });
}

const readParams = (params: Readonly<Record<string, unknown>>, used: string[] = []): unknown =>
  adapterOf(table, { onUse: ({ old }) => used.push(old) }).request?.(draw, params, "Draw");

/** Nodes in nodes. */
function nested(depth: number): Record<string, unknown> {
  let node: Record<string, unknown> = { label: "leaf" };
  for (let level = 1; level < depth; level++) node = { child: node };
  return node;
}

describe("a reader of old names", () => {
  it("finds them in lists, in maps, and in types that lead to themselves", () => {
    const used: string[] = [];
    const params = {
      root: { label: "a", child: { name: "b", child: { label: "c" } } },
      byName: { x: { label: "d" }, __proto: { name: "e" } },
      colors: ["red", "RED", "green"],
    };
    const before = structuredClone(params);
    expect(readParams(params, used)).toEqual({
      root: { name: "a", child: { name: "b", child: { name: "c" } } },
      byName: { x: { name: "d" }, __proto: { name: "e" } },
      colors: ["RED", "RED", "green"],
    });
    expect(params).toEqual(before);
    expect(used).toEqual(["Node.label", "Color.red"]);
  });

  it("gives back what has no old names, and null ones as they are", () => {
    const params = { root: { name: "a", label: null }, byName: { x: {} }, colors: ["RED"], label: "free" };
    expect(readParams(params)).toBe(params);
  });

  it("reports every place where a name could mean several things", () => {
    const both = { label: "a", name: "b" };
    const issues = (() => {
      try {
        readParams({ root: both, byName: { "a/b": both } });
        return [];
      } catch (error) {
        if (error instanceof ValidationError) return error.issues;
        throw error;
      }
    })();
    expect(issues.map(({ pointer, expected }) => [pointer, expected])).toEqual([
      ["/root", "either name or label"],
      ["/byName/a~1b", "either name or label"],
    ]);
  });

  it("leaves what is nested too deep to the check that refuses it", () => {
    expect(JSON.stringify(readParams({ root: nested(90) }))).toContain('{"name":"leaf"}');
    expect(JSON.stringify(readParams({ root: nested(3000) }))).toContain('{"label":"leaf"}');
  });

  it("reads own members only, whatever they are called", () => {
    const old = { ...label, old: "Node.constructor.name" };
    const adapter = adapterOf({ ...table, names: [{ ...versions, properties: [old] }] }, {});
    const params = { root: { child: {} } };
    expect(adapter.request?.(draw, params, "Draw")).toBe(params);
    expect(adapter.request?.({ ...draw, name: "constructor" }, params, "toString")).toBe(params);
    expect(adapter.method?.("constructor")).toBeUndefined();
    const given = { root: { constructor: { name: "a" } } };
    expect(adapter.request?.(draw, given, "Draw")).toEqual({ root: { name: "a" } });
  });

  it("keeps keys of maps that objects have from elsewhere", () => {
    const byName = JSON.parse('{"__proto__":{"label":"a"},"constructor":{"label":"b"}}') as object;
    const result = readParams({ byName }) as { byName: object };
    expect(JSON.stringify(result)).toBe('{"byName":{"__proto__":{"name":"a"},"constructor":{"name":"b"}}}');
    expect(Object.getPrototypeOf(result.byName)).toBe(Object.prototype);
  });
});

describe("the places of old names", () => {
  const proto = `
    message Tree { Node root = 1; map<string, Node> by_name = 2; repeated Color colors = 3; Other other = 4; }
    message Node { string name = 1; Node child = 2; Other other = 3; }
    message Other { string text = 1; }
    message Answer { Node node = 1; Hidden hidden = 2; }
    message Hidden { string now = 1; }
    enum Color { NONE = 0; RED = 1; }
    service S { rpc Draw(Tree) returns (Answer); rpc Drop(Other) returns (Answer); rpc Spare(Node) returns (Answer); }`;

  it("are those that requests over JSON-RPC lead to", () => {
    const protocol = read(proto);
    const operations = protocol.operations.map((one) => (one.name === "Spare" ? one : { ...one, jsonRpc: one.name }));
    const hidden: LegacyDef = { kind: "properties", old: "Hidden.old", now: "Hidden.now", ...versions };
    const places = legacyPlaces({ ...protocol, operations, legacy: [renamed, spelled, hidden] });
    expect(places.names).toEqual([renamed, spelled]);
    expect(Object.fromEntries(places.requests)).toEqual({ Draw: "Tree" });
    expect(Object.fromEntries(places.fields)).toEqual({
      Tree: [
        { field: "root", type: "Node", isMap: false },
        { field: "byName", type: "Node", isMap: true },
        { field: "colors", type: "Color", isMap: false },
      ],
      Node: [{ field: "child", type: "Node", isMap: false }],
    });
  });
});
