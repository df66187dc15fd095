import type { Peer } from "../../protocol/headers.js";
import {
  type Arrived,
  BodyError,
  type HttpResponse,
  type HttpHandler,
  type HttpPart,
  type HttpRequest,
  type TextStream,
} from "../server.js";

/**
 * Function that handles Web requests. The second argument may contain the other end of the
 * connection as `peer`. It can be any object, because frameworks pass their own data there.
 */
export type FetchHandler = (
  request: Request,
  connection?: object & { readonly peer?: Partial<Peer> | undefined },
) => Promise<Response>;

/**
 * Creates a handler for Web requests, as in Deno, Bun, edge workers and frameworks such as Hono.
 * Requests that are not for the agent receive status 404. A Web request contains no information
 * about its connection, so pass `{ peer }` if hooks or rates need the caller's address.
 */
export function fetchHandler(handler: HttpHandler | HttpPart): FetchHandler {
  return async (request, connection) => {
    const response = await handler(toHttpRequest(request, connection?.peer));
    if (response === undefined) return new Response("Not Found\n", { status: 404 });
    // The platform may never read this response, and then does not cancel its stream, so end the
    // stream here.
    if (request.signal.aborted) await endOf(response.body);
    return toResponse(response, request.method === "HEAD");
  };
}

/** Ends a stream that the platform may not read. */
async function endOf(body: HttpResponse["body"]): Promise<void> {
  if (typeof body === "object") await body[Symbol.asyncIterator]().return?.();
}

function toHttpRequest(
  request: Request,
  { address, certificate }: Partial<Peer> = {},
): HttpRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    url: url.pathname + url.search,
    peer: { address, certificate },
    isLast: true,
    headers: {
      get: (name) => request.headers.get(name) ?? undefined,
      entries: () => request.headers.entries(),
    },
    readBody: (maxBytes, arrived) => readText(request, maxBytes, arrived),
    onClose(listener) {
      if (request.signal.aborted) listener();
      else
        request.signal.addEventListener(
          "abort",
          () => {
            listener();
          },
          { once: true },
        );
    },
  };
}

type ByteReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Number of chunks whose texts are joined at once. To append the texts of small chunks one by one
 * takes many times the memory of their characters.
 */
const maxPieces = 4_096;

async function readText(request: Request, maxBytes: number, arrived?: Arrived): Promise<string> {
  if (request.body === null) return "";
  const reader: ByteReader = request.body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  const pieces: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await nextOf(reader);
    if (value !== undefined) size += value.byteLength;
    if (size > maxBytes) {
      void reader.cancel().catch(() => undefined);
      throw new BodyError("too large");
    }
    const waiting = value && arrived?.(value.byteLength);
    if (waiting !== undefined) await waiting;
    try {
      pieces.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
    } catch {
      throw new BodyError("not UTF-8");
    }
    if (done || pieces.length === maxPieces) text += pieces.splice(0).join("");
    if (done) return text;
  }
}

async function nextOf(
  reader: ByteReader,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  try {
    return await reader.read();
  } catch {
    throw new BodyError("broken off");
  }
}

function toResponse({ status, headers, body }: HttpResponse, bodiless: boolean): Response {
  const usable = new Headers(headers);
  // Platforms manage connections themselves, and some platforms reject this header.
  usable.delete("connection");
  if (body === undefined || bodiless) return new Response(null, { status, headers: usable });
  return new Response(typeof body === "string" ? body : toStream(body), {
    status,
    headers: usable,
  });
}

/** Returns a stream that only requests text when its reader requests a chunk. */
function toStream(body: TextStream): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
