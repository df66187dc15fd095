import { A2AError, classNameOf, type A2AErrorOptions, type ClientErrors, type ErrorClass } from "../protocol/error.js";

/** How errors of one version become errors of another. */
export interface ErrorTranslation {
  /** The errors of the version that they are to be in. */
  readonly errors: Pick<ClientErrors, "classes">;
  /** Returns what a class is called there; `undefined` for one that is not there. */
  readonly nameOf: (name: string) => string | undefined;
  /** Returns the class for an error that is not there; by default it is one that the protocol does not define. */
  readonly fallback?: (error: A2AError) => ErrorClass;
}

/** Returns an error as one of another version, with what it says; one that is of that version stays. */
export function translated(error: A2AError, { errors, nameOf, fallback }: ErrorTranslation): A2AError {
  const { classes } = errors;
  if (error.constructor === A2AError || classes.some((Class) => error instanceof Class)) return error;
  const name = nameOf(error.name);
  const found = name === undefined ? undefined : classes.find(({ row }) => classNameOf(row) === name);
  const Other = found ?? fallback?.(error);
  if (Other === undefined) return new A2AError(error.message, { ...said(error), ...codesOf(error) });
  return new Other(error.message, said(error));
}

/** All that an error says besides its message, and codes of its own. */
function said(error: A2AError): A2AErrorOptions {
  const { metadata, details, data, retryAfterSeconds, jsonRpcCode, httpStatus, grpcStatus } = error;
  // An error of the protocol has the class of a row.
  const { row } = error.constructor as unknown as ErrorClass;
  return {
    metadata,
    details,
    data,
    retryAfterSeconds,
    cause: error,
    ...(jsonRpcCode !== row.jsonRpc && jsonRpcCode !== undefined && { jsonRpcCode }),
    ...(httpStatus !== row.http && { httpStatus }),
    ...(grpcStatus !== row.grpc && { grpcStatus }),
  };
}

function codesOf({ jsonRpcCode, httpStatus, grpcStatus }: A2AError): A2AErrorOptions {
  return { httpStatus, grpcStatus, ...(jsonRpcCode !== undefined && { jsonRpcCode }) };
}
