import { isObject } from "../base/json.js";
import { isPlain as isPlainObject } from "../base/unknown-fields.js";
import type { ConversionFacts } from "./conversion.js";

/**
 * Conversion of a value by generated code without tables. Returns `undefined` for a value that the
 * code does not cover, which the tables must convert. For any other value, returns exactly what the
 * tables would return.
 */
export type DirectConversion = (given: unknown, facts: ConversionFacts) => unknown;

/** Direct conversions to the application's version and to the other version, by conversion name. */
export interface DirectConversions {
  readonly own: Readonly<Record<string, DirectConversion>>;
  readonly other: Readonly<Record<string, DirectConversion>>;
}

/** An object that is being created. */
export interface Members {
  [name: string]: unknown;
}

/**
 * Returns whether a value is an object that only inherits from `Object.prototype`. The tables ignore
 * inherited members, but direct conversions cannot distinguish them.
 */
export function isPlain(value: unknown): value is Readonly<Members> {
  return isObject(value) && isPlainObject(value);
}

/** Converts a list, unless the direct conversion of its elements does not cover one of them. */
export function listOf(given: unknown, convert: (item: unknown) => unknown): unknown {
  if (!Array.isArray(given)) return undefined;
  const result: unknown[] = [];
  for (const item of given as readonly unknown[]) {
    const converted = convert(item);
    if (converted === undefined) return undefined;
    result.push(converted);
  }
  return result;
}

/** Converts a value with a direct conversion, unless it does not cover the value. */
export function convertedDirectly(
  conversions: DirectConversions[keyof DirectConversions] | undefined,
  name: string,
  value: unknown,
  facts: ConversionFacts,
): unknown {
  if (conversions === undefined || !Object.hasOwn(conversions, name)) return undefined;
  // If a program adds members to `Object.prototype`, every plain object inherits them.
  for (const _ in {}) return undefined;
  return conversions[name]?.(value, facts);
}
