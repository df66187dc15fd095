import type { A2AError } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type { HttpRoute, Operation } from "../../protocol/operation.js";
import type { RestJson } from "./rest-json.js";
import { Router, type RouteVariable } from "./route.js";
import type { Call } from "../../server/context.js";
import type { Core, RequestSource } from "../../server/core.js";
import { eventAnswer } from "../../server/event-body.js";
import * as http from "../../http/server.js";
import { addQuery, addVariables, withBody, type RawRequest } from "./server-request.js";

/** Where and how HTTP+JSON is served. */
export interface RestOptions extends http.HttpOptions {
  /** The path that goes before every route; empty by default. */
  readonly path?: string;
  /** Whether to leave requests that no route fits to other handlers instead of answering them; `false` by default. */
  readonly passUnknown?: boolean;
}

interface Target {
  readonly operation: Operation;
  readonly route: HttpRoute;
}

/**
 * Serves the operations of a core over HTTP+JSON. Requests outside of its path are left to other handlers. `json` says how
 * requests and responses look where they are not the JSON of the model.
 */
export function restHandler(core: Core, options: RestOptions = {}, json?: RestJson): http.HttpPart {
  const routes = new Routes(core, http.limitsOf(options), json);
  const base = http.basePath(options.path ?? "");
  return (request) => {
    const { path, query } = http.splitTarget(request.url);
    if (!path.startsWith(`${base}/`)) return undefined;
    const found = routes.find(request.method, path.slice(base.length));
    if (found === undefined) return options.passUnknown === true ? undefined : Promise.resolve(routes.unknown());
    if (found.allow !== undefined) return Promise.resolve(routes.otherVerb(found.allow));
    return routes.answer(request, found.target, found.variables, query);
  };
}

class Routes {
  readonly #core: Core;
  readonly #limits: Required<http.HttpOptions>;
  readonly #json: RestJson | undefined;
  readonly #router: Router<Target>;

  constructor(core: Core, limits: Required<http.HttpOptions>, json: RestJson | undefined) {
    this.#core = core;
    this.#limits = limits;
    this.#json = json;
    this.#router = new Router(
      core.operations.flatMap((operation) =>
        (operation.http ?? []).map((route) => ({ verb: route.verb, path: route.path, target: { operation, route } })),
      ),
    );
  }

  find(verb: string, path: string): ReturnType<Router<Target>["match"]> {
    return this.#router.match(verb, path);
  }

  unknown(): http.HttpAnswer {
    return this.#refuse(new this.#core.errors.methodNotFound(), undefined);
  }

  otherVerb(allow: readonly string[]): http.HttpAnswer {
    const verbs = allow.join(", ");
    const error = new this.#core.errors.methodNotFound(`The path takes ${verbs}`, { httpStatus: 405 });
    const answer = this.#refuse(error, undefined);
    return { ...answer, headers: { ...answer.headers, allow: verbs } };
  }

  /** Answers a request for a route. Never throws. */
  async answer(
    request: http.HttpRequest,
    target: Target,
    variables: readonly RouteVariable[],
    query: string,
  ): Promise<http.HttpAnswer> {
    const { protocol } = this.#core;
    const call = this.#core.call({
      operation: target.operation,
      binding: protocol.bindings.http,
      headers: request.headers,
      version: http.queryParameter(query, protocol.headers.version),
      onClose: (listener) => {
        request.onClose(listener);
      },
    });
    try {
      return await this.#make(call, target, {
        mode: target.route.body === "*" ? "json" : "text",
        read: () => this.#request(request, target, variables, query),
        ...this.#json?.request(target.operation),
      });
    } catch (thrown) {
      return this.#refuse(this.#core.failure(thrown, call), call);
    }
  }

  async #make(call: Call, { route }: Target, source: RequestSource): Promise<http.HttpAnswer> {
    const json = this.#json;
    const written = (response: unknown): unknown =>
      json === undefined
        ? response
        : this.#core.written(response, call, (value) => json.writeResponse(call.operation, value));
    const write = (response: unknown): string => JSON.stringify(bodyOf(written(response) ?? {}, route));
    if (call.operation.streaming === "none") {
      const response = await this.#core.unary(call, source);
      return { status: 200, headers: this.#headers(call), body: write(response) };
    }
    const { keepAliveMs } = this.#limits;
    const stream = await this.#core.stream(call, source, keepAliveMs);
    return eventAnswer(stream, this.#activated(call), {
      event: write,
      error: (thrown) => this.#error(this.#core.failure(thrown, call)),
      keepAliveMs,
    });
  }

  /** Puts the request together from path, query and body. */
  async #request(
    request: http.HttpRequest,
    { operation, route }: Target,
    variables: readonly RouteVariable[],
    query: string,
  ): Promise<unknown> {
    const { errors } = this.#core;
    // Where a fallback is posted to, it is for callers that put into the body what belongs into the query.
    const field = route.body ?? (route.use === "fallback" && route.verb === "POST" ? "*" : undefined);
    const body = field === undefined ? undefined : await this.#body(request);
    const add = (raw: RawRequest): RawRequest => {
      if (route.body !== "*") addQuery(raw, query, this.#json?.fields(operation) ?? operation.request, errors);
      addVariables(raw, variables, errors);
      return raw;
    };
    // A body that is the whole request needs no copy to put something into.
    const isWhole = route.body === "*" && variables.length === 0 && isObject(body);
    const whole = isWhole ? body : add(withBody(field, body, errors));
    return this.#json === undefined
      ? whole
      : { whole, placed: add(withBody(undefined, undefined, errors)), body, field };
  }

  /** Reads the body of a request as JSON; an empty one is an empty object. */
  async #body(request: http.HttpRequest): Promise<unknown> {
    const { errors, protocol } = this.#core;
    const typed = http.hasMediaType(request.headers, protocol.mediaTypes.accept);
    if (!typed && request.headers.get("content-type") !== undefined) throw new errors.contentType();
    if (request.parsedBody !== undefined) return request.parsedBody;
    const text = await http.readBody(request, this.#limits.maxBodyBytes, errors);
    if (text === "") return {};
    if (!typed) throw new errors.contentType();
    try {
      return JSON.parse(text);
    } catch {
      throw new errors.parse();
    }
  }

  #refuse(error: A2AError, call: Call | undefined): http.HttpAnswer {
    const status = error.httpStatus;
    const headers = { ...this.#headers(call), ...http.refusalHeaders(status, this.#core.options.challenge) };
    return { status, headers, body: this.#error(error) };
  }

  #error(error: A2AError): string {
    return JSON.stringify(this.#core.errorWriter.http(error, this.#core.errors));
  }

  #headers(call: Call | undefined): Record<string, string> {
    const headers = call === undefined ? {} : this.#activated(call);
    headers["content-type"] = this.#core.protocol.mediaTypes.http;
    return headers;
  }

  #activated({ activated }: Call): Record<string, string> {
    return activated === undefined ? {} : { [this.#core.protocol.headers.extensions]: activated };
  }
}

function bodyOf(response: unknown, { responseBody }: HttpRoute): unknown {
  return responseBody !== undefined && isObject(response) ? (response[responseBody] ?? null) : response;
}
