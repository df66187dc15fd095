import { isObject } from "../../base/json.js";
import * as http from "../../http/server.js";
import { A2AError } from "../../protocol/error.js";
import type { HttpRoute, Operation } from "../../protocol/operation.js";
import type { Core } from "../../server/core.js";
import type { OpenedRequest } from "../../server/request.js";
import { eventResponse } from "../../server/event-body.js";
import type { Exchange } from "../../server/exchange.js";
import { jsonOf, Prepared, preparedValue } from "../../server/prepared.js";
import type { CallVersion } from "../../server/adapter.js";
import { shorten } from "../../protocol/version.js";
import type { RestJson } from "../../protocol/rest-json.js";
import { Router, routeShape, type Route, type RouteMatch, type RouteVariable } from "./route.js";
import {
  addQuery,
  addVariables,
  emptyBody,
  isWholeRequest,
  withBody,
  type RawRequest,
  type UrlFields,
} from "./server-request.js";

/** Options for serving HTTP+JSON. */
export interface RestOptions extends http.HttpLimits {
  /** The prefix of every route; empty by default. */
  readonly path?: string;
  /** Whether a request is passed to other handlers if no route matches; `false` by default. */
  readonly passUnknown?: boolean;
  /**
   * All services of the server, by their names. A request then belongs to the service with the most
   * specific route. By default, the handler has no neighbours.
   *
   * @internal
   */
  readonly cores?: ReadonlyMap<string, Core>;
}

interface Target {
  readonly core: Core;
  readonly operation: Operation;
  readonly route: HttpRoute;
}

/** The route that matches the path of a request, in the version of the call. */
type Match = RouteMatch<Target> | undefined;

/** A request and its exchange. */
interface Incoming {
  readonly request: http.HttpRequest;
  readonly exchange: Exchange;
  /** The path below the prefix of the handler. */
  readonly path: string;
  readonly query: string;
}

/**
 * Serves the operations of a core over HTTP+JSON. Ignores requests for paths outside its prefix.
 * `json` is required if requests and responses do not use the JSON of the model. Throws a
 * `TypeError` if two services of the server have the same route.
 */
export function restHandler(core: Core, options: RestOptions = {}, json?: RestJson): http.HttpPart {
  const routes = new Routes(core, options, json);
  const base = http.basePath(options.path ?? "");
  return (request, isProbe) => {
    const { path, query } = http.splitTarget(request.url);
    if (!path.startsWith(`${base}/`)) return undefined;
    const exchange = routes.begin(request, query);
    // The URL in a card may end with a slash. Some callers then append the path of a route, which
    // also begins with a slash.
    const inner = path.slice(base.length).replace(/^\/+/, "/");
    const found = routes.find(exchange, request.method, inner);
    if (found === undefined && options.passUnknown === true) return undefined;
    return isProbe === true
      ? http.probed()
      : routes.respond({ request, exchange, path: inner, query }, found);
  };
}

class Routes {
  readonly #core: Core;
  readonly #limits: http.HeldLimits;
  readonly #json: ReadonlyMap<CallVersion, RestJson | undefined>;
  readonly #routers: ReadonlyMap<CallVersion, Router<Target>>;

  constructor(core: Core, options: RestOptions, json: RestJson | undefined) {
    const { cores } = options;
    this.#core = core;
    this.#limits = http.limitsOf(options, core.callers);
    this.#json = new Map(
      core.versions.map((version) => [version, version.adapter ? version.restJson : json]),
    );
    this.#routers = new Map(
      core.versions.map((version) => [
        version,
        cores === undefined ? new Router(routesOf(version, core)) : commonRouter(cores),
      ]),
    );
  }

  begin(request: http.HttpRequest, query: string): Exchange {
    const { protocol } = this.#core;
    return this.#core.begin({
      binding: protocol.bindings.http,
      headers: request.headers,
      source: request,
      version: protocol.headers && http.queryParameter(query, protocol.headers.version),
    });
  }

  /**
   * Selects a version that has a route for the path, and returns the match. Prefers a version in
   * which the route also has the HTTP method of the request.
   */
  find(exchange: Exchange, method: string, path: string): Match {
    const matchIn = (version: CallVersion): Match => {
      const match = this.#routers.get(version)?.match(method, path);
      const { core } = match?.target ?? match?.other ?? {};
      return core === this.#core ? match : undefined;
    };
    const matchWithMethod = exchange.choose((version) => {
      const match = matchIn(version);
      return match?.target === undefined ? undefined : match;
    });
    return matchWithMethod ?? exchange.choose(matchIn);
  }

  /**
   * Responds to a request. Callers of unknown paths are also authenticated, so that unauthenticated
   * callers cannot detect which paths exist. Responses do not allow caches to store private data.
   * Never throws.
   */
  async respond(incoming: Incoming, found: Match): Promise<http.HttpResponse> {
    const response = await this.#answer(incoming, found);
    if (incoming.request.method === "GET" || response.status !== 200)
      response.headers["cache-control"] ??= "no-store";
    return response;
  }

  async #answer(incoming: Incoming, found: Match): Promise<http.HttpResponse> {
    const { exchange } = incoming;
    const call = await this.#core.accept(exchange, () => this.#open(incoming, found));
    if (call instanceof A2AError) return this.#error(call, exchange, found);
    const write = this.#writer(exchange, found);
    if (call.operation.streaming === "none") {
      const writing = this.#core.unary(call, write);
      const body = writing instanceof Promise ? await writing : writing;
      if (body instanceof A2AError) return this.#error(body, exchange);
      return { status: 200, headers: this.#headers(exchange), body };
    }
    const { keepAliveMs } = this.#limits;
    const stream = await this.#core.stream(call, write, keepAliveMs);
    if (stream instanceof A2AError) return this.#error(stream, exchange);
    const error = (thrown: A2AError): string => this.#errorBody(thrown, exchange);
    return eventResponse(stream, exchange.headersToSend(), {
      around: ["", ""],
      error,
      keepAliveMs,
      lines: linesOf(exchange),
    });
  }

  #open(incoming: Incoming, found: Match): OpenedRequest {
    const { version } = incoming.exchange;
    const { errors } = version;
    if (found === undefined)
      throw new (errors.pathNotFound ?? errors.methodNotFound)(this.#advice(incoming), {
        grpcStatus: "NOT_FOUND",
      });
    if (found.target === undefined)
      throw new errors.methodNotFound(`The path only supports ${found.allow.join(", ")}`, {
        httpStatus: 405,
      });
    const { target, variables } = found;
    const json = this.#json.get(version);
    return {
      operation: target.operation,
      // A conversion reads path, query and body at once.
      mode: json === undefined || target.route.body === "*" ? "json" : "text",
      read: () => this.#request(incoming, target, variables),
      ...json?.request(target.operation),
    };
  }

  /**
   * Returns the message for an unknown path. It lists the served versions, because their paths
   * differ.
   */
  #advice({ request: { method }, exchange, path }: Incoming): string {
    // Some libraries add a slash to each path, or escape the colon in its last segment.
    const bare = path.replace(/\/$/, "");
    const last = bare.lastIndexOf("/") + 1;
    const usual = bare.slice(0, last) + bare.slice(last).replace(/%3a/i, ":");
    const isKnown =
      usual === this.#core.discovery.path || this.find(exchange, method, usual) !== undefined;
    if (usual !== path && isKnown) return `The path is unknown: use ${shorten(usual, 200)}`;
    const { version, headers } = exchange.version.protocol;
    const paths = [...this.#core.jsonRpcPaths].join(", ");
    const rpc = paths === "" ? "" : `; JSON-RPC is served at the path ${paths}`;
    if (headers === undefined) return "The path is unknown";
    return (
      `The path is unknown in version ${version}${this.#core.versionHint(exchange)}; the agent serves ` +
      `${this.#core.served.join(", ")}${rpc}`
    );
  }

  #writer({ version }: Exchange, found: Match): (response: unknown) => string {
    const json = this.#json.get(version);
    const target = found?.target;
    const operation = target?.operation;
    const responseBody = target?.route.responseBody;
    return (response) => {
      if (response instanceof Prepared && json === undefined && responseBody === undefined)
        return response.json;
      const value = preparedValue(response);
      const isModel = json === undefined || operation === undefined;
      const written = isModel ? value : json.writeResponse(operation, value);
      return jsonOf(memberOf(written ?? {}, responseBody));
    };
  }

  /** Assembles the request from path, query and body. */
  #request(
    { request, exchange, query }: Incoming,
    { operation, route }: Target,
    variables: readonly RouteVariable[],
  ): unknown {
    const { version } = exchange;
    const { errors } = version;
    const json = this.#json.get(version);
    if (isUndeclaredPost(request, version)) throw mediaTypeError(request, version);
    // A fallback route with POST exists for callers that send the query parameters in the body.
    const isPostFallback = route.use === "fallback" && route.method === "POST";
    const declared = route.body ?? (isPostFallback ? "*" : undefined);
    const type = json?.fields(operation) ?? operation.request;
    const assembled = (given: unknown): unknown => {
      const body = given ?? emptyBody(declared, type);
      // If the body is the whole request, it is not copied, because nothing is added to it.
      const isWhole = declared === "*" && variables.length === 0 && isObject(body);
      if (isWhole && json === undefined) return body;
      const field = isWholeRequest(body, declared, type) ? "*" : declared;
      const others = operation.spellings?.map(({ name }) => name);
      const fields: UrlFields = { type, isModel: json === undefined, body: route.body, others };
      const add = (raw: RawRequest): RawRequest => {
        if (route.body !== "*") addQuery(raw, query, fields, errors);
        addVariables(raw, variables, fields, errors);
        return raw;
      };
      const whole = isWhole ? body : add(withBody(field, body, errors));
      if (json === undefined) return whole;
      const fromUrl = add(withBody(undefined, undefined, errors));
      return { whole, fromUrl, body, field };
    };
    return declared === undefined ? assembled(undefined) : this.#body(request, exchange, assembled);
  }

  /** Passes the body of a request as JSON to `use`; `undefined` or `null` if it is empty. */
  #body(request: http.HttpRequest, caller: Exchange, use: (body: unknown) => unknown): unknown {
    const { errors, protocol } = caller.version;
    const isTyped = http.hasMediaType(request.headers, protocol.mediaTypes.accept);
    if (!isTyped && request.headers.get("content-type") !== undefined)
      throw mediaTypeError(request, caller.version);
    if (request.parsedBody !== undefined) return use(request.parsedBody);
    const parsed = (text: string): unknown => {
      if (text === "") return undefined;
      if (!isTyped) throw mediaTypeError(request, caller.version);
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new errors.parse();
      }
    };
    return http.readBody(
      { request, caller, errors, use: (text) => use(parsed(text)) },
      this.#limits,
    );
  }

  #error(error: A2AError, exchange: Exchange, found?: Match): http.HttpResponse {
    const status = error.httpStatus;
    const headers = {
      ...this.#headers(exchange),
      ...http.errorHeaders(status, this.#core.challenge, error),
    };
    const { retryAfterSeconds } = error;
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    if (status === 405 && found?.allow !== undefined) headers["allow"] = found.allow.join(", ");
    return { status, headers, body: this.#errorBody(error, exchange) };
  }

  #errorBody(error: A2AError, exchange: Exchange): string {
    const { errorWriter, errors } = exchange.version;
    return JSON.stringify(errorWriter.http(error, errors));
  }

  #headers(exchange: Exchange): Record<string, string> {
    const headers = exchange.allHeadersToSend();
    const { http: own, accept: types } = exchange.version.protocol.mediaTypes;
    headers["content-type"] = http.acceptedType(exchange.headers.get("accept"), own, types);
    return headers;
  }
}

const events = "text/event-stream";

/** Returns the media type of lines if the caller prefers lines to server-sent events. */
function linesOf({ headers, version }: Exchange): string | undefined {
  const { lines } = version.protocol.mediaTypes;
  if (lines === undefined) return undefined;
  const type = http.acceptedType(headers.get("accept"), events, [lines, events]);
  return type === events ? undefined : type;
}

/**
 * Returns whether a page from another origin posts a request without a media type of the protocol.
 * Browsers send such a request without a preflight, possibly with cookies, and always with the
 * header `Origin`. Other callers may omit the media type if the body is empty.
 */
function isUndeclaredPost(
  { method, headers }: http.HttpRequest,
  { protocol }: CallVersion,
): boolean {
  if (method !== "POST") return false;
  const site = headers.get("sec-fetch-site") ?? "none";
  const isSameSite = site === "none" || site === "same-origin";
  if (isSameSite && headers.get("origin") === undefined) return false;
  return !http.hasMediaType(headers, protocol.mediaTypes.accept);
}

/** Returns the error for a request whose body does not have a media type of the protocol. */
function mediaTypeError(
  { headers }: http.HttpRequest,
  { errors, protocol }: CallVersion,
): A2AError {
  return new errors.contentType(http.mediaTypeProblem(headers, protocol.mediaTypes.accept));
}

function routesOf({ operations }: CallVersion, core: Core): Route<Target>[] {
  return operations.flatMap((operation) =>
    (operation.http ?? []).map((route) => ({
      method: route.method,
      path: route.path,
      target: { core, operation, route },
    })),
  );
}

/** The routers of servers, by their services, so that the services of a server share one router. */
const routers = new WeakMap<ReadonlyMap<string, Core>, Router<Target>>();

/** Returns a router for all services. Throws a `TypeError` if two services have the same route. */
function commonRouter(cores: ReadonlyMap<string, Core>): Router<Target> {
  const known = routers.get(cores);
  if (known !== undefined) return known;
  const owners = new Map<string, string>();
  const all: Route<Target>[] = [];
  for (const [name, core] of cores)
    for (const route of core.versions.flatMap((version) => routesOf(version, core))) {
      const shape = `${route.method} ${routeShape(route.path)}`;
      const owner = owners.get(shape) ?? name;
      if (owner !== name)
        throw new TypeError(
          `${route.method} ${route.path} is a route of ${owner} and of ${name}: change one of the ` +
            "two routes, or serve the services on two servers",
        );
      owners.set(shape, name);
      all.push(route);
    }
  const router = new Router(all);
  routers.set(cores, router);
  return router;
}

/** Returns the field of a response that is the HTTP body, or the whole response. */
function memberOf(response: unknown, field: string | undefined): unknown {
  return field !== undefined && isObject(response) ? (response[field] ?? null) : response;
}
