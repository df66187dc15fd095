import { isAsyncIterable, mapped } from "../base/async.js";
import { isObject } from "../base/json.js";
import { reportDeviations, type DeviationOptions } from "../protocol/deviations.js";
import { toInvalidParams } from "../protocol/field-violations.js";
import type { Operation, ServiceFacts } from "../protocol/operation.js";
import { checkUndeclaredFields } from "../protocol/requirements.js";
import * as forgiver from "../schema/forgiver.js";
import { ValidationContext, ValidationError, type Mode, type Type } from "../schema/schema.js";
import { checkConstraints } from "./constraints.js";
import type { CallContext } from "./context.js";
import type { Access, Exchange } from "./exchange.js";
import { respelled } from "./spellings.js";

/** Facts about a request after the binding has found its operation. */
export interface OpenedRequest {
  /** The operation in the version of the call. */
  readonly operation: Operation;
  /** The mode in which the request is checked. */
  readonly mode: Mode;
  /**
   * The type that checks the received value and converts it to a request; by default the request
   * type of the operation.
   */
  readonly type?: Type<unknown>;
  /**
   * Returns the received request: an unchecked value, or an async iterable of unchecked values if
   * the operation streams its requests. May throw protocol errors.
   */
  readonly read: () => unknown;
  /**
   * Throws a `ValidationError` if the binding cannot represent the request or, therefore, its
   * response.
   */
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

/** Facts about a call before its request has been read. */
export interface UnreadCall {
  /** The operation in the agent's version. */
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly missing: Access["missing"];
  /** How to handle deviations of the caller from the specification. */
  readonly deviations: DeviationOptions;
}

/**
 * Returns the checked request of a call in the agent's version. Returns an async iterable if the
 * operation streams its requests. Throws the error for invalid parameters.
 */
export function readRequest(
  raw: unknown,
  opened: OpenedRequest,
  { operation, exchange, missing, deviations }: UnreadCall,
): unknown {
  const { adapter, errors } = exchange.version;
  const parsed = (value: unknown): unknown => {
    try {
      const request = checkedRequest(value, opened, deviations);
      opened.carry?.(request);
      if (adapter === undefined) return request;
      return checkedRequest(
        adapter.request(operation, request),
        { operation: adapter.relaxed(operation), mode: "json" },
        deviations,
        adapter.requestName(opened.operation),
      );
    } catch (thrown) {
      throw toInvalidParams(thrown, errors);
    }
  };
  const isStream = operation.streaming === "client" || operation.streaming === "both";
  if (isStream) return isAsyncIterable(raw) ? mapped(raw, parsed) : raw;
  const request = parsed(raw);
  checkUndeclaredFields(missing, request);
  return request;
}

/** Returns the tenant of a request; `undefined` if it has none. */
export function tenantOf(request: unknown, { tenant: field }: ServiceFacts): string | undefined {
  const tenant = field !== undefined && isObject(request) ? request[field] : undefined;
  return typeof tenant === "string" && tenant !== "" ? tenant : undefined;
}

/**
 * Checks a request against its type and against the constraints of its operation. Throws one error
 * with all issues.
 */
export function checkedRequest(
  value: unknown,
  { operation, type = operation.request, mode }: Pick<OpenedRequest, "operation" | "type" | "mode">,
  deviations: DeviationOptions,
  name: string = type.name,
): unknown {
  const context = new ValidationContext(mode, deviations.strict === true ? undefined : forgiver);
  const { spellings } = operation;
  const isPlain = spellings === undefined || context.forgiver === undefined;
  const spelled = isPlain ? value : respelled(value, spellings, context.deviations);
  const request = type.check(spelled, context);
  checkConstraints(operation, request, context);
  if (context.issues.length > 0) throw new ValidationError(name, context.issues);
  if (context.deviations.length > 0)
    reportDeviations(deviations, operation.name, context.deviations);
  return request;
}
