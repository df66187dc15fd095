import { isAsyncIterable, isThenable } from "../base/async.js";
import type { ErrorTable } from "../protocol/error.js";
import { given, interceptStream } from "../protocol/interceptor.js";
import { check, ValidationError, type Type } from "../schema/schema.js";
import type { CardCaller, ServerCall, ServerInterceptor } from "./context.js";
import type { Reporter } from "./hooks.js";
import { Prepared, preparedValue } from "./prepared.js";
import { ServiceEvents } from "./service-events.js";
import { chainUnary } from "./unary-chain.js";

/** Options for an {@link Invoker}. */
export interface InvokerParts {
  /** Object with a method for each operation that the agent offers. */
  readonly service: object;
  readonly errors: ErrorTable;
  readonly interceptors: readonly ServerInterceptor[];
  /** Returns the agent card for a caller. */
  readonly card: (caller: CardCaller) => object | Promise<object>;
  /**
   * Quick checks of responses, by the name of the operation. If a quick check rejects a response,
   * the schema checks the response.
   */
  readonly accepts: Readonly<Record<string, (response: unknown) => boolean>>;
  /** Whether responses are checked at all. */
  readonly validate: boolean;
  readonly reporter: Reporter;
}

/** Object that calls the methods of a service through the interceptors, and checks the results. */
export class Invoker {
  readonly #parts: InvokerParts;
  readonly #accepts: ReadonlyMap<string, (response: unknown) => boolean>;
  readonly #unary: ((call: ServerCall) => unknown) | undefined;
  readonly #stream: ((call: ServerCall) => AsyncIterable<unknown>) | undefined;

  constructor(parts: InvokerParts) {
    const { interceptors } = parts;
    this.#parts = parts;
    this.#accepts = new Map(Object.entries(parts.accepts));
    if (interceptors.length === 0) return;
    this.#unary = chainUnary(interceptors, (call) => {
      const result = this.#invoke(call);
      return isThenable(result) ? this.#checkedLater(result, call) : this.checked(result, call);
    });
    this.#stream = interceptStream(interceptors, (call) => this.#events(call));
  }

  /**
   * Starts a call with one response. Returns the response or a promise of the response. The caller
   * must await the result and pass it to {@link Invoker.response}. Throws the errors of the service
   * and the interceptors.
   */
  begin(call: ServerCall): unknown {
    return this.#unary === undefined ? this.#invoke(call) : this.#unary(call);
  }

  /**
   * Checks the awaited result of {@link Invoker.begin}. Throws the error for an invalid response.
   */
  response(result: unknown, call: ServerCall): unknown {
    if (this.#unary !== undefined) given(result, "unary");
    return this.checked(result, call);
  }

  async #checkedLater(result: PromiseLike<unknown>, call: ServerCall): Promise<unknown> {
    return this.checked(await result, call);
  }

  /**
   * Makes a call with a stream of responses. The caller must pass each response to
   * {@link Invoker.checked}.
   */
  async stream(call: ServerCall): Promise<AsyncIterator<unknown, unknown>> {
    return this.#stream === undefined
      ? this.#source(call)
      : this.#stream(call)[Symbol.asyncIterator]();
  }

  /**
   * Checks the result of the service or an interceptor. It may be `undefined` if the response has
   * no fields. Throws the error for an invalid response.
   */
  checked(result: unknown, { operation: { name, response }, context }: ServerCall): unknown {
    const { validate, errors, reporter } = this.#parts;
    if (!validate) return result ?? emptyOf(response);
    const value = preparedValue(result);
    // A prepared event is sent to many subscribers, but only checked once, because the event type
    // and therefore the result are the same for all of them.
    if (result instanceof Prepared && result.isAccepted) return result;
    if (this.#accepts.get(name)?.(value) === true) {
      if (result instanceof Prepared) result.isAccepted = true;
      return result;
    }
    const checked = check(response, value, "strict");
    if (checked.issues === undefined) return checked.value;
    const cause = new ValidationError(response.name, checked.issues);
    reporter.error(cause, context);
    throw new errors.invalidResponse(undefined, { cause });
  }

  /** Returns the checked events of a call, for the interceptors. */
  #events(call: ServerCall): AsyncIterable<unknown> {
    return new ServiceEvents(call.context.signal, {
      open: () => this.#source(call),
      check: (event) => this.checked(event, call),
      report: (error) => {
        this.#parts.reporter.error(error, call.context);
      },
    });
  }

  async #source(call: ServerCall): Promise<AsyncIterator<unknown, unknown>> {
    const result = await this.#invoke(call);
    if (!isAsyncIterable(result))
      throw new TypeError(`${call.operation.method} must return an async iterable`);
    return result[Symbol.asyncIterator]();
  }

  #invoke({ operation, request, context }: ServerCall): unknown {
    const { service, card, errors } = this.#parts;
    const method = (service as Readonly<Record<string, unknown>>)[operation.method];
    // Every object inherits methods such as `toString`.
    const isInherited = method === Reflect.get(Object.prototype, operation.method);
    if (typeof method !== "function" || isInherited) {
      if (operation.publicCard === true) return card(context);
      const Missing = operation.missing ?? errors.unsupported;
      throw new Missing(undefined, { metadata: { operation: operation.name } });
    }
    return Reflect.apply(method, service, [request, context]);
  }
}

/**
 * Returns the response for a service that returned `undefined`: `null` or an empty object,
 * depending on the type.
 */
function emptyOf(response: Type<unknown>): unknown {
  const { value = {} } = check(response, undefined, "json");
  return value;
}
