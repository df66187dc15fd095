import { isObject } from "../../base/json.js";
import { shorten } from "../../protocol/version.js";
import * as http from "../../http/server.js";
import { A2AError, type ErrorTable } from "../../protocol/error.js";
import { invalidField } from "../../protocol/field-violations.js";
import type { Operation } from "../../protocol/operation.js";
import type { Core } from "../../server/core.js";
import type { OpenedRequest } from "../../server/request.js";
import { errorEvent, eventResponse } from "../../server/event-body.js";
import type { Exchange } from "../../server/exchange.js";
import type { CallVersion } from "../../server/adapter.js";
import { jsonOf } from "../../server/prepared.js";

/** Options for serving JSON-RPC. */
export interface JsonRpcOptions extends http.HttpLimits {
  /** The path of the endpoint, with or without a trailing slash; `/` by default. */
  readonly path?: string;
}

type Id = string | number | null;

/** Serves the operations of a core over JSON-RPC 2.0. Ignores requests for other paths. */
export function jsonRpcHandler(core: Core, options: JsonRpcOptions = {}): http.HttpPart {
  const endpoint = new Endpoint(core, http.limitsOf(options, core.callers));
  const path = http.basePath(options.path ?? "/");
  core.jsonRpcPaths.add(path === "" ? "/" : path);
  return (request, isProbe) => {
    const target = http.splitTarget(request.url);
    if (target.path !== path && target.path !== `${path}/`) return undefined;
    return isProbe === true ? http.probed() : endpoint.respond(request, target.query);
  };
}

/** The parts of a request that its response requires, as far as they have been read. */
interface Reply {
  readonly exchange: Exchange;
  /** The id of the request; `null` if it is unknown. */
  readonly id: Id;
  readonly operation: Operation | undefined;
}

class Endpoint {
  readonly #core: Core;
  readonly #limits: http.HeldLimits;
  readonly #methods: ReadonlyMap<CallVersion, ReadonlyMap<unknown, Operation>>;

  constructor(core: Core, limits: http.HeldLimits) {
    this.#core = core;
    this.#limits = limits;
    this.#methods = new Map(
      core.versions.map((version) => [
        version,
        new Map(version.operations.map((operation) => [operation.jsonRpc, operation])),
      ]),
    );
  }

  /** Responds to a request for the endpoint. Never throws. */
  async respond(request: http.HttpRequest, query: string): Promise<http.HttpResponse> {
    const { protocol } = this.#core;
    const exchange = this.#core.begin({
      binding: protocol.bindings.jsonRpc,
      headers: request.headers,
      source: request,
      version: protocol.headers && http.queryParameter(query, protocol.headers.version),
    });
    let id: Id = null;
    let operation: Operation | undefined;
    const fail = (error: A2AError): http.HttpResponse =>
      this.#error(error, { exchange, id, operation });
    const open = (envelope: unknown): OpenedRequest => {
      // From here on, errors are sent with the id of the request.
      if (isObject(envelope) && isId(envelope["id"])) id = envelope["id"];
      const opened = this.#open(envelope, exchange);
      operation = opened.operation;
      return opened;
    };
    const call = await this.#core.accept(exchange, () => this.#read(request, exchange, open));
    if (call instanceof A2AError) return fail(call);
    if (call.operation.streaming === "none") {
      const writing = this.#core.unary(call, (result) =>
        JSON.stringify({ jsonrpc: "2.0", id, result }),
      );
      const body = writing instanceof Promise ? await writing : writing;
      if (body instanceof A2AError) return fail(body);
      return { status: 200, headers: this.#headers(exchange), body };
    }
    const { keepAliveMs } = this.#limits;
    const stream = await this.#core.stream(call, jsonOf, keepAliveMs);
    if (stream instanceof A2AError) return fail(stream);
    const error = (thrown: A2AError): string =>
      this.#errorBody(thrown, { exchange, id, operation });
    // The JSON around the result is the same for each event, so format it only once.
    const around = [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, "}"] as const;
    return eventResponse(stream, exchange.headersToSend(), { around, error, keepAliveMs });
  }

  /** Throws the error for a request that is not a POST with a JSON body. */
  #checkHead({ method, headers }: http.HttpRequest): void {
    const { errors, protocol } = this.#core;
    if (method !== "POST")
      throw new errors.invalidRequest("JSON-RPC requires POST", { httpStatus: 405 });
    if (http.hasMediaType(headers, protocol.mediaTypes.accept)) return;
    throw new errors.contentType(http.mediaTypeProblem(headers, protocol.mediaTypes.accept), {
      httpStatus: 415,
    });
  }

  /** Reads the envelope of a request and passes it to `open`. */
  #read(
    request: http.HttpRequest,
    caller: Exchange,
    open: (envelope: unknown) => OpenedRequest,
  ): OpenedRequest | Promise<OpenedRequest> {
    this.#checkHead(request);
    if (request.parsedBody !== undefined) return open(request.parsedBody);
    const use = (text: string): OpenedRequest => open(this.#parsed(text));
    return http.readBody({ request, caller, errors: this.#core.errors, use }, this.#limits);
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new this.#core.errors.parse();
    }
  }

  #open(envelope: unknown, exchange: Exchange): OpenedRequest {
    const { method, params, id } = requestOf(envelope, this.#core.errors);
    const operation = exchange.choose((version) => this.#methods.get(version)?.get(method));
    const { errors } = exchange.version;
    if (operation === undefined) throw new errors.methodNotFound(this.#advice(method, exchange));
    const read = (): unknown => {
      if (isObject(params)) return params;
      throw invalidField("", "`params` must be an object", errors);
    };
    if (id !== undefined) return { operation, mode: "json", read };
    // Check the method and the params first, because their errors are more useful than the error
    // for a missing id.
    const refuse = (): never => {
      throw new errors.invalidRequest("`id` is required: the protocol does not use notifications");
    };
    return { operation, mode: "json", read, carry: refuse };
  }

  /** Returns a hint if the method and the call belong to different versions. */
  #advice(method: string, exchange: Exchange): string {
    const versions = this.#core.versions.filter(
      (callVersion) => this.#methods.get(callVersion)?.has(method) === true,
    );
    const name = shorten(method);
    if (this.#core.protocol.headers === undefined) return `${name} is not a method of this service`;
    if (versions.length === 0) return `${name} is not a method of ${this.#core.served.join(", ")}`;
    const known = versions.map((callVersion) => callVersion.protocol.version).join(", ");
    const { version } = exchange.version.protocol;
    return `${name} is a method of ${known}, not of ${version}${this.#core.versionHint(exchange)}`;
  }

  #error(error: A2AError, reply: Reply): http.HttpResponse {
    const { exchange, operation } = reply;
    const { httpStatus } = error;
    // Status 415 only concerns the HTTP request if the operation is unknown. A service may also use
    // it for the parts of a message.
    const isUnknownContent = operation === undefined && httpStatus === 415;
    const isAboutHttp = isUnknownContent || ownStatuses.includes(httpStatus);
    const status = isAboutHttp ? httpStatus : 200;
    const body = this.#errorBody(error, reply);
    const isStreaming = operation !== undefined && operation.streaming !== "none";
    const isEvent = isStreaming && exchange.version.protocol.streamErrors === "event";
    if (!isAboutHttp && isEvent) return errorEvent(body, exchange.headersToSend());
    const headers = {
      ...this.#headers(exchange),
      ...http.errorHeaders(status, this.#core.challenge, isAboutHttp ? error : undefined),
    };
    if (status === 405) headers["allow"] = "POST";
    if (error.retryAfterSeconds !== undefined)
      headers["retry-after"] = String(error.retryAfterSeconds);
    return { status, headers, body };
  }

  #errorBody(error: A2AError, { exchange, id }: Reply): string {
    const { errorWriter, errors } = exchange.version;
    const written = errorWriter.jsonRpc(error, errors);
    return JSON.stringify({ jsonrpc: "2.0", id, error: written });
  }

  #headers(exchange: Exchange): Record<string, string> {
    const headers = exchange.allHeadersToSend();
    headers["content-type"] = "application/json";
    return headers;
  }
}

/** HTTP statuses for errors in HTTP itself. All other JSON-RPC errors are sent with status 200. */
const ownStatuses: readonly number[] = [401, 403, 405, 413];

/** The members of a JSON-RPC request. The id may be absent. */
interface Envelope {
  readonly method: string;
  readonly params: unknown;
  readonly id: Id | undefined;
}

/** Returns the members of a JSON-RPC request. Throws the error for an invalid request. */
function requestOf(envelope: unknown, errors: ErrorTable): Envelope {
  if (Array.isArray(envelope))
    throw new errors.invalidRequest("Batches are not supported: send one request at a time");
  if (!isObject(envelope)) throw new errors.invalidRequest("The request must be a JSON object");
  if (envelope["jsonrpc"] !== "2.0") throw new errors.invalidRequest('`jsonrpc` must be "2.0"');
  const { id, method } = envelope;
  if (id !== undefined && !isId(id)) throw new errors.invalidRequest(idProblem(id));
  if (typeof method !== "string") throw new errors.invalidRequest("`method` is required");
  return { method, params: "params" in envelope ? envelope["params"] : {}, id };
}

/**
 * Maximum length of an id. The limit is necessary because the response, and each event of a stream,
 * repeats the id.
 */
const maxIdLength = 1000;

/** Returns whether the response can contain an id unchanged. */
function isId(id: unknown): id is Id {
  if (typeof id === "string") return id.length <= maxIdLength;
  if (typeof id !== "number") return id === null;
  // An integer that is not safe may have lost digits.
  return Number.isInteger(id) ? Number.isSafeInteger(id) : Number.isFinite(id);
}

function idProblem(id: unknown): string {
  if (typeof id === "string") return `\`id\` must have at most ${String(maxIdLength)} characters`;
  if (typeof id === "number")
    return "`id` must be an integer of at most 53 bits: send a larger number as a string";
  return "`id` must be a string, a number or null";
}
