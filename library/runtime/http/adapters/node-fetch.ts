import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Readable } from "node:stream";
import type { Fetch } from "../../protocol/http-options.js";

type Init = Parameters<Fetch>[1];

/** Returns the options of Node for a request of `fetch`. */
export function requestOptions({ method = "GET", headers, signal }: Init): RequestOptions {
  return {
    method,
    headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers)) },
    ...(signal && { signal }),
  };
}

/** Sends a request of Node, and returns the response in the form of `fetch`. */
export function responseTo(request: ClientRequest, { body }: Init): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    // If a server switches protocols, the request closes without a response and without an error.
    request.on("close", () => {
      reject(new Error("The server closed the connection without a response"));
    });
    request.on("response", (response) => {
      try {
        resolve(responseOf(response));
      } catch (error) {
        response.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    request.end(typeof body === "string" ? body : undefined);
  });
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  // Node's type and the platform's type describe the same stream.
  const body = isEmpty
    ? null
    : (Readable.toWeb(message) as unknown as ConstructorParameters<typeof Response>[0]);
  return new Response(body, { status, headers });
}
