import { BodyPace, bytesPerSecond } from "../../http/body-pace.js";
import { encodeAfter } from "../../protobuf/bytes-writer.js";
import { A2AError } from "../../protocol/error.js";
import type { Codecs, OperationCodec } from "../../protocol/codec.js";
import type { Operation } from "../../protocol/operation.js";
import type { CallVersion } from "../../server/adapter.js";
import type { Core } from "../../server/core.js";
import type { Exchange } from "../../server/exchange.js";
import { lowerCaseNames } from "../../protocol/transport.js";
import { preparedValue } from "../../server/prepared.js";
import type { AcceptedCall, OpenedRequest } from "../../server/request.js";
import {
  type CallStatus,
  prefixLength,
  type WireCall,
  type WireMethod,
  type WireMethods,
} from "./server-call.js";
import { GrpcRequests, reasonOf } from "./server-requests.js";
import { statusOf } from "./server-status.js";

/** An operation of a version with its codec. */
export interface Served {
  readonly version: CallVersion;
  readonly operation: Operation;
  readonly codec: OperationCodec;
}

/** The operations at one path, at most one of each version. */
export type ServedAtPath = readonly [Served, ...Served[]];

/** A core, and the rate of each caller's large requests. */
interface Serving {
  readonly core: Core;
  readonly pace: BodyPace;
}

/** Returns the gRPC methods of a core. Operations without a path or a codec are omitted. */
export function grpcMethods(core: Core, codecs: Codecs): WireMethods {
  const serving = { core, pace: new BodyPace(bytesPerSecond, core.callers) };
  const methods = new Map<string, WireMethod>();
  for (const [path, served] of servedAt(core, codecs))
    methods.set(path, methodOf(path, served, serving));
  return methods;
}

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

function methodOf(path: string, served: ServedAtPath, serving: Serving): WireMethod {
  const [{ version, operation }] = served;
  const requestStream = operation.streaming === "client" || operation.streaming === "both";
  const responseStream = operation.streaming === "server" || operation.streaming === "both";
  return {
    // Operations of the agent's version keep their names. Operations of other versions are
    // identified by their paths.
    name: version === serving.core.versions[0] ? operation.name : path,
    requestStream,
    responseStream,
    handle(call) {
      const handling = Handling.of(serving, served, call);
      const read = (): unknown =>
        requestStream ? handling.requests.all(call) : handling.requests.one(call);
      void (responseStream ? handling.stream(read) : handling.unary(read));
    },
  };
}

/** Handles one call of an operation. */
class Handling {
  readonly requests: GrpcRequests;
  readonly #call: WireCall;
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #operation: Operation;
  readonly #codec: OperationCodec;

  private constructor(
    { core, pace }: Serving,
    call: WireCall,
    exchange: Exchange,
    { operation, codec }: Served,
  ) {
    this.#core = core;
    this.#call = call;
    this.#exchange = exchange;
    this.#operation = operation;
    this.#codec = codec;
    this.requests = new GrpcRequests(exchange, { operation, codec, pace });
    const { observation } = exchange;
    if (observation !== undefined)
      call.onClose(() => {
        observation.end("disconnected");
      });
  }

  /**
   * Starts a call in the version that the call specifies. If the path does not exist in that
   * version, uses the first version in which the path exists.
   */
  static of(serving: Serving, served: ServedAtPath, call: WireCall): Handling {
    const { core } = serving;
    const exchange = core.begin({
      binding: core.protocol.bindings.grpc,
      headers: call.headers,
      source: call,
    });
    const servedIn = (version: CallVersion): Served | undefined =>
      served.find((candidate) => candidate.version === version);
    const chosen = exchange.choose(servedIn) ?? served[0];
    exchange.settle(chosen.version);
    return new Handling(serving, call, exchange, chosen);
  }

  /** Responds to a call with one response. Never throws. */
  async unary(read: OpenedRequest["read"]): Promise<void> {
    const accepted = await this.#accept(read);
    const writing =
      accepted instanceof A2AError ? accepted : this.#core.unary(accepted, this.#encode);
    const result = writing instanceof Promise ? await writing : writing;
    this.#sendHeaders();
    if (result instanceof A2AError) this.#call.fail(this.#status(result));
    else this.#call.respond(result, this.#exchange.trailersToSend());
    this.#exchange.observation?.end();
  }

  /**
   * Responds to a call with a stream of responses, at the caller's pace, until the caller
   * disconnects. Never throws.
   */
  async stream(read: OpenedRequest["read"]): Promise<void> {
    const accepted = await this.#accept(read);
    const stream =
      accepted instanceof A2AError ? accepted : await this.#core.stream(accepted, this.#encode);
    if (stream instanceof A2AError) {
      this.#sendHeaders();
      this.#fail(stream);
      return;
    }
    const call = this.#call;
    if (call.isClosed) {
      void stream.return();
      return;
    }
    this.#sendHeaders();
    for (;;) {
      const event = stream.take() ?? (await stream.next()).value;
      if (event === undefined) break;
      if (event instanceof A2AError) {
        this.#fail(event);
        return;
      }
      // Backpressure: the next event is only requested after the caller has read the previous
      // events.
      if (!call.write(event)) await call.drained();
    }
    call.end(this.#exchange.trailersToSend());
    this.#exchange.observation?.end();
  }

  #fail(error: A2AError): void {
    this.#call.fail(this.#status(error));
    this.#exchange.observation?.end();
  }

  readonly #encode = (response: unknown): Uint8Array => {
    const { response: codec } = this.#codec;
    const value = preparedValue(response);
    const frame = encodeAfter(prefixLength, () => codec.encode(value));
    this.#exchange.observation?.sent(frame.length - prefixLength);
    return frame;
  };

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

  #sendHeaders(): void {
    const headers = this.#exchange.headersToSend();
    if (this.#exchange.hasHeaders) this.#call.start(lowerCaseNames(headers));
  }

  #status(error: A2AError): CallStatus {
    const status = statusOf(error, this.#exchange.version, this.#core.challenge);
    const trailers = this.#exchange.trailersToSend();
    return trailers === undefined
      ? status
      : { ...status, metadata: { ...trailers, ...status.metadata } };
  }
}
