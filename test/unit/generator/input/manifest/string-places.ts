import { manifestSchema } from "../../../../../generator/input/manifest/schema.js";
import { isRecord } from "../../../../../support/values.js";

/** A string in a JSON value: the value at a path, or the key that the path ends with. */
export interface StringPlace {
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
  /**
   * Path with `*` for keys that the author of a manifest chooses: values of one kind are written by
   * the same code.
   */
  readonly kind: string;
}

const known = new Set<string>();
collectKeys(manifestSchema());

/** Lists all strings of a manifest, values and keys. */
export function placesIn(value: unknown, path: readonly (string | number)[] = []): StringPlace[] {
  if (typeof value === "string") return [{ path, isKey: false, kind: kindOf(path, false) }];
  if (Array.isArray(value)) return value.flatMap((item, index) => placesIn(item, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = [...path, key];
    return [{ path: inner, isKey: true, kind: kindOf(inner, true) }, ...placesIn(member, inner)];
  });
}

/** Returns a copy of a value in which each path has the text that `textAt` returns for it. */
export function replaceAt(
  value: unknown,
  places: readonly StringPlace[],
  textAt: (place: StringPlace) => string,
): unknown {
  const found = new Map(
    places.map((place) => [`${place.isKey} ${JSON.stringify(place.path)}`, place]),
  );
  const at = (path: readonly (string | number)[], isKey: boolean) =>
    found.get(`${isKey} ${JSON.stringify(path)}`);
  const copy = (part: unknown, path: readonly (string | number)[]): unknown => {
    const place = at(path, false);
    if (typeof part === "string") return place === undefined ? part : textAt(place);
    if (Array.isArray(part)) return part.map((item, index) => copy(item, [...path, index]));
    if (!isRecord(part)) return part;
    const members = Object.entries(part).map(([key, member]) => {
      const keyPlace = at([...path, key], true);
      return [
        keyPlace === undefined ? key : textAt(keyPlace),
        copy(member, [...path, key]),
      ] as const;
    });
    return Object.fromEntries(members);
  };
  return copy(value, []);
}

function kindOf(path: readonly (string | number)[], isKey: boolean) {
  const names = path.map((part) => (typeof part === "string" && known.has(part) ? part : "*"));
  return `${names.join(".")}${isKey ? " (key)" : ""}`;
}

function collectKeys(schema: unknown) {
  if (Array.isArray(schema)) for (const item of schema) collectKeys(item);
  if (!isRecord(schema)) return;
  if (isRecord(schema["properties"]))
    for (const key of Object.keys(schema["properties"])) known.add(key);
  for (const member of Object.values(schema)) collectKeys(member);
}
