import { isThenable } from "../../runtime/base/async.js";

/**
 * A validator from a library that implements Standard Schema (https://standardschema.dev), such as
 * Zod or Valibot.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Result of a {@link StandardSchema}: the value, or the reasons why it is invalid. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A reason why a value is invalid. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Validates the values of an extension: a Standard Schema, or a function that returns the value or
 * throws.
 */
export type ExtensionSchema<Input, Output> =
  StandardSchema<Input, Output> | ((value: unknown) => Output);

/** Result of a check: the value, or the reason why it is invalid. */
export type Checked<Output> = { readonly value: Output } | { readonly problem: string };

/**
 * Checks a value. Without a schema, every value is valid. Throws a `TypeError` for an asynchronous
 * schema.
 */
export function checkValue<Output>(
  schema: ExtensionSchema<unknown, Output> | undefined,
  value: unknown,
): Checked<Output> {
  // Without a schema, the author of the extension asserts the type.
  if (schema === undefined) return { value: value as Output };
  if (!("~standard" in schema)) return valueOf(schema, value);
  const result = schema["~standard"].validate(value);
  if (isThenable(result))
    throw new TypeError(
      "The schema of an extension must validate synchronously: replace its asynchronous parts",
    );
  if (result.issues === undefined) return { value: result.value };
  // The messages of the output's own schemas already contain the path.
  const isOwn = schema["~standard"].vendor === "a2a-codegen";
  const sentences = result.issues
    .slice(0, maxIssues)
    .map((issue) => (isOwn ? issue.message : sentence(issue)));
  return { problem: sentences.join("; ") || "the schema rejects it" };
}

/**
 * Maximum number of issues in a message. Without a limit, a caller could make the message
 * arbitrarily long.
 */
const maxIssues = 3;

function valueOf<Output>(parse: (value: unknown) => Output, value: unknown): Checked<Output> {
  try {
    return { value: parse(value) };
  } catch (thrown) {
    return {
      problem:
        thrown instanceof Error && thrown.message !== "" ? thrown.message : "the schema rejects it",
    };
  }
}

function sentence({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}
