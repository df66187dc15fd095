import type { Operation } from "../protocol/operation.js";
import { ValidationContext, ValidationError, type Mode, type Type } from "../schema/schema.js";
import { checkConstraints } from "./constraints.js";
import type { CallContext } from "./context.js";
import type { Exchange } from "./exchange.js";
import { respelled } from "./spellings.js";

/** Facts about a request after the binding has found its operation. */
export interface OpenedRequest {
  /** The operation in the version of the call. */
  readonly operation: Operation;
  /** The mode in which the request is checked. */
  readonly mode: Mode;
  /** The type that converts the received value to a request; by default the type of the operation. */
  readonly type?: Type<unknown>;
  /**
   * Returns the received request: an unchecked value, or an async iterable of unchecked values if the operation streams
   * its requests. May throw errors of the protocol.
   */
  readonly read: () => unknown;
  /** Throws a `ValidationError` if the binding cannot represent the request or, therefore, its response. */
  readonly carry?: (request: unknown) => unknown;
}

/** An accepted call. */
export interface AcceptedCall {
  readonly name: string;
  readonly operation: Operation;
  readonly request: unknown;
  readonly context: CallContext;
  readonly exchange: Exchange;
}

/** Checks a request against its type and against the constraints of its operation. Throws one error with all issues. */
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
