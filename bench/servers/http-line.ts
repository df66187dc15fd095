import { connect, type Socket } from "node:net";
import { once } from "node:events";
import type { Line } from "./line.js";

/** An HTTP request that is sent repeatedly. */
export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the response is a stream of events. */
  readonly stream: boolean;
  /** Text that each event of a stream contains once; {@link eventEnd} by default. */
  readonly mark?: string;
}

/**
 * Opens a persistent connection. Requests are written as prepared bytes, and only the end of a
 * response is detected, so that mainly the server is measured: the client of Node costs more than
 * the servers.
 */
export async function httpLine(port: number, request: HttpRequest): Promise<Line> {
  const line = new RepeatingLine(port, request);
  await line.open();
  return line;
}

/** Returns the bytes of a request. */
export function requestBytes({ path, headers, body }: HttpRequest): Buffer {
  const fields = {
    ...headers,
    host: "127.0.0.1",
    "content-length": String(Buffer.byteLength(body)),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
}

/** Reads the bytes of one response. Returns `true` at its end; throws if its status is not 200. */
export type Reading = (chunk: Buffer) => boolean;

/**
 * Servers close connections after five idle seconds, which can happen during the turns of other
 * servers.
 */
const longestIdleMs = 2000;

/** A connection on which requests are sent one after another. */
export class HttpLine {
  readonly #port: number;
  #socket: Socket | undefined;
  #usedAt = performance.now();
  #read: Reading | undefined;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async open(): Promise<Socket> {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    const fail = (error: Error): void => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#settle?.reject(error);
    };
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("The server has closed the connection")));
    return socket;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** Sends a request and reads its response. */
  async exchange(request: Buffer, read: Reading): Promise<void> {
    if (performance.now() - this.#usedAt > longestIdleMs) this.close();
    const socket = this.#socket ?? (await this.open());
    await new Promise<void>((resolve, reject) => {
      this.#read = read;
      this.#settle = { resolve, reject };
      socket.write(request);
    });
    this.#usedAt = performance.now();
  }

  #take(chunk: Buffer): void {
    try {
      if (this.#read?.(chunk) === true) this.#settle?.resolve();
    } catch (error) {
      this.#settle?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** A line on which the same request is sent repeatedly. */
class RepeatingLine extends HttpLine implements Line {
  readonly #request: Buffer;
  readonly #stream: boolean;
  readonly #mark: string | undefined;

  constructor(port: number, request: HttpRequest) {
    super(port);
    this.#request = requestBytes(request);
    this.#stream = request.stream;
    this.#mark = request.mark;
  }

  call(seen: (responses: number) => void): Promise<void> {
    return this.exchange(this.#request, this.#reading(seen));
  }

  async responses(): Promise<readonly Buffer[]> {
    const chunks: Buffer[] = [];
    const read = this.#reading(() => undefined);
    await this.exchange(this.#request, (chunk) => {
      chunks.push(chunk);
      return read(chunk);
    });
    const body = bodyOf(Buffer.concat(chunks));
    if (!this.#stream) return [body];
    const events = body.toString("utf8").matchAll(/^data: ?(.*)$/gm);
    return Array.from(events, ([, data = ""]) => Buffer.from(data));
  }

  #reading(seen: (responses: number) => void): Reading {
    return this.#stream ? eventCounter(seen, this.#mark) : answerEnd(seen);
  }
}

/** Returns the body of a response, which may be chunked. */
function bodyOf(response: Buffer): Buffer {
  const start = response.indexOf(headEnd) + headEnd.length;
  const body = response.subarray(start);
  if (!isChunked(response.toString("latin1", 0, start))) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const line = body.indexOf("\r\n", at);
    const length = parseInt(body.toString("latin1", at, line), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    at = line + 2;
    chunks.push(body.subarray(at, at + length));
    at += length + 2;
  }
}

const isChunked = (head: string): boolean => /\r\ntransfer-encoding: chunked/i.test(head);

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");

/** Detects the end of a response with a content length, or of a chunked response. */
export function answerEnd(seen: (responses: number) => void): Reading {
  let missing: number | undefined;
  let start: Buffer | undefined;
  let chunked: Reading | undefined;
  return (chunk) => {
    if (chunked !== undefined) return chunked(chunk);
    if (missing !== undefined) missing -= chunk.length;
    else {
      start = start === undefined ? chunk : Buffer.concat([start, chunk]);
      const end = start.indexOf(headEnd);
      if (end < 0) return false;
      const head = headOf(start, end);
      if (isChunked(head)) {
        chunked = chunkedEnd(seen);
        return chunked(start.subarray(end));
      }
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined)
        throw new Error(`The server does not say how long its answer is: ${head}`);
      missing = end + headEnd.length + Number(length) - start.length;
    }
    if (missing === 0) seen(1);
    return missing === 0;
  };
}

/** Detects the end of a chunked body whose content does not contain {@link lastChunk}. */
function chunkedEnd(seen: (responses: number) => void): Reading {
  let last: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = chunk.length < lastChunk.length ? Buffer.concat([last, chunk]) : chunk;
    last = Buffer.from(bytes.subarray(-lastChunk.length));
    const done = last.equals(lastChunk);
    if (done) seen(1);
    return done;
  };
}

/** The end of an event: an empty line, which occurs nowhere else in a chunk. */
const eventEnd = "\n\n";

/** Counts the events of a chunked response by a text that each event contains once. */
export function eventCounter(seen: (responses: number) => void, mark = eventEnd): Reading {
  let hasHead = false;
  let last: Buffer = Buffer.alloc(0);
  return (chunk) => {
    // The rest of the previous chunk may be the start of the end of an event, or of the end of the
    // response.
    const bytes = last.length === 0 ? chunk : Buffer.concat([last, chunk]);
    if (!hasHead) {
      if (!bytes.includes(headEnd)) {
        last = bytes;
        return false;
      }
      headOf(bytes, bytes.indexOf(headEnd));
      hasHead = true;
    }
    let count = 0;
    const step = mark.length;
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + step)) count += 1;
    const done = bytes.subarray(-lastChunk.length).equals(lastChunk);
    // Marks that were already counted are dropped.
    const counted = bytes.lastIndexOf(mark);
    const kept = Math.max(counted < 0 ? 0 : counted + step, bytes.length - lastChunk.length + 1);
    last = Buffer.from(bytes.subarray(kept));
    if (count > 0) seen(count);
    return done;
  };
}

function headOf(bytes: Buffer, end: number): string {
  const head = bytes.toString("latin1", 0, end);
  if (!head.startsWith("HTTP/1.1 200 "))
    throw new Error(`The server refuses: ${bytes.toString("utf8")}`);
  return head;
}
