import { changed, json, object } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { shrink } from "../../support/random/shrink.js";

/** Keys that mean something to JavaScript. */
const keys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "toJSON",
  "length",
  "0",
  "",
];

const texts = [
  "\ud800",
  "a\udfff",
  "\u0000",
  "\u2028",
  "__proto__",
  "9".repeat(400),
  "1e400",
  "x".repeat(5_000),
];
const numbers = [-0, 1e308, 5e-324, 2 ** 53 + 2, -(2 ** 63), 2 ** 64];

/** Values that clients only send deliberately. */
function trap(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return parsed(
        `{"${random.pick(keys)}":${JSON.stringify(json(random, keys, 1))},"polluted":1}`,
      );
    case 1:
      return parsed('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    case 2:
      return random.pick(texts);
    case 3:
      return random.pick(numbers);
    case 4:
      return deep(random.pick([98, 99, 100, 101, 102, 5_000]), random.oneIn(2));
    case 5:
      return random.oneIn(20)
        ? Array<unknown>(50_000).fill(random.pick([null, 0, "", {}]))
        : [null, [], {}];
    case 6:
      return Object.fromEntries(keys.map((key) => [key, random.pick(texts)]));
    default:
      return parsed(`{"${random.pick(keys)}":null}`);
  }
}

/** Objects or lists in one another. */
function deep(levels: number, isList: boolean): unknown {
  return parsed(
    isList
      ? "[".repeat(levels) + "]".repeat(levels)
      : '{"a":'.repeat(levels) + "1" + "}".repeat(levels),
  );
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

/**
 * A document in which some values deviate in the way of peers: constants are absent or have another
 * name, bytes are in lines or in a data URI, times have no zone, members are absent or have other
 * names, and objects are in one more object.
 */
function deviating(document: unknown, random: Random): unknown {
  if (Array.isArray(document)) return document.map((item: unknown) => deviating(item, random));
  if (typeof document === "string")
    return random.oneIn(3) ? deviatingText(document, random) : document;
  if (typeof document !== "object" || document === null) return document;
  const entries = Object.entries(document).flatMap(([key, value]): [string, unknown][] => {
    if (key === "kind")
      return random.pick([[], [["type", value]], [[key, value]], [[key, null]], [[key, "task"]]]);
    if (key === "messageId" && random.oneIn(3)) return [];
    if (key === "bytes" && random.oneIn(2)) return [["data", value]];
    const inner = deviating(value, random);
    return random.oneIn(12) ? [["task", inner]] : [[key, inner]];
  });
  const result = Object.fromEntries(entries);
  const [only] = Object.values(result);
  if (random.oneIn(12)) return { [random.pick(["task", "message", "data"])]: result };
  return random.oneIn(12) && typeof only === "object" ? only : result;
}

function deviatingText(text: string, random: Random) {
  const middle = random.below(text.length + 1);
  return random.pick([
    text.replace(/Z$/, ""),
    `${text.slice(0, middle)}\r\n${text.slice(middle)}`,
    `data:text/plain;base64,${text}`,
    `data:,${text}`,
    `data:;base64,data:;base64,${text}`,
  ]);
}

/** A document that was good, or never was, with traps in it. */
export function nastyJson(random: Random, good: unknown, known: readonly string[]): unknown {
  switch (random.below(9)) {
    case 0:
      return trap(random);
    case 8:
      return random.oneIn(2)
        ? deviating(good, random)
        : deviating(changed(good, random, known), random);
    case 1:
      return random.oneIn(2) ? json(random, known) : object(random, known);
    case 2:
      return good;
    case 3:
    case 4:
      return withTrap(changed(good, random, known), random);
    default:
      return changed(good, random, known);
  }
}

/** Puts a trap into a document: in place of something in it, or beside it. */
function withTrap(document: unknown, random: Random): unknown {
  if (typeof document !== "object" || document === null) return trap(random);
  const members = Object.keys(document);
  const member = members[random.below(members.length || 1)];
  const key = member === undefined || random.oneIn(4) ? random.pick(keys) : member;
  const inner: unknown = Object.hasOwn(document, key) ? Reflect.get(document, key) : undefined;
  const value = random.oneIn(2) ? withTrap(inner, random) : trap(random);
  if (Array.isArray(document))
    return document.map((item: unknown, index) => (String(index) === key ? value : item));
  Object.defineProperty(document, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
  return document;
}

/** Returns smaller documents, or none if the document is too deep to traverse. */
export function* smallerJson(value: unknown): Iterable<unknown> {
  if (textOf(value) !== undefined) yield* shrink(value);
}

/** A document as text, which `undefined` and values nested too deep have none of. */
export function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
