import { isAsyncIterable, mapped as mappedStream } from "../base/async.js";
import { hasMembers } from "../base/json.js";
import { forgivenessFor } from "../protocol/deviations.js";
import { A2AError, type ErrorTable } from "../protocol/error.js";
import type { ClientOperation } from "../protocol/operation.js";
import type { Call, Transport } from "../protocol/transport.js";
import { ValidationError, type Schema } from "../schema/schema.js";
import { translated } from "./errors.js";
import { mapped, type OperationMapping, type VersionMapping } from "./mapping.js";

/**
 * Wraps a transport of another version in a transport of the client's version, which converts
 * requests to the other version, and responses to the client's version. If the other version does
 * not have an operation, a call throws the error for unsupported operations. If the other version
 * cannot represent a request, the call throws the error for invalid params.
 */
export function adaptedTransport(
  inner: Transport,
  mapping: VersionMapping,
  errors: AdaptedErrors,
): Transport {
  return new AdaptedTransport(inner, mapping, errors);
}

/** The errors of the client's version. */
export type AdaptedErrors = Pick<
  ErrorTable,
  "classes" | "invalidParams" | "invalidResponse" | "unsupported"
>;

class AdaptedTransport implements Transport {
  readonly #inner: Transport;
  readonly #mapping: VersionMapping;
  readonly #errors: AdaptedErrors;
  readonly #names: ReadonlyMap<string, string>;

  constructor(inner: Transport, mapping: VersionMapping, errors: AdaptedErrors) {
    this.#inner = inner;
    this.#mapping = mapping;
    this.#errors = errors;
    this.#names = new Map(Object.entries(mapping.errors).map(([own, other]) => [other, own]));
  }

  get binding(): string {
    return this.#inner.binding;
  }

  get version(): string {
    return this.#mapping.protocol.version;
  }

  carries(operation: ClientOperation): boolean {
    const other = this.#mappingOf(operation);
    // A call of an operation that the other version does not have throws a more specific error.
    if (other === undefined) return true;
    return this.#inner.carries?.(operationOf(operation, other)) ?? true;
  }

  async unary(call: Call): Promise<unknown> {
    const other = this.#requiredMappingOf(call);
    try {
      return await this.#response(call, other, await this.#inner.unary(this.#call(call, other)));
    } catch (thrown) {
      throw this.#thrown(thrown);
    }
  }

  async *stream(call: Call): AsyncGenerator<unknown, void, undefined> {
    const other = this.#requiredMappingOf(call);
    try {
      for await (const event of this.#inner.stream(this.#call(call, other))) {
        yield await this.#response(call, other, event);
        if (other.last !== undefined && hasMembers(event, other.last)) return;
      }
    } catch (thrown) {
      throw this.#thrown(thrown);
    }
  }

  close(): void {
    this.#inner.close?.();
  }

  #mappingOf({ name }: ClientOperation): OperationMapping | undefined {
    const { operations } = this.#mapping;
    return Object.hasOwn(operations, name) ? operations[name] : undefined;
  }

  #requiredMappingOf({ operation }: Call): OperationMapping {
    const found = this.#mappingOf(operation);
    if (found !== undefined) return found;
    const message = `${operation.name} is unknown in version ${this.version}`;
    throw new this.#errors.unsupported(message, { metadata: { operation: operation.name } });
  }

  #call(call: Call, other: OperationMapping): Call {
    const convert = (value: unknown): unknown =>
      mapped(this.#mapping, other.request, value, "other");
    try {
      const operation = operationOf(call.operation, other);
      const request = isAsyncIterable(call.request)
        ? mappedStream(call.request, convert)
        : convert(call.request);
      const headers = this.#headers(call.headers);
      return { ...call, name: operation.name, operation, request, headers };
    } catch (cause) {
      if (!(cause instanceof ValidationError)) throw cause;
      const message = `A2A ${this.version} cannot carry the request: ${cause.message}`;
      throw new this.#errors.invalidParams(message, { cause });
    }
  }

  /** Returns the headers with the service parameters renamed for the other version. */
  #headers(headers: Call["headers"]): Call["headers"] {
    const { version, headers: names } = this.#mapping.protocol;
    const own = this.#mapping.ownHeaders;
    const renamed = new Map([
      [own.version.toLowerCase(), names.version.toLowerCase()],
      [own.extensions.toLowerCase(), names.extensions.toLowerCase()],
    ]);
    const entries = Object.entries(headers).map(
      ([name, value]) => [renamed.get(name) ?? name, value] as const,
    );
    // Always set the version of the adapter, because the client has set the header to its own
    // version.
    return { ...Object.fromEntries(entries), [names.version.toLowerCase()]: version };
  }

  async #response(
    { operation, deviations }: Call,
    { name, response }: OperationMapping,
    value: unknown,
  ): Promise<unknown> {
    // Bundlers put this module into a separate file.
    const forgiver = await import("../schema/forgiver.js");
    const forgiveness = deviations && forgivenessFor(deviations, operation.name, forgiver);
    try {
      return mapped(this.#mapping, response, value, "own", { keepsUnknown: true, forgiveness });
    } catch (cause) {
      if (!(cause instanceof ValidationError)) throw cause;
      throw new this.#errors.invalidResponse(
        `The response to ${name} is invalid: ${cause.message}`,
        { cause },
      );
    }
  }

  #thrown(thrown: unknown): unknown {
    if (!(thrown instanceof A2AError)) return thrown;
    return translated(thrown, { errors: this.#errors, nameOf: (name) => this.#names.get(name) });
  }
}

/** Accepts any value unchanged. The client checks the value after its conversion. */
const anything: Schema<unknown> = {
  name: "value",
  check: (value) => value ?? null,
  "~standard": { version: 1, vendor: "a2a-codegen", validate: (value) => ({ value }) },
};

function operationOf(
  { streaming, safe }: ClientOperation,
  { name, jsonRpc }: OperationMapping,
): ClientOperation {
  return {
    name,
    streaming,
    response: anything,
    empty: null,
    ...(safe && { safe }),
    ...(jsonRpc !== undefined && { jsonRpc }),
  };
}
