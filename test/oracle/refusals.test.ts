import { inspect, isDeepStrictEqual } from "node:util";
import { beforeAll, describe } from "vitest";
import { pointerOf } from "../../library/runtime/schema/issue.js";
import type { Validation } from "../../library/runtime/schema/schema.js";
import { casesOf, eachType, tryAll } from "./cases.js";
import { Values } from "../support/random/values.js";
import type { Random } from "../support/random/random.js";
import { bundled, fromFile, type Module } from "./subjects.js";

// Values that types exclude but JavaScript allows: an encoder must refuse a value or write what a
// parser would read from it.

const subjects = [
  bundled("1.0"),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
];

/** Values that do not belong there to many paths. */
const strangers: readonly (() => unknown)[] = [
  ...[
    undefined,
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    1.5,
    200,
    2 ** 31,
    2 ** 32,
    2 ** 40,
    2 ** 53,
    1e300,
  ].map((value) => () => value),
  ...[
    NaN,
    Infinity,
    -Infinity,
    "",
    "abc",
    "yes",
    "0",
    "1",
    "-1",
    "-0",
    "007",
    "1.5",
    "1e3",
    "0x1",
    " 1",
  ].map((value) => () => value),
  ...[
    "true",
    "NaN",
    "99999999999999999999999",
    "18446744073709551615",
    "AQI",
    "=",
    "a_b",
    "1970-01-01",
    "1s",
  ].map((value) => () => value),
  ...[5n, Symbol("5"), () => 5].map((value) => () => value),
  ...[
    () => [],
    () => ["a"],
    () => [1],
    () => [undefined],
    () => ({}),
    () => ({ a: 1 }),
    () => ({ a: undefined }),
  ],
  ...[() => new Date(0), () => new Map([["a", 1]]), () => new Set(["a"]), () => Uint8Array.of(1)],
];

/** Keys that do not belong into many maps. */
const strangeKeys = [
  "yes",
  "true",
  "1",
  "-1",
  "007",
  "1.5",
  "4294967296",
  "99999999999999999999999",
  "__proto__",
];

/** A value with one part of it exchanged. */
interface Case {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
  readonly stranger: unknown;
}

function exchange(value: unknown, random: Random): Case {
  const paths = pathsOf(value, []);
  const path = random.pick(paths);
  const name = path.at(-1);
  if (random.oneIn(4) && typeof name === "string") {
    const holder = path.slice(0, -1);
    const renamed = withAt(
      value,
      holder,
      renameIn(at(value, holder), name, random.pick(strangeKeys)),
    );
    return { value: renamed, path: holder, stranger: undefined };
  }
  const stranger = random.pick(strangers)();
  return { value: withAt(value, path, stranger), path, stranger };
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, base: Path): Path[] {
  if (typeof value !== "object" || value === null) return [base];
  const members = Array.isArray(value)
    ? (value as unknown[]).map((item, index) => [index, item] as const)
    : [];
  const entries = Array.isArray(value) ? members : Object.entries(value);
  return [base, ...entries.flatMap(([key, member]) => pathsOf(member, [...base, key]))];
}

function at(value: unknown, path: Path) {
  return path.reduce((found, key) => (found as Record<string | number, unknown>)[key], value);
}

function renameIn(object: unknown, name: string, other: string): object {
  const members = Object.entries(object as object);
  return Object.fromEntries(
    members.map(([key, item]): [string, unknown] => [key === name ? other : key, item]),
  );
}

function withAt(value: unknown, [key, ...rest]: Path, stranger: unknown): unknown {
  if (key === undefined) return stranger;
  if (Array.isArray(value))
    return (value as unknown[]).map((item, index) =>
      index === key ? withAt(item, rest, stranger) : item,
    );
  const members = Object.entries(value as object);
  return Object.fromEntries(
    members.map(([name, item]) => [name, name === key ? withAt(item, rest, stranger) : item]),
  );
}

describe.each(subjects)("the codecs of $name", ({ name: subject, protocol, load }) => {
  const values = new Values(protocol);
  let codec: Module;
  let validators: Module;
  let schema: Module;

  beforeAll(async () => {
    [codec, validators, schema] = await Promise.all([
      load("protobuf"),
      load("validators"),
      load("runtime/schema/schema"),
    ]);
  });

  const names = protocol.types.filter(({ kind }) => kind === "message").map(({ name }) => name);
  eachType(names, "the codec refuses values that are not %s and names their path", (name) => {
    const encode = codec(`encode${name}`) as (value: unknown) => Uint8Array;
    const type = validators(`${name}Schema`);
    const check = (value: unknown) => schema("check")(type, value, "open") as Validation<unknown>;

    return tryAll<Case>({
      name: `${subject} ${name} with a stranger`,
      cases: casesOf(150),
      generate: (random) => exchange(values.of(name, random), random),
      smaller: () => [],
      print: (found) => inspect(found, { depth: 20 }),
      complaint: ({ value, path, stranger }) => {
        let bytes: Uint8Array;
        try {
          bytes = encode(value);
        } catch (error) {
          return refusalComplaint(error, name, path);
        }
        const decoded = codec(`decode${name}`)(bytes);
        // Bytes and numbers have no word for what is not finite; the names of it are for JSON.
        const isNamed = typeof stranger === "number" && !Number.isFinite(stranger);
        const canonical = check(isNamed ? withAt(value, path, String(stranger)) : value);
        // Only validators check required fields.
        const wrong = canonical.issues?.filter(
          ({ expected, found }) =>
            !["nothing", "an empty list"].includes(found) && !expected.startsWith("exactly one"),
        );
        if (wrong?.length === 0) return undefined;
        if (wrong !== undefined)
          return `is written as ${inspect(decoded)}, and is not valid: ${wrong[0]?.message ?? ""}`;
        const [given, read] = [canonical.value, decoded].map(
          (one) => JSON.parse(JSON.stringify(one)) as unknown,
        );
        return isDeepStrictEqual(given, read)
          ? undefined
          : `is read as ${inspect(read)}, and not ${inspect(given)}`;
      },
    });
  });
});

/**
 * Returns the failure of an error: it must be an error of codecs and name the path of the value, or
 * of a containing value.
 */
function refusalComplaint(error: unknown, name: string, path: Path) {
  const { name: kind, message } = error as Error;
  if (kind !== "EncodeError") return `throws a ${kind}: ${message}`;
  const [, blamed] = new RegExp(`^${name}: (/[^]*?) (?:expected|has content) `).exec(message) ?? [];
  const place = pointerOf(path);
  const isThere = blamed === "/" || blamed === place;
  const isNear =
    blamed !== undefined && (blamed.startsWith(`${place}/`) || place.startsWith(`${blamed}/`));
  return isThere || isNear ? undefined : `blames ${blamed ?? "nothing"} for ${place}: ${message}`;
}
