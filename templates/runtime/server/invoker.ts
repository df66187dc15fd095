import { isAsyncIterable } from "../base/async.js";
import type { ErrorTable } from "../protocol/error.js";
import { interceptStream, interceptUnary } from "../protocol/interceptor.js";
import { check, ValidationError, type Type } from "../schema/schema.js";
import type { CardCaller, ServerCall, ServerInterceptor } from "./context.js";
import type { Reporter } from "./hooks.js";
import { Prepared, preparedValue } from "./prepared.js";
import { ServiceEvents } from "./service-events.js";

/** What an {@link Invoker} works with. */
export interface InvokerParts {
  /** Has a method for each operation that the agent offers. */
  readonly service: object;
  readonly errors: ErrorTable;
  readonly interceptors: readonly ServerInterceptor[];
  /** Returns the agent card for a caller. */
  readonly card: (caller: CardCaller) => object | Promise<object>;
  /** Quick checks of responses, by the name of the operation; what they refuse is checked again by its schema. */
  readonly accepts: Readonly<Record<string, (response: unknown) => boolean>>;
  /** Whether responses are checked at all. */
  readonly validate: boolean;
  readonly reporter: Reporter;
}

/** Calls the methods of a service, through the interceptors, and checks what they return. */
export class Invoker {
  readonly #parts: InvokerParts;
  readonly #accepts: ReadonlyMap<string, (response: unknown) => boolean>;
  readonly #unary: ((call: ServerCall) => Promise<unknown>) | undefined;
  readonly #stream: ((call: ServerCall) => AsyncIterable<unknown>) | undefined;

  constructor(parts: InvokerParts) {
    const { interceptors } = parts;
    this.#parts = parts;
    this.#accepts = new Map(Object.entries(parts.accepts));
    if (interceptors.length === 0) return;
    this.#unary = interceptUnary(interceptors, async (call) => this.checked(await this.#invoke(call), call));
    this.#stream = interceptStream(interceptors, (call) => this.#events(call));
  }

  /**
   * Begins a call that has one response: returns it, or a promise of it, for {@link Invoker.checked}. Throws whatever
   * the service or an interceptor throws.
   */
  begin(call: ServerCall): unknown {
    return this.#unary === undefined ? this.#invoke(call) : this.#unary(call);
  }

  /** Makes a call that has a stream of responses, each of them for {@link Invoker.checked}. */
  async stream(call: ServerCall): Promise<AsyncIterator<unknown, unknown>> {
    return this.#stream === undefined ? this.#source(call) : this.#stream(call)[Symbol.asyncIterator]();
  }

  /**
   * Checks what the service returned, which may be nothing where the response has no fields, or an interceptor in its
   * place. Throws the error for an invalid response.
   */
  checked(result: unknown, { operation: { name, response }, context }: ServerCall): unknown {
    const { validate, errors, reporter } = this.#parts;
    if (!validate) return result ?? emptyOf(response);
    const value = preparedValue(result);
    // What many get is checked once. A prepared value is an event, and events are of one type.
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

  /** The checked events of a call, for the interceptors around them. */
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
    if (!isAsyncIterable(result)) throw new TypeError(`${call.operation.method} returned no async iterable`);
    return result[Symbol.asyncIterator]();
  }

  #invoke({ operation, request, context }: ServerCall): unknown {
    const { service, card, errors } = this.#parts;
    const method: unknown = Reflect.get(service, operation.method);
    if (typeof method !== "function" || method === Reflect.get(Object.prototype, operation.method)) {
      if (operation.publicCard === true) return card(context);
      const Missing = operation.missing ?? errors.unsupported;
      throw new Missing(undefined, { metadata: { operation: operation.name } });
    }
    return Reflect.apply(method, service, [request, context]);
  }
}

/** Returns what a service that returned nothing means: `null` or an empty object, as the response is to be. */
function emptyOf(response: Type<unknown>): unknown {
  const { value = {} } = check(response, undefined, "json");
  return value;
}
