import type { Protocol } from "../protocol/model/types.js";
import { lastOf, messagesOf } from "./parts.js";

/** Property that was replaced by a property with another value. */
export interface Conversion {
  /** Path of the earlier property: `Config.blocking`. */
  readonly was: string;
  /** Path of the new property: `Config.returnImmediately`. */
  readonly path: string;
  /** Name of the new property. */
  readonly now: string;
  /** Whether the new property has the opposite value, or the only element of the list. */
  readonly value: "opposite" | "only";
  /**
   * Value that an absent boolean counts as in each version; `undefined` if the version does not
   * define it.
   */
  readonly absent: { readonly before: boolean | undefined; readonly now: boolean | undefined };
}

/**
 * Returns the converted properties by their paths, with the names of their types in the earlier
 * version.
 */
export function conversionsBetween(
  before: Protocol,
  after: Protocol,
  types: ReadonlyMap<string, string>,
): ReadonlyMap<string, Conversion> {
  return new Map(
    after.legacy.flatMap(({ kind, old, now: path, value }) => {
      if (kind !== "properties" || (value !== "opposite" && value !== "only")) return [];
      const [owner = "", field = ""] = old.split(".");
      const now = lastOf(path);
      const holders = messagesOf(before).filter(
        ({ name, fields }) =>
          (types.get(name) ?? name) === owner &&
          fields.some((candidate) => candidate.name === field),
      );
      return holders.map(({ name }) => {
        const was = `${name}.${field}`;
        const absent = { before: absentBoolean(before, was), now: absentBoolean(after, path) };
        return [was, { was, path, now, value, absent }] as const;
      });
    }),
  );
}

/**
 * Returns an explanation of an inverted property; `undefined` if its meaning is not known when it
 * is absent.
 */
export function inversionNote({ was, path, absent }: Conversion): string | undefined {
  if (absent.now === undefined) return undefined;
  const own = `An absent ${path} counts as ${String(absent.now)}`;
  return absent.before === undefined
    ? own
    : `${own}, and an absent ${was} as ${String(absent.before)}`;
}

/** Returns the value that an absent boolean property represents, if the version defines it. */
function absentBoolean(protocol: Protocol, path: string): boolean | undefined {
  const [type = "", name = ""] = path.split(".");
  const carriers =
    protocol.wire?.messages.filter(({ model }) => "name" in model && model.name === type) ?? [];
  const isTrue = carriers.some(({ fields }) =>
    fields.some(
      ({ mapping, trueIfAbsent }) =>
        trueIfAbsent === true &&
        mapping.kind === "path" &&
        mapping.path.length === 1 &&
        mapping.path[0] === name,
    ),
  );
  if (isTrue) return true;
  const field = messagesOf(protocol)
    .find((message) => message.name === type)
    ?.fields.find((candidate) => candidate.name === name);
  return field?.presence === "implicit" ? false : undefined;
}
