import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ValidationError } from "../../library/runtime/schema/schema.js";
import {
  convertedDirectly,
  type DirectConversions,
} from "../../library/runtime/versions/direct.js";
import {
  mapped,
  type Direction,
  type VersionMapping,
} from "../../library/runtime/versions/mapping.js";
import { findSource, generateFrom, libraryOptions, writeTo } from "../support/output.js";
import fc, { arbitrary } from "../support/properties.js";
import { changed, object } from "../support/random/json.js";
import type { Random } from "../support/random/random.js";
import { Values } from "../support/random/values.js";
import { casesOf } from "./cases.js";
import { bundled } from "./subjects.js";
import { versionPairs } from "./version-pairs.js";

const facts = [{ last: true }, { last: false }, { id: () => "an id" }] as const;

const wireVersion = (name: string) => bundled(name).protocol.binding?.wireVersion ?? "";
// Versions with the same number on the wire need no adapter.
const served = versionPairs
  .filter(([earlier, later]) => wireVersion(earlier) !== wireVersion(later))
  .flatMap(([earlier, later]) => [[later, earlier] as const, [earlier, later] as const]);

describe.each(served)("an agent of %s that serves %s", (own, other) => {
  const protocols = { own: bundled(own).protocol, other: bundled(other).protocol };
  const values = { own: new Values(protocols.own), other: new Values(protocols.other) };
  let direct: DirectConversions;
  let mapping: VersionMapping;

  beforeAll(async () => {
    const source = { ...findSource(own), versions: [findSource(other)] };
    const output = await generateFrom(source, {
      targets: ["server", "jsonrpc"],
      ...libraryOptions,
    });
    const folder = writeTo(join("oracle", `direct-${own}-${other}-${process.pid}`), output);
    const load = (module: string) =>
      import(pathToFileURL(join(folder, "versions", wireVersion(other), `${module}.ts`)).href);
    ({ direct } = (await load("direct")) as { direct: DirectConversions });
    ({ mapping } = (await load("mapping")) as { mapping: VersionMapping });
  });

  it.each([
    ["requests", "own"],
    ["responses", "other"],
  ] as const)("the direct conversions of %s return what the tables return", (_, to) => {
    const names = Object.keys(direct[to]);
    const keys = [...keysIn(mapping.types), "__proto__", "toString"];
    const covered = new Set<string>();
    for (const name of names) {
      const property = fc.property(
        arbitrary((random) => unusual(changed(valueOf(name, to, random), random, keys), random)),
        fc.constantFrom(...facts),
        (value, known) => {
          const conversion = { kind: "type", name } as const;
          const found = convertedDirectly(direct[to], name, value, known);
          if (found === undefined) return;
          covered.add(name);
          const expected = attempt(() => mapped(mapping, conversion, value, to, known));
          expect(found).toStrictEqual(expected);
          expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
        },
      );
      fc.assert(property, { numRuns: casesOf(3000) });
    }
    expect([...covered]).toEqual(names);
  });

  /** Returns a valid value of a type to convert. */
  function valueOf(name: string, to: Direction, random: Random): unknown {
    const from = to === "own" ? "other" : "own";
    const [old = "", now = old] = name.split("~");
    const type = (from === "own") === (mapping.own === 0) ? old : now;
    return protocols[from].types.some((each) => each.name === type)
      ? values[from].of(type, random, 5)
      : object(random, ["id", "name", "metadata"]);
  }
});

/** Returns a result, or the issues of a value that cannot be converted. */
function attempt(convert: () => unknown): unknown {
  try {
    return convert();
  } catch (error) {
    if (error instanceof ValidationError) return error.issues;
    throw error;
  }
}

/** Returns the keys of members and the constants in the tables. */
function keysIn(types: VersionMapping["types"]): readonly string[] {
  const texts = new Set<string>();
  JSON.stringify(types, (_, value: unknown) => {
    if (typeof value === "string") texts.add(value);
    return value;
  });
  return [...texts];
}

/** Sometimes lets an object inherit its members, drops a member, or sets it to `undefined`. */
function unusual(value: unknown, random: Random): unknown {
  if (!random.oneIn(6)) return value;
  const objects: object[] = [];
  JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "object" && each !== null && !Array.isArray(each)) objects.push(each);
    return each;
  });
  if (objects.length === 0) return value;
  const object = random.pick(objects);
  const [key] = Object.keys(object);
  if (random.oneIn(2)) Object.setPrototypeOf(object, { ...object });
  if (key !== undefined && random.oneIn(2)) Reflect.deleteProperty(object, key);
  else if (key !== undefined) Reflect.set(object, key, undefined);
  return value;
}
