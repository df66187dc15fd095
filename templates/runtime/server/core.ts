import { toA2AError, toInvalidParams, type A2AError, type ErrorTable, type ErrorWriter } from "../protocol/error.js";
import { isObject } from "../base/json.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../protocol/operation.js";
import { check, parse, ValidationError, type Mode, type Type } from "../schema/schema.js";
import { admit } from "./admission.js";
import { Call, type CallContext, type Caller, type CallStart } from "./context.js";
import { checkDemands, checkFields } from "./demands.js";
import { EventStream } from "./event-stream.js";

/** The agent card, or how to make it for a caller. */
export type CardSource = object | CardMaker;

/** Makes the agent card for a caller. */
export type CardMaker = (caller: Caller) => object | Promise<object>;

/** How an agent treats its calls, whatever binding they come in on. */
export interface CoreOptions {
  /**
   * Finds out who calls. What it gives is `user` in the context; to refuse a call it throws one of the errors of the
   * protocol, such as the one for missing credentials. Anything else that it throws is an internal error.
   */
  readonly authenticate?: (context: CallContext) => unknown;
  /** The `WWW-Authenticate` that goes with a refusal for missing credentials; `Bearer` by default. */
  readonly challenge?: string;
  /** The version of a call that names none; what the protocol says by default. */
  readonly assumeVersion?: string;
  /** Versions to accept besides the one of the protocol, as `Major.Minor`. */
  readonly versions?: readonly string[];
  /** Whether to check what the service gives before it is sent; `true` by default. */
  readonly validateResponses?: boolean;
  /**
   * Hears of what callers are not told: exceptions of the service, and answers of it that the protocol does not allow.
   * Without it they go to `console.error`.
   */
  readonly onError?: (error: unknown, context: CallContext | undefined) => void;
}

/** Reads requests of callers that use names of earlier versions. */
export interface LegacyReader {
  /** Tells whether calls of a version, as `Major.Minor`, can have names that it reads. */
  reads(version: string): boolean;
  /** The present name of a method, and what to tell callers where its old params cannot be read. */
  method(old: string): { readonly now: string; readonly problem?: string } | undefined;
  /** Gives the params of an operation with present names. Throws a `ValidationError` for what could mean several things. */
  params(operation: string, params: Readonly<Record<string, unknown>>, method: string): unknown;
}

/** Makes the reader of an agent; `report` hears of what goes wrong besides the requests. */
export type LegacySource = (report: (error: unknown) => void) => LegacyReader;

/** What a core is made of. */
export interface CoreParts {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  readonly card: CardSource;
  /** Has a method for each operation that the agent offers. */
  readonly service: object;
  /** Quick checks of responses, by the name of the operation; what they refuse is checked again by its schema. */
  readonly accepts?: Readonly<Record<string, (response: unknown) => boolean>>;
  /** Reads names of earlier versions in requests over JSON-RPC. */
  readonly legacy?: LegacySource | undefined;
  readonly options?: CoreOptions;
}

/** How a binding hands over a request once the call is admitted. */
export interface RequestSource {
  /** How the request has to be read. */
  readonly mode: Mode;
  /** The type that makes a request of what is read; that of the operation by default. */
  readonly type?: Type<unknown>;
  /**
   * Gives the request as it came: a value that is not checked yet, or an async iterable of them for operations that take
   * a stream. May throw errors of the protocol.
   */
  readonly read: () => unknown;
  /** Throws a `ValidationError` for a request of the model that the binding could not carry, and so neither the answer. */
  readonly carry?: (request: unknown) => unknown;
}

/**
 * The part of a server that is the same on every binding: a call is authenticated; its version, extensions and
 * capabilities are checked; its request is read; the service is asked; what it gives is checked. Whatever goes wrong
 * comes out as an {@link A2AError} that is safe to send.
 */
export class Core {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly errorWriter: ErrorWriter;
  readonly options: CoreOptions;
  readonly card: CardMaker;
  readonly legacy: LegacyReader | undefined;
  readonly #service: object;
  readonly #accepts: ReadonlyMap<string, (response: unknown) => boolean>;
  readonly #names: { readonly version: string; readonly extensions: string };

  constructor(parts: CoreParts) {
    const { protocol, discovery, operations, errors, card, service, accepts = {}, options = {} } = parts;
    this.protocol = protocol;
    this.discovery = discovery;
    this.operations = operations;
    this.errors = errors;
    this.errorWriter = parts.errorWriter;
    this.options = options;
    this.card = isMaker(card) ? card : () => card;
    this.legacy = parts.legacy?.((error) => {
      this.#report(error, undefined);
    });
    this.#service = service;
    this.#accepts = new Map(Object.entries(accepts));
    const { version, extensions } = protocol.headers;
    this.#names = { version: version.toLowerCase(), extensions: extensions.toLowerCase() };
  }

  /** Begins a call. */
  call(start: CallStart): Call {
    return new Call(start, this.#names);
  }

  /** Makes a call that has one response. Throws an {@link A2AError}. */
  async unary(call: Call, source: RequestSource): Promise<unknown> {
    try {
      return this.#checked(await this.#invoke(call, source), call);
    } catch (thrown) {
      throw this.failure(thrown, call);
    }
  }

  /**
   * Makes a call that has a stream of responses, and waits for the first one, but no longer than `withinMs`; 0 is for
   * ever. Throws an {@link A2AError}; so does the stream when something goes wrong later.
   */
  async stream(call: Call, source: RequestSource, withinMs = 0): Promise<EventStream> {
    try {
      const result = await this.#invoke(call, source);
      if (!isAsyncIterable(result)) throw new TypeError(`${call.operation.method} gave no async iterable`);
      const stream = new EventStream(result[Symbol.asyncIterator](), {
        check: (event) => this.#checked(event, call),
        fail: (thrown) => this.failure(thrown, call),
        abort: () => {
          call.abort();
        },
      });
      call.onClose(() => void stream.return());
      await stream.start(withinMs);
      return stream;
    } catch (thrown) {
      throw this.failure(thrown, call);
    }
  }

  /**
   * Writes a response as a binding carries it. What that cannot carry is reported, and throws the error for an invalid
   * response.
   */
  written<T>(response: unknown, call: Call, write: (response: unknown) => T): T {
    try {
      return write(response);
    } catch (cause) {
      this.#report(cause, call);
      throw new this.errors.invalidResponse(undefined, { cause });
    }
  }

  /** Gives the error to answer with for whatever was thrown, and reports what the caller is not told. */
  failure(thrown: unknown, call?: Call): A2AError {
    const error = toA2AError(thrown, this.errors);
    const expected = error === thrown || (call?.aborted === true && isAbort(thrown));
    if (!expected) this.#report(thrown, call);
    return error;
  }

  /** Admits the call, reads its request and asks the service. */
  async #invoke(call: Call, source: RequestSource): Promise<unknown> {
    const admission = admit(call, this);
    if (admission !== undefined) await admission;
    const { operation } = call;
    const raw = source.read();
    const request = this.#request(call, raw instanceof Promise ? await raw : raw, source);
    const method: unknown = Reflect.get(this.#service, operation.method);
    if (typeof method !== "function" || method === Reflect.get(Object.prototype, operation.method)) {
      const Missing = operation.missing ?? this.errors.unsupported;
      throw new Missing(undefined, { metadata: { operation: operation.name } });
    }
    const result: unknown = Reflect.apply(method, this.#service, [request, call]);
    // To return a promise from here takes its caller three turns; to wait for it takes one.
    return result instanceof Promise ? await result : result;
  }

  #request(call: Call, raw: unknown, source: RequestSource): unknown {
    const { operation } = call;
    if (operation.streaming === "client" || operation.streaming === "both") {
      return isAsyncIterable(raw) ? this.#requests(operation, raw, source) : raw;
    }
    const request = this.#parsed(operation, raw, source);
    checkFields(call.lacks, request);
    const field = this.protocol.tenant;
    const tenant = field !== undefined && isObject(request) ? request[field] : undefined;
    if (typeof tenant === "string" && tenant !== "") call.tenant = tenant;
    return request;
  }

  async *#requests(
    operation: Operation,
    raw: AsyncIterable<unknown>,
    source: RequestSource,
  ): AsyncGenerator<unknown, void> {
    for await (const item of raw) yield this.#parsed(operation, item, source);
  }

  #parsed(operation: Operation, raw: unknown, { mode, type = operation.request, carry }: RequestSource): unknown {
    try {
      const request = parse(type, raw, mode);
      carry?.(request);
      if (operation.demands !== undefined || operation.ranges !== undefined) checkDemands(operation, request);
      return request;
    } catch (thrown) {
      throw toInvalidParams(thrown, this.errors);
    }
  }

  /** Checks what the service gave, which may be nothing where the response has no fields. */
  #checked(result: unknown, call: Call): unknown {
    const { name, response } = call.operation;
    if (this.options.validateResponses === false) return result ?? emptyOf(response);
    if (this.#accepts.get(name)?.(result) === true) return result;
    const checked = check(response, result, "strict");
    if (checked.issues === undefined) return checked.value;
    const cause = new ValidationError(response.name, checked.issues);
    this.#report(cause, call);
    throw new this.errors.invalidResponse(undefined, { cause });
  }

  #report(error: unknown, context: CallContext | undefined): void {
    try {
      if (this.options.onError === undefined) console.error(error);
      else this.options.onError(error, context);
    } catch {
      // What goes wrong while a fault is reported must not take the place of the answer.
    }
  }
}

/** Makes the {@link Core} of an agent. */
export function createCore(parts: CoreParts): Core {
  return new Core(parts);
}

function isMaker(card: CardSource): card is CardMaker {
  return typeof card === "function";
}

/** What a service that gives nothing has given: `null` or an empty object, as the response is to be. */
function emptyOf(response: Type<unknown>): unknown {
  const { value = {} } = check(response, undefined, "json");
  return value;
}

/** Tells whether something thrown is how work ends that heeds its signal. */
function isAbort(thrown: unknown): boolean {
  return isObject(thrown) && thrown["name"] === "AbortError";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
