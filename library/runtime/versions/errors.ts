import {
  A2AError,
  classNameOf,
  isDetail,
  optionsOf,
  type A2AErrorOptions,
  type ClientErrors,
  type ErrorClass,
} from "../protocol/error.js";

/** Rules for converting errors of one version to errors of another version. */
export interface ErrorTranslation {
  /** The errors of the target version. */
  readonly errors: Pick<ClientErrors, "classes">;
  /**
   * Returns the name of a class in the target version; `undefined` if the target version does not
   * have it.
   */
  readonly nameOf: (name: string) => string | undefined;
  /** Returns the class for an error without a counterpart; by default `A2AError`. */
  readonly fallback?: (error: A2AError) => ErrorClass;
}

/**
 * Converts an error to another version with all of its data. Returns an error of that version
 * unchanged.
 */
export function translated(
  error: A2AError,
  { errors, nameOf, fallback }: ErrorTranslation,
): A2AError {
  const { classes } = errors;
  if (error.constructor === A2AError || classes.some((Class) => error instanceof Class))
    return error;
  const name = nameOf(error.name);
  const found =
    name === undefined ? undefined : classes.find(({ row }) => classNameOf(row) === name);
  const Other = found ?? fallback?.(error);
  const options = { ...optionsOf(error), data: ownData(error) };
  if (Other === undefined) return new A2AError(error.message, { ...options, ...codesOf(error) });
  return new Other(error.message, options);
}

/**
 * Returns the data of an error for another version. A list of details is omitted: it is the form in
 * which a client has received the metadata and details, which each version writes in its own form.
 */
function ownData({ data }: A2AError): A2AErrorOptions["data"] {
  const isDetails = Array.isArray(data) && data.length > 0 && data.every(isDetail);
  return isDetails ? undefined : data;
}

function codesOf({ jsonRpcCode, httpStatus, grpcStatus }: A2AError): A2AErrorOptions {
  return { httpStatus, grpcStatus, ...(jsonRpcCode !== undefined && { jsonRpcCode }) };
}
