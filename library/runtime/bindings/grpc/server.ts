import type {
  handleUnaryCall,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import { Metadata } from "@grpc/grpc-js";
import { BodyPace, bytesPerSecond } from "../../http/body-pace.js";
import { A2AError } from "../../protocol/error.js";
import type { Codecs, OperationCodec } from "../../protocol/codec.js";
import type { GrpcHandler, GrpcMethod } from "./types.js";
import { GrpcRequests, reasonOf } from "./server-requests.js";
import { CallSource, type ConnectedCall } from "./source.js";
import { type CallStatus, statusOf, toBuffer } from "./server-status.js";
import type { Operation } from "../../protocol/operation.js";
import type { Core } from "../../server/core.js";
import type { AcceptedCall, OpenedRequest } from "../../server/request.js";
import type { Exchange } from "../../server/exchange.js";
import { preparedValue } from "../../server/prepared.js";
import type { CallVersion } from "../../server/adapter.js";
import type { Observation } from "../../server/observer.js";

/** Arguments for the method `addService` of a `Server` in `@grpc/grpc-js`. */
export interface GrpcService {
  readonly definition: Readonly<Record<string, GrpcMethod>>;
  readonly implementation: Readonly<Record<string, GrpcHandler>>;
}

type Unary = ServerUnaryCall<Uint8Array, Uint8Array>;
type Readable = ServerReadableStream<Uint8Array, Uint8Array>;
type Writable = ServerWritableStream<Uint8Array, Uint8Array>;
type Duplex = ServerDuplexStream<Uint8Array, Uint8Array>;
/** Members that calls of all four kinds have. */
type AnyCall = ConnectedCall & Pick<Unary, "metadata" | "sendMetadata">;
type Reply = Parameters<handleUnaryCall<Uint8Array, Uint8Array>>[1];

/**
 * Creates the gRPC service of a core:
 * `const { definition, implementation } = grpcService(core, codecs)`, then
 * `server.addService(definition, implementation)`. Operations without a path or a codec are
 * omitted.
 */
export function grpcService(core: Core, codecs: Codecs): GrpcService {
  const definition: Record<string, GrpcMethod> = {};
  const implementation: Record<string, GrpcHandler> = {};
  const serving = { core, pace: new BodyPace(bytesPerSecond, core.callers) };
  for (const [path, served] of servedAt(core, codecs)) {
    const [first] = served;
    const { name, streaming } = first.operation;
    // Operations of the agent's version keep their names. Operations of other versions are
    // identified by their paths.
    const key = first.version === core.versions[0] ? name : path;
    definition[key] = methodDefinition(path, first.operation);
    // grpc-js calls each handler with the kind of call that its definition declares.
    implementation[key] = handlers[streaming](serving, served) as GrpcHandler;
  }
  return { definition, implementation };
}

/** An operation of a version with its codec. */
export interface Served {
  readonly version: CallVersion;
  readonly operation: Operation;
  readonly codec: OperationCodec;
}

/** The operations at one path, at most one of each version. */
export type ServedAtPath = readonly [Served, ...Served[]];

/** Returns the operations at each path. Operations with the same path stream in the same way. */
export function servedAt({ versions }: Core, own: Codecs): Map<string, ServedAtPath> {
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

/** A core, and the rate of each caller's large requests. */
interface Serving {
  readonly core: Core;
  readonly pace: BodyPace;
}

/** Handlers for `@grpc/grpc-js`, by the streaming mode of the operation. */
const handlers = {
  none: (serving: Serving, served: ServedAtPath) => (call: Unary, reply: Reply) => {
    const method = Method.of(serving, served, call);
    void method.unary(call, () => method.requests.one(call.request), reply);
  },
  server: (serving: Serving, served: ServedAtPath) => (call: Writable) => {
    const method = Method.of(serving, served, call);
    void method.stream(call, () => method.requests.one(call.request));
  },
  client: (serving: Serving, served: ServedAtPath) => (call: Readable, reply: Reply) => {
    const method = Method.of(serving, served, call);
    void method.unary(call, () => method.requests.all(call), reply);
  },
  both: (serving: Serving, served: ServedAtPath) => (call: Duplex) => {
    const method = Method.of(serving, served, call);
    void method.stream(call, () => method.requests.all(call));
  },
};

/**
 * Returns a definition that does not decode bytes, so that decoding errors can be sent as protocol
 * errors.
 */
function methodDefinition(path: string, { streaming }: Operation): GrpcMethod {
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

/** Handles one call of an operation. */
class Method {
  readonly requests: GrpcRequests;
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #operation: Operation;
  readonly #codec: OperationCodec;

  private constructor(
    core: Core,
    exchange: Exchange,
    { operation, codec }: Served,
    pace: BodyPace,
  ) {
    this.#core = core;
    this.#exchange = exchange;
    this.#operation = operation;
    this.#codec = codec;
    this.requests = new GrpcRequests(exchange, { operation, codec, pace });
  }

  /**
   * Starts a call in the version that the call specifies. If the path does not exist in that
   * version, uses the first version in which the path exists.
   */
  static of({ core, pace }: Serving, served: ServedAtPath, call: AnyCall): Method {
    const exchange = core.begin({
      binding: core.protocol.bindings.grpc,
      headers: { get: (name) => textOf(call.metadata, name) },
      source: new CallSource(call),
    });
    const servedIn = (version: CallVersion): Served | undefined =>
      served.find((candidate) => candidate.version === version);
    const chosen = exchange.choose(servedIn) ?? served[0];
    exchange.settle(chosen.version);
    return new Method(core, exchange, chosen, pace);
  }

  /** Responds to a call with one response. Never throws. */
  async unary(call: AnyCall, read: OpenedRequest["read"], reply: Reply): Promise<void> {
    const { observation } = this.#exchange;
    if (observation !== undefined) this.#onCancelled(call, observation);
    const accepted = await this.#accept(read);
    const writing =
      accepted instanceof A2AError ? accepted : this.#core.unary(accepted, this.#encode);
    const result = writing instanceof Promise ? await writing : writing;
    this.#sendActivated(call);
    if (result instanceof A2AError) reply(this.#status(result));
    else reply(null, result);
    observation?.end();
  }

  /**
   * Responds to a call with a stream of responses, at the caller's pace, until the caller
   * disconnects. Never throws.
   */
  async stream(call: Writable | Duplex, read: OpenedRequest["read"]): Promise<void> {
    const { observation } = this.#exchange;
    if (observation !== undefined) this.#onCancelled(call, observation);
    const accepted = await this.#accept(read);
    const stream =
      accepted instanceof A2AError ? accepted : await this.#core.stream(accepted, this.#encode);
    if (stream instanceof A2AError) {
      call.emit("error", this.#status(stream));
      observation?.end();
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
        observation?.end();
        return;
      }
      // Backpressure: the next event is only requested after the caller has read the previous
      // events.
      if (!call.write(event)) await drained(call);
    }
    call.end();
    observation?.end();
  }

  readonly #encode = (response: unknown): Uint8Array => {
    const bytes = this.#codec.response.encode(preparedValue(response));
    const { observation } = this.#exchange;
    observation?.sent(bytes.length);
    return bytes;
  };

  #onCancelled(call: AnyCall, observation: Observation): void {
    const cut = (): void => {
      observation.end("disconnected");
    };
    if (call.cancelled) cut();
    else call.once("cancelled", cut);
  }

  #accept(read: OpenedRequest["read"]): Promise<AcceptedCall | A2AError> {
    const opened: OpenedRequest = { operation: this.#operation, mode: "strict", read };
    // Only resource names may have values that the binding cannot carry.
    if (this.#codec.request.hasNames !== true)
      return this.#core.accept(this.#exchange, () => opened);
    const carry = (value: unknown): void => {
      this.#carry(value);
    };
    return this.#core.accept(this.#exchange, () => ({ ...opened, carry }));
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

  #status(error: A2AError): CallStatus {
    return statusOf(error, this.#exchange.version, this.#core.challenge);
  }
}

/**
 * Returns a metadata entry as a header value. Joins several values with commas, and ignores binary
 * values.
 */
function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  const [first] = values;
  if (values.length < 2) return typeof first === "string" ? first : undefined;
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === 0 ? undefined : texts.join(", ");
}

/** Waits until the caller has caught up or disconnected. */
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
