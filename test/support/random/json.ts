import type { Random } from "./random.js";

const texts = [
  "",
  "é€😀",
  "__proto__",
  "constructor",
  "null",
  "0",
  "1.0",
  "-1",
  "1e2",
  "true",
  "NaN",
  "a/b",
  "YQ==",
  "_-8",
  "1s",
];
const letters = Array.from('abcXYZ019 -_/+=.%"\\\u0000\u007fäß漢😀');
const numbers = [
  0,
  1,
  -1,
  0.5,
  -2.25,
  1e21,
  5e-324,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  255,
  1.1,
];

/** Random well-formed text. */
export function text(random: Random): string {
  if (random.oneIn(3)) return random.pick(texts);
  return random.list(8, () => random.pick(letters)).join("");
}

/** A random number of JSON. */
export function number(random: Random): number {
  switch (random.below(4)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.below(20);
    case 2:
      return random.next() - 2 ** 31;
    default:
      return (random.next() - 2 ** 31) / 2 ** random.below(40);
  }
}

/** A random JSON value; `keys` are names that its objects have often. */
export function json(random: Random, keys: readonly string[] = [], depth = 3): unknown {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return number(random);
    case 3:
    case 4:
      return text(random);
    case 5:
      return random.list(3, () => json(random, keys, depth - 1));
    default:
      return object(random, keys, depth);
  }
}

/** A random JSON object. */
export function object(
  random: Random,
  keys: readonly string[] = [],
  depth = 3,
): Record<string, unknown> {
  const key = () => (keys.length > 0 && !random.oneIn(4) ? random.pick(keys) : text(random));
  return Object.fromEntries(random.list(4, () => [key(), json(random, keys, depth - 1)] as const));
}

/** Path of a value in a document: its container, and its key. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesOf(value: unknown, places: Place[] = []) {
  if (typeof value !== "object" || value === null) return places;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    places.push({ holder, key });
    placesOf(holder[key], places);
  }
  return places;
}

/**
 * A copy of a document with one or two things changed: dropped, added, replaced, or put somewhere
 * else.
 */
export function changed(value: unknown, random: Random, keys: readonly string[] = []): unknown {
  const root = { document: copyOf(value) };
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const places = placesOf(root);
    // The first path is the document itself.
    const place = places[random.oneIn(20) ? 0 : random.below(places.length)];
    if (place !== undefined) change(place, places, random, keys);
  }
  return root.document;
}

function change(
  { holder, key }: Place,
  places: readonly Place[],
  random: Random,
  keys: readonly string[],
) {
  const old = holder[key];
  switch (random.below(7)) {
    case 0:
      if (key === "document") return;
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      if (typeof old === "object" && old !== null && !Array.isArray(old))
        define(
          old,
          keys.length > 0 && random.oneIn(2) ? random.pick(keys) : text(random),
          json(random, keys, 2),
        );
      else if (Array.isArray(old)) old.push(json(random, keys, 1));
      return;
    case 2:
      holder[key] = null;
      return;
    case 3:
      if (typeof old === "string") holder[key] = random.oneIn(2) ? `${old}x` : text(random);
      else if (typeof old === "number")
        holder[key] = random.oneIn(2) ? String(old) : number(random);
      else holder[key] = [old];
      return;
    case 4: {
      const other = random.pick(places);
      holder[key] = copyOf(other.holder[other.key]);
      return;
    }
    default:
      holder[key] = json(random, keys, 2);
  }
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copyOf(item)] as const),
  );
}

function define(object: object, key: string, value: unknown) {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
