import type { Operation } from "../protocol/operation.js";
import { ValidationContext, ValidationError, type Mode, type Type } from "../schema/schema.js";
import { checkConstraints } from "./constraints.js";
import type { CallContext } from "./context.js";
import type { Exchange } from "./exchange.js";
import { respelled } from "./spellings.js";

/** What a binding knows once it has found out which operation a request is for. */
export interface OpenedRequest {
  /** The operation in the version that the call is held in. */
  readonly operation: Operation;
  /** How the request has to be read. */
  readonly mode: Mode;
  /** The type that makes a request of what is read; that of the operation by default. */
  readonly type?: Type<unknown>;
  /**
   * Returns the request as it came: a value that is not checked yet, or an async iterable of them for operations that
   * take a stream. May throw errors of the protocol.
   */
  readonly read: () => unknown;
  /**
   * Throws a `ValidationError` for a request of the model that the binding could not carry, and so neither its
   * response.
   */
  readonly carry?: (request: unknown) => unknown;
}

/** A call that may be made. */
export interface AcceptedCall {
  readonly name: string;
  readonly operation: Operation;
  readonly request: unknown;
  readonly context: CallContext;
  readonly exchange: Exchange;
}

/** Checks a request by its type and by the constraints of its operation; throws one error with all that is wrong. */
export function checkedRequest(
  value: unknown,
  { operation, type = operation.request, mode }: Pick<OpenedRequest, "operation" | "type" | "mode">,
  name: string = type.name,
): unknown {
  const context = new ValidationContext(mode);
  const { spellings } = operation;
  const request = type.check(spellings === undefined ? value : respelled(value, spellings), context);
  checkConstraints(operation, request, context);
  if (context.issues.length > 0) throw new ValidationError(name, context.issues);
  return request;
}
