import { isObject } from "../base/json.js";
import { pointerOf } from "../schema/issue.js";
import { parse, ValidationError, type Issue, type Type } from "../schema/schema.js";

/**
 * A bidirectional mapping between the model and another JSON form: `check` reads the other form,
 * and `write` writes it.
 */
export interface Mapping<T = unknown> extends Type<T> {
  write(value: T): unknown;
}

/** Writes a value of the model. A type without a mapping has the same JSON on both sides. */
export function writeAs(type: Type<unknown>, value: unknown): unknown {
  return isMapping(type) ? type.write(value) : value;
}

function isMapping(type: Type<unknown>): type is Mapping {
  return "write" in type;
}

/**
 * Calls `write` for the value at a path. If it throws a `ValidationError`, adds the path to the
 * issues.
 */
export function within(path: readonly (string | number)[], write: () => unknown): unknown {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof ValidationError) || path.length === 0) throw cause;
    throw new ValidationError(
      cause.type,
      cause.issues.map((issue) => movedTo(path, issue)),
    );
  }
}

function movedTo(
  base: readonly (string | number)[],
  { path: inner, expected, found }: Issue,
): Issue {
  const path = [...base, ...inner];
  const pointer = pointerOf(path);
  return {
    message: `${pointer} expected ${expected}, got ${found}`,
    path,
    pointer,
    expected,
    found,
  };
}

/**
 * Maps the values of an enum: the names in the proto to the strings of the model. Also accepts the
 * numbers in the proto.
 */
export function names<T extends string>(
  name: string,
  values: Readonly<Record<string, readonly [text: T, number: number]>>,
): Mapping<T> {
  const members = Object.entries(values).map(([protoName, [text, number]]) => ({
    protoName,
    text,
    number,
  }));
  const protoNames = new Map<unknown, string>(
    members.map(({ text, protoName }) => [text, protoName]),
  );
  return {
    name,
    check(value, run) {
      const isDigits = run.text && typeof value === "string" && /^\d+$/.test(value);
      const given = isDigits ? Number(value) : value;
      const found = members.find(
        ({ protoName, number }) => protoName === value || number === given,
      );
      if (found === undefined) run.report(`${name} (${Object.keys(values).join(", ")})`, value);
      return found?.text;
    },
    write: (value) => protoNames.get(value) ?? value,
  };
}

/** Maps a list. */
export function list<T>(element: Type<T>): Mapping<T[]> {
  return {
    name: `a list of ${element.name}`,
    element,
    check(value, run) {
      // A query parameter that occurs once is a list of one element.
      const isSingle = run.text && value !== undefined && !Array.isArray(value);
      const given: unknown = isSingle ? [value] : value;
      if (!Array.isArray(given)) {
        run.report(`a list of ${element.name}`, value);
        return undefined;
      }
      if (run.tooDeep(value)) return undefined;
      return given.flatMap((item: unknown, index) => {
        const checked = run.at(index, element, item);
        return checked === undefined ? [] : [checked];
      });
    },
    write: (items) => items.map((item, index) => within([index], () => writeAs(element, item))),
  };
}

/** Maps an object with any keys. */
export function map<T>(member: Type<T>): Mapping<Record<string, T>> {
  const changed = (
    value: object,
    change: (key: string, item: unknown) => unknown,
  ): Record<string, never> =>
    Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, change(key, item) as never]),
    );
  return {
    name: `a map of ${member.name}`,
    check(value, run) {
      if (!isObject(value)) {
        run.report(`a map of ${member.name}`, value);
        return undefined;
      }
      if (run.tooDeep(value)) return undefined;
      return changed(value, (key, item) => run.at(key, member, item));
    },
    write: (value) => changed(value, (key, item) => within([key], () => writeAs(member, item))),
  };
}

/**
 * Maps a value without a change, but checks it in both directions, because the model allows more
 * values than protobuf.
 */
export function checked<T>(type: Type<T>): Mapping<T> {
  return {
    name: type.name,
    check: (value, run) => type.check(value, run),
    write: (value) => parse(type, value),
  };
}

/** Maps `null`, for which the message has no fields. */
export const nothing: Mapping<null> = { name: "nothing", check: () => null, write: () => ({}) };
