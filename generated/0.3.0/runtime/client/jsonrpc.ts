// Part of a2a-codegen 0.1.0. Do not edit.

import type { A2AError, ErrorTable, JsonRpcErrorReader } from "../error.js";
import { isObject } from "../json.js";
import type { ProtocolFacts } from "../operation.js";
import { refusal, send, type HttpAnswer, type HttpOptions } from "./http.js";
import { TransportError, type Call, type Transport } from "./transport.js";

/** What the transport over JSON-RPC needs. */
export interface JsonRpcTransportOptions extends HttpOptions {
  /** The endpoint of the agent. */
  readonly url: string;
  readonly protocol: ProtocolFacts;
  readonly errors: ErrorTable;
  readonly readError: JsonRpcErrorReader;
}

/**
 * Gives a transport that sends each call as a POST with a JSON-RPC 2.0 request, and reads streams as server-sent
 * events.
 */
export function createJsonRpcTransport(options: JsonRpcTransportOptions): Transport {
  let id = 0;
  return {
    binding: options.protocol.bindings.jsonRpc,
    carries: (operation) => operation.jsonRpc !== undefined,
    async unary(call) {
      const [answer, result] = await post(call, "application/json", ++id, options);
      return result(await answer.json());
    },
    async *stream(call) {
      const [answer, result] = await post(call, "text/event-stream, application/json", ++id, options);
      if (!answer.streams) yield result(await answer.json());
      else for await (const event of answer.events()) yield result(event);
    },
  };
}

/** Sends the call. The second result takes a JSON-RPC response to it apart. */
async function post(
  { operation, request: params, headers, signal }: Call,
  accept: string,
  id: number,
  options: JsonRpcTransportOptions,
): Promise<[HttpAnswer, (message: unknown) => unknown]> {
  const { url, protocol, errors, readError } = options;
  const { jsonRpc: method, name } = operation;
  if (!method) throw new TransportError(`${protocol.bindings.jsonRpc} has no ${name}`, { url, unsent: true });
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const sent = { ...headers, accept, "content-type": "application/json" };
  const answer = await send({ method: "POST", url, headers: sent, body, signal }, options);
  /** Reads the error of a response to the request, or to one whose id the agent could not read. */
  const failure = (response: unknown): A2AError | undefined => {
    if (!isResponse(response) || (response.id !== id && response.id !== null)) return undefined;
    const error: Readonly<Record<string, unknown>> = isObject(response.error) ? response.error : {};
    const { code, message, data } = error;
    if (typeof code !== "number") return undefined;
    const text = typeof message === "string" ? message : `The agent answered with error ${code}`;
    return readError(code, text, data, errors);
  };
  if (!answer.response.ok) throw await refusal(answer, errors, failure);
  const result = (response: unknown): unknown => {
    const error = failure(response);
    if (error) throw error;
    if (isResponse(response) && response.id === id && response.result !== undefined) return response.result;
    throw answer.unexpected("something other than a JSON-RPC response to the request");
  };
  return [answer, result];
}

/** A JSON-RPC response, whatever it holds. */
interface JsonRpcResponse {
  readonly jsonrpc: "2.0";
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

function isResponse(value: unknown): value is JsonRpcResponse {
  return isObject(value) && value["jsonrpc"] === "2.0";
}
