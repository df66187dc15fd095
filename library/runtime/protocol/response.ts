import type { Forgiver, Type } from "../schema/schema.js";
import { forgivenessFor, type DeviationOptions } from "./deviations.js";
import type { ClientErrors } from "./error.js";
import type * as lenient from "./lenient-response.js";
import type { ClientOperation } from "./operation.js";

/** The types of responses, by the names of their operations. */
export type ResponseTypes = Readonly<Record<string, Type<unknown>>>;

/** Options for reading responses. */
export interface ResponseOptions extends DeviationOptions {
  /** Loads the types of responses. Required for operations without a type. */
  readonly loadTypes?: (() => Promise<ResponseTypes>) | undefined;
}

/** The facts about an operation that are required to read its responses. */
export interface Expected extends Pick<ClientOperation, "name" | "card"> {
  readonly accepts?: ClientOperation["accepts"] | undefined;
  readonly response?: Type<unknown> | undefined;
}

/**
 * Returns a response in canonical JSON unchanged, with its unknown members. Any other response is
 * read leniently, with code that is loaded at the first such response: its canonical form is
 * returned, without unknown members. Possible additions of a later version, such as unknown enum
 * values, stay in it and are reported as deviations. In a card, incomplete elements of lists also
 * stay, so that the rest of the card remains usable. Throws the error for an invalid response, with
 * all its issues, or if the code cannot be loaded. Returns a promise unless the response is
 * canonical.
 */
export function readResponse(
  expected: Expected,
  response: unknown,
  errors: ClientErrors,
  options: ResponseOptions = {},
): unknown {
  return expected.accepts?.(response) === true
    ? response
    : readLeniently(expected, response, errors, options);
}

async function readLeniently(
  { name, card, response: known }: Expected,
  response: unknown,
  errors: ClientErrors,
  options: ResponseOptions,
): Promise<unknown> {
  const { loadTypes } = options;
  const load = () => known ?? loadTypes?.().then((types) => types[name]);
  const { type, parseResponse } = await loadReader(name, errors, load);
  const forgivenessOf = (forgiver: Forgiver) => forgivenessFor(options, name, forgiver);
  return parseResponse({ name, card, type }, response, errors, forgivenessOf);
}

/**
 * Loads the lenient reader of responses, and a type. Throws the error for an invalid response to
 * the call with this name if a file cannot be loaded.
 */
export async function loadReader<T>(
  name: string,
  errors: ClientErrors,
  load: () => T | Promise<T>,
): Promise<typeof lenient & { readonly type: T }> {
  try {
    const [reader, type] = await Promise.all([import("./lenient-response.js"), load()]);
    return { ...reader, type };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The code that reads the response to ${name} could not be loaded: ${reason}`;
    throw new errors.invalidResponse(message, { cause });
  }
}
