import { A2AError, type ClientErrors, type JsonRpcErrorReader } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type { CallerFacts } from "../../protocol/operation.js";
import {
  errorOf,
  send,
  throwIn,
  type HttpOptions,
  type ReceivedResponse,
} from "../../http/client.js";
import {
  reportHttpHead,
  TransportError,
  type Call,
  type Transport,
} from "../../protocol/transport.js";
import { isForgiven } from "../../protocol/deviations.js";
import { describe, issueOf } from "../../schema/issue.js";

/** Options for the transport over JSON-RPC. */
export interface JsonRpcTransportOptions extends HttpOptions {
  /** The endpoint of the server. */
  readonly url: string;
  readonly protocol: CallerFacts;
  readonly errors: ClientErrors;
  readonly readError: JsonRpcErrorReader;
}

/**
 * Returns a transport that sends each call as a POST with a JSON-RPC 2.0 request, and reads streams
 * as server-sent events.
 */
export function createJsonRpcTransport(options: JsonRpcTransportOptions): Transport {
  let id = 0;
  return {
    binding: options.protocol.bindings.jsonRpc,
    carries: (operation) => operation.jsonRpc !== undefined,
    async unary(call) {
      const [answer, resultOf] = await post(call, "application/json", ++id, options);
      return resultOf(await answer.json(call.checkText));
    },
    async *stream(call) {
      const [answer, resultOf] = await post(
        call,
        "text/event-stream, application/json",
        ++id,
        options,
      );
      const mayBeEmpty = options.protocol.emptyStreams;
      const events = answer.streams
        ? await answer.events({ call, isAnswer, mayBeEmpty })
        : [await answer.json()];
      for await (const event of events) yield resultOf(event);
    },
  };
}

/**
 * Sends the call. Returns the HTTP response, and a function that returns the result of a JSON-RPC
 * response, or a promise that rejects with its error.
 */
async function post(
  call: Call,
  accept: string,
  id: number,
  options: JsonRpcTransportOptions,
): Promise<[answer: ReceivedResponse, resultOf: (response: unknown) => unknown]> {
  const { operation, request: params, headers, via, signal, deviations } = call;
  const { url, protocol, errors } = options;
  const { name, jsonRpc } = operation;
  const method = jsonRpc === true ? name : jsonRpc;
  if (!method)
    throw new TransportError(`${protocol.bindings.jsonRpc} does not support ${name}`, {
      url,
      unsent: true,
    });
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const sent = { ...headers, accept, "content-type": "application/json" };
  const answer = await send(url, { method: "POST", headers: sent, via, body, signal }, options);
  reportHttpHead(call, answer.response.headers, protocol.headers?.extensions);
  /**
   * Returns the result or the error of a response. An error may have no id, because an agent that
   * cannot read a request does not know its id. A result without an id is a deviation. The HTTP
   * response can only belong to this call.
   */
  const read = (response: unknown): unknown => {
    const { jsonrpc, id: given, error, result } = membersOf(response);
    const responseId = given ?? id;
    // Some agents convert ids to strings.
    if (jsonrpc !== "2.0" || (responseId !== id && responseId !== String(id))) return undefined;
    const failure = jsonRpcError(error, options);
    if (failure !== undefined) return failure;
    if (
      responseId !== given &&
      (result === undefined ||
        !isForgiven(deviations, name, issueOf("an id", describe(given), ["id"])))
    )
      return undefined;
    // Agents may omit an empty result. Any other absent result becomes `undefined`.
    return result === undefined ? operation.empty : result;
  };
  if (!answer.response.ok) throw await errorOf(answer, errors, read);
  const take = (response: unknown): unknown => {
    const result = read(response);
    if (result === undefined)
      throw answer.unexpected(
        response === undefined ? "an empty body" : "no JSON-RPC response to the request",
      );
    return result instanceof A2AError ? throwIn(answer.response, result) : result;
  };
  return [answer, take];
}

/** Returns whether a value has a member of a JSON-RPC response. */
function isAnswer(value: unknown): boolean {
  const { jsonrpc, result, error } = membersOf(value);
  return (jsonrpc ?? result ?? error) !== undefined;
}

/**
 * Returns the error for the `error` object of a response; `undefined` if the value is not such an
 * object.
 */
export function jsonRpcError(
  error: unknown,
  { errors, readError }: Pick<JsonRpcTransportOptions, "errors" | "readError">,
): A2AError | undefined {
  const { code, message, data } = membersOf(error);
  if (typeof code !== "number") return undefined;
  const text =
    typeof message === "string" ? message : `The server responded with error ${String(code)}`;
  return readError(code, text, data, errors);
}

/** Returns the members of an object. Returns an empty object for any other value. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
