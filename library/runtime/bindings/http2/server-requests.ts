import { isObject } from "../../base/json.js";
import { largeBytes, smallBytes, tooMany, type BodyPace } from "../../http/body-pace.js";
import { excess, requestLimits } from "../../http/body-values.js";
import type { OperationCodec } from "../../protocol/codec.js";
import { invalidField, toInvalidParams } from "../../protocol/field-violations.js";
import type { Operation } from "../../protocol/operation.js";
import { memberAt } from "../../protocol/requirements.js";
import { decodeWithin } from "../../protobuf/bytes-reader.js";
import { ExcessError } from "../../protobuf/wire-errors.js";
import { ValidationError } from "../../schema/schema.js";
import type { Exchange } from "../../server/exchange.js";
import { WireError, type WireCall } from "./server-call.js";

/** The operation of a call, and the rate of its caller's large requests. */
export interface GrpcReading {
  readonly operation: Operation;
  readonly codec: OperationCodec;
  readonly pace: BodyPace;
}

/**
 * Number of objects or values above which decoding a request takes as long as decoding a large
 * text.
 */
const manyValues = 4_096;

/** Decodes the requests of a call, with the same limits as for HTTP bodies. */
export class GrpcRequests {
  readonly #exchange: Exchange;
  readonly #reading: GrpcReading;

  constructor(exchange: Exchange, reading: GrpcReading) {
    this.#exchange = exchange;
    this.#reading = reading;
  }

  /** Decodes the request of a call. Throws the error to send if it is not a valid request. */
  one(call: WireCall): unknown {
    const bytes = call.one();
    if (bytes instanceof Uint8Array) return this.#paced(bytes);
    return bytes.then(
      (received) => this.#paced(received),
      (thrown: unknown) => {
        throw this.#refused(thrown);
      },
    );
  }

  /** Decodes the requests of a streaming caller. */
  async *all(call: WireCall): AsyncGenerator<unknown, void> {
    try {
      const { pace } = this.#reading;
      for await (const bytes of call.all()) {
        await pace.enterStreamed(this.#exchange, bytes.length);
        yield this.#decode(bytes);
      }
    } catch (thrown) {
      throw this.#refused(thrown);
    }
  }

  /** Returns the error to send for a request that the transport refuses. */
  #refused(thrown: unknown): unknown {
    if (!(thrown instanceof WireError)) return thrown;
    const httpStatus = thrown.status === "RESOURCE_EXHAUSTED" ? 413 : 400;
    const { errors } = this.#exchange.version;
    return new errors.invalidRequest(thrown.message, { httpStatus, grpcStatus: thrown.status });
  }

  /**
   * Decodes a request. The large requests of a caller are decoded at a limited rate, by their
   * uncompressed size.
   */
  #paced(bytes: Uint8Array): unknown {
    const turn = this.#reading.pace.enterReceived(this.#exchange, bytes.length);
    if (turn === undefined) return this.#decode(bytes);
    if (turn === false) throw tooMany(this.#exchange.version.errors);
    return turn.then(() => this.#decode(bytes));
  }

  #decode(bytes: Uint8Array): unknown {
    const { operation, codec, pace } = this.#reading;
    const { observation, version } = this.#exchange;
    if (observation !== undefined) observation.requestBytes += bytes.length;
    // Reading the clock takes as long as decoding a small request.
    const since = bytes.length > smallBytes ? performance.now() : undefined;
    const rest = { ...requestLimits };
    try {
      return withoutZeros(
        decodeWithin(rest, () => codec.request.decode(bytes)),
        operation,
      );
    } catch (cause) {
      const reason = reasonOf(cause);
      const { errors } = version;
      if (reason instanceof ValidationError) throw toInvalidParams(reason, errors);
      if (reason instanceof ExcessError) {
        const codes = { httpStatus: 413, grpcStatus: "RESOURCE_EXHAUSTED" } as const;
        const message = `The request contains more than ${excess(reason.limit)}`;
        throw new errors.invalidRequest(message, codes);
      }
      const message = `The request is not a valid protobuf message ${operation.request.name}`;
      throw invalidField("", message, errors, cause);
    } finally {
      if (since !== undefined) {
        const values = requestLimits.values - rest.values;
        const objects = requestLimits.objects - rest.objects;
        const isLarge = bytes.length > largeBytes || values > manyValues || objects > manyValues;
        if (isLarge) pace.measure(this.#exchange, since);
      }
    }
  }
}

/**
 * Removes zeros from members whose range does not include 0, because some peers always send 0 for
 * an absent value.
 */
function withoutZeros(request: unknown, { ranges = [] }: Operation): unknown {
  for (const { path, least } of ranges) {
    if (least <= 0 || memberAt(request, path) !== 0) continue;
    const holder = memberAt(request, path, path.length - 1);
    if (isObject(holder)) Reflect.deleteProperty(holder, path.at(-1) ?? "");
  }
  return request;
}

/** Returns the cause of a codec's error, or the error itself if it has no cause. */
export function reasonOf(thrown: unknown): unknown {
  return thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
}
