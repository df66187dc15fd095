import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  dataFrame,
  frameOf,
  frameType,
  headersFrame,
  preface,
  settingsAck,
} from "./http2-frames.js";
import type { Line } from "./line.js";

/** A gRPC request that is sent repeatedly. */
export interface GrpcRequest {
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly message: Uint8Array;
}

/**
 * Opens a connection, and returns a line for each concurrent call. HTTP/2 frames are written as
 * prepared bytes, and only the frames of responses are read, so that mainly the server is measured:
 * the client of `@grpc/grpc-js` costs more than its server.
 */
export async function grpcLines(
  port: number,
  request: GrpcRequest,
  calls: number,
): Promise<readonly Line[]> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const connection = new Connection(socket, request);
  return Array.from({ length: calls }, (_, index) => ({
    call: (seen) => connection.call(seen, undefined),
    async responses() {
      const bytes: Buffer[] = [];
      await connection.call(() => undefined, bytes);
      return messagesOf(Buffer.concat(bytes));
    },
    close: () => {
      if (index === 0) connection.close();
    },
  }));
}

/** A running call. */
interface Pending {
  readonly seen: (responses: number) => void;
  /** Receives all bytes of the responses, if set. */
  readonly bytes: Buffer[] | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /**
   * Number of missing bytes of the current message, and the received part of an incomplete prefix.
   */
  missing: number;
  prefix: Buffer;
  responses: number;
}

class Connection {
  readonly #socket: Socket;
  readonly #headers: Buffer;
  readonly #data: Buffer;
  readonly #pending = new Map<number, Pending>();
  #next = 1;
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, { path, metadata, message }: GrpcRequest) {
    this.#socket = socket;
    const fields = { "content-type": "application/grpc", te: "trailers", ...metadata };
    this.#headers = headersFrame(path, fields);
    this.#data = dataFrame(prefixed(message));
    socket.write(preface);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("The server has closed the connection")));
  }

  call(seen: (responses: number) => void, bytes: Buffer[] | undefined): Promise<void> {
    const id = this.#next;
    this.#next += 2;
    const frames = Buffer.concat([this.#headers, this.#data]);
    frames.writeUInt32BE(id, 5);
    frames.writeUInt32BE(id, this.#headers.length + 5);
    return new Promise((resolve, reject) => {
      const state = { missing: 0, prefix: Buffer.alloc(0), responses: 0 };
      this.#pending.set(id, { seen, bytes, resolve, reject, ...state });
      this.#socket.write(frames);
    });
  }

  close(): void {
    this.#pending.clear();
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const frame = frameOf(bytes, at);
      if (frame === undefined) break;
      at = frame.end;
      this.#handle(frame.type, frame.flags, frame.stream, frame.payload);
    }
    this.#rest = bytes.subarray(at);
  }

  #handle(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === frameType.settings && (flags & 1) === 0) this.#socket.write(settingsAck);
    else if (type === frameType.goAway || type === frameType.reset)
      this.#fail(new Error("The server has given up"));
    const call = this.#pending.get(stream);
    if (call === undefined) return;
    if (type === frameType.data) {
      call.bytes?.push(Buffer.from(payload));
      count(call, payload);
    }
    const ends = (type === frameType.data || type === frameType.headers) && (flags & 1) === 1;
    if (!ends) return;
    this.#pending.delete(stream);
    // An error only has trailers, without a message.
    if (call.responses === 0) call.reject(new Error("The server refuses"));
    else call.resolve();
  }
}

const prefixLength = 5;

function prefixed(message: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(prefixLength), message]);
  bytes.writeUInt32BE(message.length, 1);
  return bytes;
}

/** Counts the messages that start in a frame. Frames can split a message at any position. */
function count(call: Pending, payload: Buffer): void {
  const before = call.responses;
  let at = 0;
  while (at < payload.length) {
    if (call.missing > 0) {
      const step = Math.min(call.missing, payload.length - at);
      call.missing -= step;
      at += step;
      continue;
    }
    const step = Math.min(prefixLength - call.prefix.length, payload.length - at);
    call.prefix = Buffer.concat([call.prefix, payload.subarray(at, at + step)]);
    at += step;
    if (call.prefix.length < prefixLength) break;
    call.missing = call.prefix.readUInt32BE(1);
    call.prefix = Buffer.alloc(0);
    call.responses += 1;
  }
  if (call.responses > before) call.seen(call.responses - before);
}

function messagesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + prefixLength + bytes.readUInt32BE(at + 1);
    messages.push(bytes.subarray(at + prefixLength, end));
    at = end;
  }
  return messages;
}
