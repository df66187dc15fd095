import { gunzip, inflate } from "node:zlib";
import { Chunks } from "../../http/adapters/chunks.js";
import { prefixLength, WireError } from "./server-call.js";

type Decoder = typeof gunzip;

/** The supported encodings of messages, apart from `identity`. */
const decoders: Readonly<Record<"gzip" | "deflate", Decoder>> = { gzip: gunzip, deflate: inflate };

/** Value of `grpc-accept-encoding`: the names of all decoders. */
export const acceptedEncodings: string = ["identity", ...Object.keys(decoders)].join(",");

/** Returns whether messages may be compressed with an encoding. */
export function isCompression(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name);
}

/** A received message, which may be compressed. */
export interface Frame {
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

/** Splits received bytes into messages, whatever the sizes of the chunks. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #encoding: string;
  /** The bytes of the incomplete message. */
  readonly #held = new Chunks();
  /** Number of bytes that the incomplete message has at least, with its prefix. */
  #needed = prefixLength;

  /**
   * Creates a reader that refuses messages of more than `maxBytes`. `encoding` is the encoding of
   * compressed messages.
   */
  constructor(maxBytes: number, encoding: string) {
    this.#maxBytes = maxBytes;
    this.#encoding = encoding;
  }

  /** Whether the last message is complete. */
  get isComplete(): boolean {
    return this.#held.length === 0;
  }

  /** Returns the messages that a chunk completes. Throws a {@link WireError} for invalid bytes. */
  push(chunk: Buffer): Frame[] {
    const bytes = this.#withHeld(chunk);
    const frames: Frame[] = [];
    let at = 0;
    while (bytes !== undefined && bytes.length - at >= prefixLength) {
      const end = at + prefixLength + this.#lengthAt(bytes, at);
      this.#needed = end - at;
      if (end > bytes.length) break;
      frames.push({ isCompressed: bytes[at] === 1, bytes: bytes.subarray(at + prefixLength, end) });
      this.#needed = prefixLength;
      at = end;
    }
    if (bytes !== undefined && at < bytes.length) this.#held.add(bytes.subarray(at));
    return frames;
  }

  /**
   * Returns the content of a message. Rejects with a {@link WireError} if it cannot be decompressed,
   * or is too large.
   */
  contentOf({ isCompressed, bytes }: Frame): Buffer | Promise<Buffer> {
    const encoding = this.#encoding;
    if (!isCompressed || !isCompression(encoding)) return bytes;
    return new Promise((resolve, reject) => {
      // A length of 0 is not a valid limit.
      const options = { maxOutputLength: Math.max(this.#maxBytes, 1) };
      decoders[encoding](bytes, options, (error, content) => {
        if (error === null) resolve(content);
        else reject(decodingError(error, this.#maxBytes));
      });
    });
  }

  /** Joins a chunk with the bytes before it, once there are enough for a message. */
  #withHeld(chunk: Buffer): Buffer | undefined {
    if (this.#held.length === 0) return chunk;
    this.#held.add(chunk);
    return this.#held.length < this.#needed ? undefined : this.#held.take();
  }

  #lengthAt(bytes: Buffer, at: number): number {
    const flags = bytes[at] ?? 0;
    if (flags > 1)
      throw new WireError("INTERNAL", `Received message with invalid flags ${String(flags)}`);
    if (flags === 1 && !isCompression(this.#encoding))
      throw new WireError("INTERNAL", "Received compressed message without grpc-encoding");
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxBytes) {
      // Clients recognize these words, which are those of `@grpc/grpc-js`.
      const sizes = `(${String(length)} vs ${String(this.#maxBytes)})`;
      throw new WireError("RESOURCE_EXHAUSTED", `Received message larger than max ${sizes}`);
    }
    return length;
  }
}

function decodingError(error: NodeJS.ErrnoException, maxBytes: number): WireError {
  if (error.code !== "ERR_BUFFER_TOO_LARGE")
    return new WireError("INTERNAL", "Failed to decompress the message");
  const text = `Received message that decompresses to a size larger than ${String(maxBytes)}`;
  return new WireError("RESOURCE_EXHAUSTED", text);
}

/** Sets the prefix of an uncompressed message. */
function setPrefix(frame: Uint8Array): void {
  const length = frame.length - prefixLength;
  frame[0] = 0;
  frame[1] = length >>> 24;
  frame[2] = length >>> 16;
  frame[3] = length >>> 8;
  frame[4] = length;
}

const empty = /* @__PURE__ */ new Uint8Array(0);

/** Collects messages to send. Several messages are joined in one block of memory. */
export class FrameWriter {
  #block: Uint8Array = empty;
  #length = 0;

  /** Number of collected bytes, including prefixes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a message with room for its prefix. The bytes must not be changed afterwards. */
  add(frame: Uint8Array): void {
    setPrefix(frame);
    const start = this.#length;
    this.#length += frame.length;
    if (start === 0) {
      // Most calls send one message, which needs no copy.
      this.#block = frame;
      return;
    }
    if (this.#length > this.#block.length) this.#grow(start);
    this.#block.set(frame, start);
  }

  /** Returns the collected bytes, and removes them. */
  take(): Uint8Array {
    const block = this.#block;
    const bytes = block.length === this.#length ? block : block.subarray(0, this.#length);
    this.#block = empty;
    this.#length = 0;
    return bytes;
  }

  #grow(used: number): void {
    const block = Buffer.allocUnsafe(this.#length * 2);
    block.set(this.#block.subarray(0, used));
    this.#block = block;
  }
}
