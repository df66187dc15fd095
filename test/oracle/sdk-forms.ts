import type { Protocol } from "../../generator/protocol/model/types.js";
import { mapVersions } from "../../generator/protocol/versions/map-versions.js";
import type { Random } from "../support/random/random.js";
import { Values } from "../support/random/values.js";
import { differences } from "./places.js";
import { bundled } from "./subjects.js";

/** Reads and writes the objects of the SDK. */
export interface Form {
  readonly fromJSON: (value: unknown) => unknown;
  readonly toJSON: (value: unknown) => unknown;
}

/** Returns what reads and writes the objects of a type of the SDK. */
export const form = (found: unknown): Form => found as Form;

/**
 * The SDK writes what is false and need not be there, and leaves out lists and maps that are empty.
 */
function withDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const isOptional = ["append", "lastChunk", "required"].includes(key) && member === false;
    return isOptional ? [] : [[key, withDefaults(member)] as const];
  });
  return Object.fromEntries(entries);
}

/** The versions that the SDK maps onto each other. */
export const [earlier, later] = [bundled("0.3.0").protocol, bundled("1.0").protocol];
export const mapping = mapVersions(earlier, later);

/**
 * Finds how the requests and responses of an operation correspond, by its name in 1.0. Throws if it
 * does not exist.
 */
export function operationOf(name: string): (typeof mapping.operations)[number] {
  const found = mapping.operations.find(({ names }) => names[1] === name);
  if (found === undefined) throw new Error(`Missing: ${name}`);
  return found;
}

/** A random text: the SDK refuses ids that are empty. */
const text = (random: Random) => random.pick(["a", "%2F", "ä漢"]);

/**
 * Returns the random values of a version in which some fields, named as `Message.role`, always have
 * one value.
 */
export function valuesOf(
  protocol: Protocol,
  fixed: Readonly<Record<string, string>> = {},
): Values<string> {
  return new Values(protocol, {
    text,
    enter: (_: string | undefined, message: string, field: string) => `${message}.${field}`,
    field: (place) => (Object.hasOwn(fixed, place) ? () => fixed[place] : undefined),
  });
}

/** Returns whether there is data that is null, which the SDK takes for no data, and refuses. */
export function hasNull(value: unknown): boolean {
  return JSON.stringify(value).includes('"data":null');
}

/** Paths at which two values differ, except for optional values that the SDK writes. */
export function differ(one: unknown, other: unknown): string[] {
  return differences(withDefaults(one), withDefaults(other)).map((path) => path.join("/"));
}

/**
 * The SDK keeps an authentication that names no scheme; this mapping leaves it out, as 1.0 requires
 * the name.
 */
export function withNamedSchemes(value: unknown): unknown {
  const isNameless = (found: unknown) => {
    const { scheme = "", schemes = [scheme] } = (found ?? {}) as {
      scheme?: string;
      schemes?: readonly string[];
    };
    return (schemes[0] ?? "") === "";
  };
  const text = JSON.stringify(value, (key, member: unknown) =>
    key === "authentication" && isNameless(member) ? undefined : member,
  ) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
