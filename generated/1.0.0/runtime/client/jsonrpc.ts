// Part of a2a-codegen 0.1.0. Do not edit.

import { fromJsonRpcError, type A2AError, type ErrorTable } from "../error.js";
import { isJsonValue, isObject } from "../json.js";
import type { ProtocolFacts } from "../operation.js";
import { refusal, send, type HttpAnswer, type HttpOptions } from "./http.js";
import { TransportError, type Call, type Transport } from "./transport.js";

/** What the transport over JSON-RPC needs. */
export interface JsonRpcTransportOptions extends HttpOptions {
  /** The endpoint of the agent. */
  readonly url: string;
  readonly protocol: ProtocolFacts;
  readonly errors: ErrorTable;
}

/**
 * Gives a transport that sends each call as a POST with a JSON-RPC 2.0 request, and reads streams as server-sent
 * events.
 */
export function createJsonRpcTransport(options: JsonRpcTransportOptions): Transport {
  const { url, protocol, errors } = options;
  const binding = protocol.bindings.jsonRpc;
  let id = 0;

  /** Sends the call. The second result takes a JSON-RPC response to it apart. */
  async function post(call: Call, accept: string): Promise<[HttpAnswer, (message: unknown) => unknown]> {
    const { operation, request: params, signal } = call;
    const { jsonRpc: method, name } = operation;
    if (method === undefined) throw new TransportError(`${binding} has no ${name}`, { url, unsent: true });
    const headers = { ...call.headers, accept, "content-type": "application/json" };
    const message: Message = { jsonrpc: "2.0", id: ++id, method, params };
    const answer = await send({ method: "POST", url, headers, body: JSON.stringify(message), signal }, options);
    if (!answer.response.ok) throw await refusal(answer, errors, (body) => errorOf(body, message, errors));
    return [answer, (response) => resultOf(response, message, errors, answer)];
  }

  return {
    binding,
    carries: (operation) => operation.jsonRpc !== undefined,
    async unary(call) {
      const [answer, result] = await post(call, "application/json");
      return result(await answer.json());
    },
    async *stream(call) {
      const [answer, result] = await post(call, "text/event-stream, application/json");
      if (!answer.streams) yield result(await answer.json());
      else for await (const event of answer.events()) yield result(event);
    },
  };
}

/** A JSON-RPC message of either direction. */
interface Message {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && value["jsonrpc"] === "2.0";
}

function resultOf(response: unknown, request: Message, errors: ErrorTable, answer: HttpAnswer): unknown {
  const error = errorOf(response, request, errors);
  if (error !== undefined) throw error;
  if (isMessage(response) && response.id === request.id && response.result !== undefined) return response.result;
  throw answer.unexpected("something other than a JSON-RPC response to the request");
}

/** Reads the error of a response to the request, or to one whose id the agent could not read. */
function errorOf(response: unknown, { id }: Message, errors: ErrorTable): A2AError | undefined {
  if (!isMessage(response) || (response.id !== id && response.id !== null)) return undefined;
  const { error } = response;
  if (!isObject(error) || typeof error["code"] !== "number") return undefined;
  const { code, message, data } = error;
  const text = typeof message === "string" ? message : `The agent answered with error ${code}`;
  return fromJsonRpcError({ code, message: text, ...(isJsonValue(data) ? { data } : {}) }, errors);
}
