import {
  Metadata,
  type handleUnaryCall,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import type { Codecs } from "../../protocol/codec.js";
import type { CallHeaders } from "../../protocol/headers.js";
import type { Core } from "../../server/core.js";
import { grpcMethods } from "../http2/server-methods.js";
import { grpcMethodsByTenant } from "../http2/server-tenants.js";
import {
  type CallStatus,
  prefixLength,
  type SentMetadata,
  type WireCall,
  type WireMethod,
  type WireMethods,
} from "../http2/server-call.js";
import { addText, textOf } from "./metadata.js";
import { CallSource } from "./source.js";
import type { GrpcHandler, GrpcMethod } from "./types.js";

/** Arguments for the method `addService` of a `Server` in `@grpc/grpc-js`. */
export interface GrpcService {
  readonly definition: Readonly<Record<string, GrpcMethod>>;
  readonly implementation: Readonly<Record<string, GrpcHandler>>;
}

/**
 * Creates the gRPC service of a core:
 * `const { definition, implementation } = grpcService(core, codecs)`, then
 * `server.addService(definition, implementation)`. Operations without a path or a codec are
 * omitted.
 */
export function grpcService(core: Core, codecs: Codecs): GrpcService {
  return serviceOf(grpcMethods(core, codecs));
}

/**
 * Creates a gRPC service for several cores with the same paths. The tenant in a request selects the
 * core, as for {@link grpcMethodsByTenant}.
 */
export function grpcServiceByTenant(
  cores: Readonly<Record<string, Core>>,
  codecs: Codecs,
): GrpcService {
  return serviceOf(grpcMethodsByTenant(cores, codecs));
}

type Unary = ServerUnaryCall<Uint8Array, Uint8Array>;
type Readable = ServerReadableStream<Uint8Array, Uint8Array>;
type Writable = ServerWritableStream<Uint8Array, Uint8Array>;
type Duplex = ServerDuplexStream<Uint8Array, Uint8Array>;
type AnyCall = Unary | Readable | Writable | Duplex;
type Reply = Parameters<handleUnaryCall<Uint8Array, Uint8Array>>[1];

function serviceOf(methods: WireMethods): GrpcService {
  const definition: Record<string, GrpcMethod> = {};
  const implementation: Record<string, GrpcHandler> = {};
  for (const [path, method] of methods) {
    definition[method.name] = methodDefinition(path, method);
    // grpc-js calls each handler with the kind of call that its definition declares, and with a
    // callback if the method has one response.
    const handler = (call: AnyCall, reply?: Reply): void => {
      method.handle(new LibraryCall(call, reply));
    };
    implementation[method.name] = handler as GrpcHandler;
  }
  return { definition, implementation };
}

/**
 * Returns a definition that does not decode bytes, so that decoding errors can be sent as protocol
 * errors.
 */
function methodDefinition(path: string, { requestStream, responseStream }: WireMethod): GrpcMethod {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: toBuffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: toBuffer,
    responseDeserialize: (bytes) => bytes,
  };
}

/** A call of `@grpc/grpc-js`. */
class LibraryCall extends CallSource implements WireCall {
  readonly #call: AnyCall;
  readonly #reply: Reply | undefined;

  constructor(call: AnyCall, reply: Reply | undefined) {
    super(call);
    this.#call = call;
    this.#reply = reply;
  }

  get headers(): CallHeaders {
    const { metadata } = this.#call;
    const names = Object.keys(metadata.getMap());
    return {
      get: (name) => textOf(metadata, name),
      entries: () => names.map((name): [string, string] => [name, textOf(metadata, name) ?? ""]),
    };
  }

  get isClosed(): boolean {
    return this.#call.cancelled;
  }

  one(): Uint8Array {
    return (this.#call as Unary | Writable).request;
  }

  all(): AsyncIterable<Uint8Array> {
    // The stream must not be destroyed at the end, because the other direction of a duplex stream
    // is still in use.
    return (this.#call as Readable | Duplex).iterator({ destroyOnReturn: false });
  }

  start(metadata: SentMetadata): void {
    this.#call.sendMetadata(metadataOf(metadata));
  }

  respond(response: Uint8Array, metadata?: SentMetadata): void {
    this.#reply?.(null, withoutPrefix(response), metadata && metadataOf(metadata));
  }

  write(response: Uint8Array): boolean {
    return this.#writable.write(withoutPrefix(response));
  }

  drained(): Promise<void> {
    const call = this.#writable;
    return new Promise((resolve) => {
      const finish = (): void => {
        call.off("drain", finish).off("cancelled", finish).off("close", finish);
        resolve();
      };
      if (call.cancelled) resolve();
      else call.once("drain", finish).once("cancelled", finish).once("close", finish);
    });
  }

  end(metadata?: SentMetadata): void {
    this.#writable.end(metadata && metadataOf(metadata));
  }

  fail({ code, details, metadata = {} }: CallStatus): void {
    const status = { code, details, metadata: metadataOf(metadata), message: details };
    if (this.#reply === undefined) this.#call.emit("error", status);
    else this.#reply({ ...status, name: "StatusError" });
  }

  get #writable(): Writable | Duplex {
    return this.#call as Writable | Duplex;
  }
}

function metadataOf(sent: SentMetadata): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(sent))
    for (const each of typeof value === "string" || value instanceof Uint8Array ? [value] : value)
      if (typeof each === "string") addText(metadata, name, each);
      else metadata.add(name, toBuffer(each));
  return metadata;
}

/** Returns a message alone: `@grpc/grpc-js` writes the prefix itself. */
function withoutPrefix(response: Uint8Array): Uint8Array {
  return response.subarray(prefixLength);
}

/** Returns the same bytes as a buffer, without a copy. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
