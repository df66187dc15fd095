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
import type { Codecs, OperationCodec } from "../../protocol/codec.js";
import { CallSource, type ConnectedCall } from "./source.js";
import { encodeStatus, statusText } from "./status.js";
import type { Operation } from "../../protocol/operation.js";
import { ValidationError } from "../../schema/schema.js";
import { memberAt } from "../../protocol/requirements.js";
import { challengeOf } from "../../protocol/challenge.js";
import type { Core } from "../../server/core.js";
import type { AcceptedCall, OpenedRequest } from "../../server/request.js";
import type { Exchange } from "../../server/exchange.js";
import { preparedValue } from "../../server/prepared.js";
import type { CallVersion } from "../../server/adapter.js";

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
interface AnyCall extends ConnectedCall, Pick<Unary, "cancelled" | "metadata" | "sendMetadata"> {
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
  for (const [path, served] of servedAt(core, codecs)) {
    const [first] = served;
    const { name, streaming } = first.operation;
    // The own operations keep their names; those of other versions are told apart by their paths.
    const key = first.version === core.versions[0] ? name : path;
    definition[key] = methodDefinition(path, first.operation);
    implementation[key] = handlers[streaming](core, served);
  }
  return { definition, implementation };
}

/** An operation of a version, and how gRPC carries it. */
interface Served {
  readonly version: CallVersion;
  readonly operation: Operation;
  readonly codec: OperationCodec;
}

/** The operations at one path, of which several versions may have one each. */
type ServedAtPath = readonly [Served, ...Served[]];

/** Returns what is served at each path; versions that have the same one stream in the same way. */
function servedAt({ versions }: Core, own: Codecs): Map<string, ServedAtPath> {
  const found = new Map<string, ServedAtPath>();
  for (const version of versions) {
    const codecs = version.adapter === undefined ? own : (version.codecs ?? {});
    for (const operation of version.operations) {
      const codec = Object.hasOwn(codecs, operation.name) ? codecs[operation.name] : undefined;
      if (codec === undefined || operation.grpc === undefined) continue;
      const served = { version, operation, codec };
      const others = found.get(operation.grpc);
      found.set(operation.grpc, others === undefined ? [served] : [...others, served]);
    }
  }
  return found;
}

/** How each kind of operation looks to `@grpc/grpc-js`. */
const handlers = {
  none: (core: Core, served: ServedAtPath) => (call: Unary, reply: Reply) => {
    const method = Method.of(core, served, call);
    void method.unary(call, () => method.decode(call.request), reply);
  },
  server: (core: Core, served: ServedAtPath) => (call: Writable) => {
    const method = Method.of(core, served, call);
    void method.stream(call, () => method.decode(call.request));
  },
  client: (core: Core, served: ServedAtPath) => (call: Readable, reply: Reply) => {
    const method = Method.of(core, served, call);
    void method.unary(call, () => method.decodeAll(call), reply);
  },
  both: (core: Core, served: ServedAtPath) => (call: Duplex) => {
    const method = Method.of(core, served, call);
    void method.stream(call, () => method.decodeAll(call));
  },
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

/** One call of an operation. */
class Method {
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #operation: Operation;
  readonly #codec: OperationCodec;

  private constructor(core: Core, exchange: Exchange, { operation, codec }: Served) {
    this.#core = core;
    this.#exchange = exchange;
    this.#operation = operation;
    this.#codec = codec;
  }

  /** Begins a call, in the version that it names among those that have its path. */
  static of(core: Core, served: ServedAtPath, call: AnyCall): Method {
    const exchange = core.begin({
      binding: core.protocol.bindings.grpc,
      headers: { get: (name) => textOf(call.metadata, name) },
      source: new CallSource(call),
      onClose(listener) {
        if (call.cancelled) listener();
        else call.once("cancelled", listener);
      },
    });
    const at = (version: CallVersion): Served | undefined => served.find((one) => one.version === version);
    const chosen = exchange.choose(at) ?? served[0];
    exchange.settle(chosen.version);
    return new Method(core, exchange, chosen);
  }

  /** Responds to a call that has one response. Never throws. */
  async unary(call: AnyCall, read: OpenedRequest["read"], reply: Reply): Promise<void> {
    const accepted = await this.#accept(read);
    const result = accepted instanceof A2AError ? accepted : await this.#core.unary(accepted, this.#encode);
    this.#sendActivated(call);
    if (result instanceof A2AError) reply(this.#status(result));
    else reply(null, result);
  }

  /**
   * Responds to a call that has a stream of responses: as fast as the caller reads, and only while it is there. Never
   * throws.
   */
  async stream(call: Writable | Duplex, read: OpenedRequest["read"]): Promise<void> {
    const accepted = await this.#accept(read);
    const stream = accepted instanceof A2AError ? accepted : await this.#core.stream(accepted, this.#encode);
    if (stream instanceof A2AError) {
      call.emit("error", this.#status(stream));
      return;
    }
    const stop = (): void => void stream.return();
    if (call.cancelled) {
      stop();
      return;
    }
    call.once("cancelled", stop);
    call.once("close", stop);
    this.#sendActivated(call);
    for await (const event of stream) {
      if (event instanceof A2AError) {
        call.emit("error", this.#status(event));
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
      const { errors } = this.#exchange.version;
      if (reason instanceof ValidationError) throw toInvalidParams(reason, errors);
      const message = `The request is not a ${this.#operation.request.name} in protobuf`;
      throw invalidField("", message, errors, cause);
    }
  }

  /** Reads the requests of a caller that sends several. */
  async *decodeAll(call: Readable | Duplex): AsyncGenerator<unknown, void> {
    // Not to be destroyed at the end: the other direction of a duplex stream goes on.
    const requests: AsyncIterable<Uint8Array> = call.iterator({ destroyOnReturn: false });
    for await (const bytes of requests) yield this.decode(bytes);
  }

  readonly #encode = (response: unknown): Uint8Array => this.#codec.response.encode(preparedValue(response));

  #accept(read: OpenedRequest["read"]): Promise<AcceptedCall | A2AError> {
    const carry =
      this.#codec.request.hasNames === true
        ? (value: unknown) => {
            this.#carry(value);
          }
        : undefined;
    return this.#core.accept(this.#exchange, () => ({
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

  #sendActivated(call: AnyCall): void {
    const { activated, version } = this.#exchange;
    if (activated === undefined) return;
    const metadata = new Metadata();
    metadata.set(version.protocol.headers.extensions, activated);
    call.sendMetadata(metadata);
  }

  #status(error: A2AError): { code: number; details: string; metadata: Metadata; name: string; message: string } {
    const metadata = new Metadata();
    const { errorWriter, errors } = this.#exchange.version;
    const { text, details: parts } = errorWriter.grpc(error, errors);
    const code = grpcStatus[error.grpcStatus];
    const details = statusText(text);
    if (parts !== undefined) {
      metadata.set("grpc-status-details-bin", toBuffer(encodeStatus({ code, message: details, details: parts })));
    }
    const challenge = challengeOf(error, error.grpcStatus === "UNAUTHENTICATED", this.#core.challenge);
    if (challenge !== undefined) metadata.set("www-authenticate", challenge);
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
