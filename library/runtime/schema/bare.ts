import { isObject } from "../base/json.js";
import { fitting } from "./fitting.js";
import { check, type Issue, type Type, type ValidationContext } from "./schema.js";

type Given = Readonly<Record<string, unknown>>;

/** The fields of a message, by the names that they may have in JSON. */
type Entries<Each> = ReadonlyMap<string, Each>;

/**
 * Returns the object in a whole response that has one more object around it, with a single member
 * that is named like the type: `{ "task": {} }` for a `Task`.
 */
export function innerOf(value: Given, name: string, entries: Entries<unknown>): Given | undefined {
  const keys = Object.keys(value);
  const [key = ""] = keys;
  if (keys.length > 1 || entries.has(key) || key !== name.charAt(0).toLowerCase() + name.slice(1))
    return undefined;
  const inner = value[key];
  return isObject(inner) ? inner : undefined;
}

/**
 * Returns a whole response as the member of a oneof if the oneof is missing and deviations are
 * forgiven: `{ "task": {} }` for a task. Exactly one member must have the type of the response.
 */
export function bareIn<Each extends { readonly name: string; readonly type: Type<unknown> }>(
  entries: Entries<Each>,
  isMember: (entry: Each) => boolean,
  value: Given,
  context: ValidationContext,
): Given | undefined {
  const { forgives, tolerant, path } = context;
  if (
    !forgives ||
    !tolerant ||
    path.length > 0 ||
    Object.keys(value).some((key) => entries.has(key))
  )
    return undefined;
  const members = [...new Set(entries.values())].filter(isMember);
  const found = fitting(
    members.map(({ name, type }) => ({
      name,
      type,
      has: (key: string) => type.field?.(key) !== undefined,
    })),
    value,
  );
  // Unknown values could belong to another version, so they are not accepted here.
  const onDeviation = (deviations: readonly Issue[]): void => {
    context.accept(deviations);
  };
  const read = found && check<unknown>(found.type, value, "json", { forgives, onDeviation }).value;
  return found === undefined || read === undefined ? undefined : { [found.name]: read };
}
