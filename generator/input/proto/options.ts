import { isRecord } from "../../../support/values.js";

/** Returns whether an element has `option deprecated = true` or `[deprecated = true]`. */
export function isDeprecated(options: Readonly<Record<string, unknown>> | undefined): boolean {
  return options?.["deprecated"] === true;
}

/** Returns the values of a custom option, in the order of the proto. */
export function optionsOf(parsed: unknown, name: string): unknown[] {
  const options: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return options
    .filter(isRecord)
    .flatMap((option) => option[`(${name})`] ?? option[`(.${name})`] ?? []);
}
