import type {
  handleUnaryCall,
  MethodDefinition,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Metadata } from "@grpc/grpc-js";
import { isObject } from "../../base/json.js";
import { A2AError, grpcStatus, invalidField, toInvalidParams } from "../../protocol/error.js";
import { encodeStatus, statusText, type Codecs, type OperationCodec } from "./status.js";
import type { Operation } from "../../protocol/operation.js";
import { ValidationError } from "../../schema/schema.js";
import { memberAt } from "../../protocol/requirements.js";
import type { AcceptedCall, Core, OpenedRequest } from "../../server/core.js";
import type { Exchange } from "../../server/exchange.js";
import { preparedValue } from "../../server/prepared.js";

/** What `addService` of a `Server` of `@grpc/grpc-js` takes. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

type Unary = ServerUnaryCall<Uint8Array, Uint8Array>;
type Readable = ServerReadableStream<Uint8Array, Uint8Array>;
type Writable = ServerWritableStream<Uint8Array, Uint8Array>;
type Duplex = ServerDuplexStream<Uint8Array, Uint8Array>;
/** What calls of all four kinds have. */
interface AnyCall extends Pick<Unary, "cancelled" | "metadata" | "sendMetadata"> {
  once(event: "cancelled", listener: () => void): unknown;
}
type Reply = Parameters<handleUnaryCall<Uint8Array, Uint8Array>>[1];

/**
 * Makes the gRPC service of a core: `const { definition, implementation } = grpcService(core, codecs)`, then
 * `server.addService(definition, implementation)`. Operations without a path or a codec are left out.
 */
export function grpcService(core: Core, codecs: Codecs): GrpcService {
  const definition: Record<string, MethodDefinition<Uint8Array, Uint8Array>> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const operation of core.operations) {
    const codec = Object.hasOwn(codecs, operation.name) ? codecs[operation.name] : undefined;
    if (codec === undefined || operation.grpc === undefined) continue;
    definition[operation.name] = methodDefinition(operation.grpc, operation);
    const method = new Method(core, operation, codec);
    implementation[operation.name] = handlers[operation.streaming](method);
  }
  return { definition, implementation };
}

/** How each kind of operation looks to `@grpc/grpc-js`. */
const handlers = {
  none: (method: Method) => (call: Unary, reply: Reply) =>
    void method.unary(call, () => method.decode(call.request), reply),
  server: (method: Method) => (call: Writable) => void method.stream(call, () => method.decode(call.request)),
  client: (method: Method) => (call: Readable, reply: Reply) =>
    void method.unary(call, () => method.decodeAll(call), reply),
  both: (method: Method) => (call: Duplex) => void method.stream(call, () => method.decodeAll(call)),
};

/** Bytes go through as they are: what is wrong with them is found where the response can say so. */
function methodDefinition(path: string, { streaming }: Operation): MethodDefinition<Uint8Array, Uint8Array> {
  return {
    path,
    requestStream: streaming === "client" || streaming === "both",
    responseStream: streaming === "server" || streaming === "both",
    requestSerialize: toBuffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: toBuffer,
    responseDeserialize: (bytes) => bytes,
  };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

class Method {
  readonly #core: Core;
  readonly #operation: Operation;
  readonly #codec: OperationCodec;

  constructor(core: Core, operation: Operation, codec: OperationCodec) {
    this.#core = core;
    this.#operation = operation;
    this.#codec = codec;
  }

  /** Responds to a call that has one response. Never throws. */
  async unary(call: AnyCall, read: OpenedRequest["read"], reply: Reply): Promise<void> {
    const exchange = this.#begin(call);
    const accepted = await this.#accept(exchange, read);
    const result = accepted instanceof A2AError ? accepted : await this.#core.unary(accepted, this.#encode);
    this.#sendActivated(call, exchange);
    if (result instanceof A2AError) reply(this.#status(result, exchange));
    else reply(null, result);
  }

  /**
   * Responds to a call that has a stream of responses: as fast as the caller reads, and only while it is there. Never
   * throws.
   */
  async stream(call: Writable | Duplex, read: OpenedRequest["read"]): Promise<void> {
    const exchange = this.#begin(call);
    const accepted = await this.#accept(exchange, read);
    const stream = accepted instanceof A2AError ? accepted : await this.#core.stream(accepted, this.#encode);
    if (stream instanceof A2AError) {
      call.emit("error", this.#status(stream, exchange));
      return;
    }
    const stop = (): void => void stream.return();
    if (call.cancelled) {
      stop();
      return;
    }
    call.once("cancelled", stop);
    call.once("close", stop);
    this.#sendActivated(call, exchange);
    for await (const event of stream) {
      if (event instanceof A2AError) {
        call.emit("error", this.#status(event, exchange));
        return;
      }
      if (!call.write(event)) await drained(call);
    }
    call.end();
  }

  /** Reads a request. Throws invalid params where the bytes are not one. */
  decode(bytes: Uint8Array): unknown {
    try {
      return withoutZeros(this.#codec.request.decode(bytes), this.#operation);
    } catch (cause) {
      const reason = reasonOf(cause);
      if (reason instanceof ValidationError) throw toInvalidParams(reason, this.#core.errors);
      const message = `The request is not a ${this.#operation.request.name} in protobuf`;
      throw invalidField("", message, this.#core.errors, cause);
    }
  }

  /** Reads the requests of a caller that sends several. */
  async *decodeAll(call: Readable | Duplex): AsyncGenerator<unknown, void> {
    // Not to be destroyed at the end: the other direction of a duplex stream goes on.
    const requests: AsyncIterable<Uint8Array> = call.iterator({ destroyOnReturn: false });
    for await (const bytes of requests) yield this.decode(bytes);
  }

  readonly #encode = (response: unknown): Uint8Array => this.#codec.response.encode(preparedValue(response));

  #accept(exchange: Exchange, read: OpenedRequest["read"]): Promise<AcceptedCall | A2AError> {
    const carry =
      this.#codec.request.hasNames === true
        ? (value: unknown) => {
            this.#carry(value);
          }
        : undefined;
    return this.#core.accept(exchange, () => ({
      operation: this.#operation,
      mode: "strict",
      read,
      ...(carry && { carry }),
    }));
  }

  #carry(request: unknown): void {
    try {
      this.#codec.request.encode(request);
    } catch (thrown) {
      throw reasonOf(thrown);
    }
  }

  #begin(call: AnyCall): Exchange {
    return this.#core.begin({
      binding: this.#core.protocol.bindings.grpc,
      headers: { get: (name) => textOf(call.metadata, name) },
      onClose(listener) {
        if (call.cancelled) listener();
        else call.once("cancelled", listener);
      },
    });
  }

  #sendActivated(call: AnyCall, { activated }: Exchange): void {
    if (activated === undefined) return;
    const metadata = new Metadata();
    metadata.set(this.#core.protocol.headers.extensions, activated);
    call.sendMetadata(metadata);
  }

  #status(
    error: A2AError,
    exchange: Exchange,
  ): { code: number; details: string; metadata: Metadata; name: string; message: string } {
    const metadata = new Metadata();
    const { text, details: parts } = this.#core.errorWriter(exchange).grpc(error, this.#core.errors);
    const code = grpcStatus[error.grpcStatus];
    const details = statusText(text);
    if (parts !== undefined) {
      metadata.set("grpc-status-details-bin", toBuffer(encodeStatus({ code, message: details, details: parts })));
    }
    if (error.grpcStatus === "UNAUTHENTICATED") {
      metadata.set("www-authenticate", this.#core.challenge);
    }
    return { code, details, metadata, name: error.name, message: details };
  }
}

/** Takes each 0 out of a request that its range does not allow: some peers always write it, and mean the default. */
function withoutZeros(request: unknown, { ranges = [] }: Operation): unknown {
  for (const { path, least } of ranges) {
    const holder = memberAt(request, path.slice(0, -1));
    const key = path.at(-1) ?? "";
    if (least > 0 && isObject(holder) && holder[key] === 0) Reflect.deleteProperty(holder, key);
  }
  return request;
}

/** What a codec found wrong, out of what it threw. */
function reasonOf(thrown: unknown): unknown {
  return thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
}

/** Returns metadata as headers come: several values of one name joined with commas. Binary metadata has no text. */
function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name).filter((value) => typeof value === "string");
  return values.length === 0 ? undefined : values.join(", ");
}

/** Waits until the caller has caught up, or has gone. */
function drained(call: Writable | Duplex): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      call.off("drain", finish).off("cancelled", finish).off("close", finish);
      resolve();
    };
    if (call.cancelled) resolve();
    else call.once("drain", finish).once("cancelled", finish).once("close", finish);
  });
}
