import type { IncomingMessage, ServerResponse } from "node:http";
import { readText } from "../../../support/read-text.js";

/** Maximum size of a request from the page in bytes. A message may contain files. */
const maxBytes = 2 ** 27;

/**
 * Reads the body of a request from the page. The token proves that the page sent it, so its members
 * are not checked.
 */
export async function readJson<T>(request: IncomingMessage): Promise<T> {
  // A form on another site cannot send this type without a preflight request.
  if (request.headers["content-type"] !== "application/json")
    throw new Error("The request must be JSON");
  const refuse = (): Error => new Error(`The request is larger than ${maxBytes} bytes`);
  return JSON.parse(await readText(request, maxBytes, refuse)) as T;
}

/** Sends a JSON document. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
