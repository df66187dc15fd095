import { invalidField, toInvalidParams, type A2AError } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type { Operation } from "../../protocol/operation.js";
import type { Call } from "../../server/context.js";
import type { Core, RequestSource } from "../../server/core.js";
import { errorEvent, eventAnswer } from "../../server/event-body.js";
import * as http from "../../http/server.js";

/** Where and how JSON-RPC is served. */
export interface JsonRpcOptions extends http.HttpOptions {
  /** The path of the endpoint, with or without a slash at its end; `/` by default. */
  readonly path?: string;
}

type Id = string | number | null;

/** Serves the operations of a core over JSON-RPC 2.0. Requests for other paths are left to other handlers. */
export function jsonRpcHandler(core: Core, options: JsonRpcOptions = {}): http.HttpPart {
  const endpoint = new Endpoint(core, http.limitsOf(options));
  const path = http.basePath(options.path ?? "/");
  return (request) => {
    const target = http.splitTarget(request.url);
    if (target.path !== path && target.path !== `${path}/`) return undefined;
    return endpoint.answer(request, target.query);
  };
}

class Endpoint {
  readonly #core: Core;
  readonly #limits: Required<http.HttpOptions>;
  readonly #methods: ReadonlyMap<unknown, Operation>;

  constructor(core: Core, limits: Required<http.HttpOptions>) {
    this.#core = core;
    this.#limits = limits;
    this.#methods = new Map(core.operations.map((operation) => [operation.jsonRpc, operation]));
  }

  /** Answers a request for the endpoint. Never throws. */
  async answer(request: http.HttpRequest, query: string): Promise<http.HttpAnswer> {
    let id: Id = null;
    let call: Call | undefined;
    try {
      this.#checkHead(request);
      const { parsedBody } = request;
      const envelope = parsedBody === undefined ? this.#parsed(await this.#text(request)) : parsedBody;
      if (isObject(envelope)) id = idOf(envelope["id"]);
      const method = this.#method(envelope, id);
      const operation = this.#operation(method);
      const params = isObject(envelope) && "params" in envelope ? envelope["params"] : {};
      call = this.#core.call({
        operation,
        binding: this.#core.protocol.bindings.jsonRpc,
        headers: request.headers,
        version: this.#version(query),
        legacy: this.#core.legacy,
        onClose: (listener) => {
          request.onClose(listener);
        },
      });
      const source = { mode: "json", read: () => this.#params(params, operation, method) } as const;
      if (operation.streaming !== "none") return await this.#stream(call, id, source);
      const result = await this.#core.unary(call, source);
      return { status: 200, headers: this.#headers(call), body: JSON.stringify({ jsonrpc: "2.0", id, result }) };
    } catch (thrown) {
      return this.#refuse(this.#core.failure(thrown, call), id, call);
    }
  }

  async #stream(call: Call, id: Id, source: RequestSource): Promise<http.HttpAnswer> {
    const { keepAliveMs } = this.#limits;
    const stream = await this.#core.stream(call, source, keepAliveMs);
    return eventAnswer(stream, this.#activated(call), {
      event: (result) => JSON.stringify({ jsonrpc: "2.0", id, result }),
      error: (thrown) => this.#error(this.#core.failure(thrown, call), id),
      keepAliveMs,
    });
  }

  /** Refuses a request whose body cannot be one of JSON-RPC. */
  #checkHead(request: http.HttpRequest): void {
    const { errors, protocol } = this.#core;
    if (request.method !== "POST") throw new errors.invalidRequest("JSON-RPC needs POST", { httpStatus: 405 });
    if (!http.hasMediaType(request.headers, protocol.mediaTypes.accept)) {
      throw new errors.contentType(undefined, { httpStatus: 415 });
    }
  }

  #text(request: http.HttpRequest): Promise<string> {
    return http.readBody(request, this.#limits.maxBodyBytes, this.#core.errors);
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new this.#core.errors.parse();
    }
  }

  #method(envelope: unknown, id: Id): string {
    const { errors } = this.#core;
    if (Array.isArray(envelope)) throw new errors.invalidRequest("Batches are not part of the protocol");
    if (!isObject(envelope)) throw new errors.invalidRequest("A request is a JSON object");
    if (envelope["jsonrpc"] !== "2.0") throw new errors.invalidRequest('A request says "jsonrpc": "2.0"');
    if (id === null)
      throw new errors.invalidRequest("A request has an id that is a string or a whole number of at most 53 bits");
    const method = envelope["method"];
    if (typeof method !== "string") throw new errors.invalidRequest("A request names its method");
    return method;
  }

  #operation(method: string): Operation {
    const { errors, legacy } = this.#core;
    const known = this.#methods.get(method);
    if (known !== undefined) return known;
    const present = legacy?.method(method);
    const operation = present === undefined ? undefined : this.#methods.get(present.now);
    if (operation === undefined || present?.problem !== undefined) throw new errors.methodNotFound(present?.problem);
    return operation;
  }

  /** The version that the query names. Callers that use old names do not name theirs. */
  #version(query: string): string | undefined {
    const { protocol, options, legacy } = this.#core;
    const asked = http.queryParameter(query, protocol.headers.version);
    const isNamed = asked !== undefined && asked !== "";
    return legacy === undefined || options.assumeVersion !== undefined || isNamed ? asked : protocol.version;
  }

  #params(params: unknown, operation: Operation, method: string): unknown {
    const { errors, legacy } = this.#core;
    if (!isObject(params)) throw invalidField("", "The params of a request are an object", errors);
    if (legacy === undefined) return params;
    try {
      return legacy.params(operation.name, params, method);
    } catch (thrown) {
      throw toInvalidParams(thrown, errors);
    }
  }

  #refuse(error: A2AError, id: Id, call: Call | undefined): http.HttpAnswer {
    const { httpStatus } = error;
    const status = ownStatuses.includes(httpStatus) || (call === undefined && httpStatus === 415) ? httpStatus : 200;
    const body = this.#error(error, id);
    const { streamErrors } = this.#core.protocol;
    if (status === 200 && streamErrors === "event" && call !== undefined && call.operation.streaming !== "none") {
      return errorEvent(body, this.#activated(call));
    }
    const headers = { ...this.#headers(call), ...http.refusalHeaders(status, this.#core.options.challenge) };
    if (status === 405) headers["allow"] = "POST";
    return { status, headers, body };
  }

  #error(error: A2AError, id: Id): string {
    return JSON.stringify({ jsonrpc: "2.0", id, error: this.#core.errorWriter.jsonRpc(error, this.#core.errors) });
  }

  #headers(call: Call | undefined): Record<string, string> {
    const headers: Record<string, string> = call?.activated === undefined ? {} : this.#activated(call);
    headers["content-type"] = "application/json";
    return headers;
  }

  #activated({ activated }: Call): Record<string, string> {
    return activated === undefined ? {} : { [this.#core.protocol.headers.extensions]: activated };
  }
}

/** The statuses with which HTTP itself speaks; the errors of JSON-RPC come with 200. */
const ownStatuses: readonly number[] = [401, 403, 405, 413];

function idOf(id: unknown): Id {
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
}
