import type { ErrorTable, HttpErrorReader } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type {
  ClientOperation,
  HttpRoute,
  ServiceFacts,
  RestOperation,
} from "../../protocol/operation.js";
import { readResponse } from "../../protocol/response.js";
import type { Type } from "../../schema/schema.js";
import type { RestJson } from "../../protocol/rest-json.js";
import { routeFields } from "./route.js";
import { errorOf, send, type HttpOptions, type ReceivedResponse } from "../../http/client.js";
import type { Attempt, Failure, Form, Outcome, Success } from "./client-repeat.js";
import { fitsRoute, splitRequest, type SplitRequest } from "./client-request.js";
import {
  reportHead,
  spelledOut,
  TransportError,
  type Call,
  type Transport,
} from "../../protocol/transport.js";

/** Options for the transport over HTTP+JSON. */
export interface RestTransportOptions extends HttpOptions {
  /** The base URL of all routes of the agent. It may have a path and a query. */
  readonly url: string;
  readonly protocol: ServiceFacts;
  readonly operations: readonly RestOperation[];
  readonly errors: ErrorTable;
  readonly readError: HttpErrorReader;
  /** The JSON of requests and responses; by default the JSON of the model. */
  readonly json?: RestJson | undefined;
}

/**
 * Returns a transport that sends each call to the HTTP route of its operation, and reads streams as
 * server-sent events. If the agent responds with 404, 405 or 501, and the operation has a fallback
 * route, that route is tried once. If a request does not match its route, the call throws the error
 * for invalid params, and the request is not sent. If the agent cannot read a request, the request
 * is sent again in other forms: first with the whole request in the body, and then, if `json` is
 * set, in the JSON of the model. After a form has succeeded, later calls use this form first.
 * Similarly, after the agent has rejected the media type of the protocol with status 415, requests
 * are sent as plain JSON.
 */
export function createRestTransport(options: RestTransportOptions): Transport {
  return new RestTransport(options);
}

/** The media type that every agent supports. */
const plainJson = "application/json";

class RestTransport implements Transport {
  readonly #options: RestTransportOptions;
  readonly #base: URL;
  readonly #operations: ReadonlyMap<string, RestOperation>;
  readonly #accept: string;
  /**
   * The media type of requests: the protocol's media type, or plain JSON after the agent has
   * rejected that type.
   */
  #mediaType: string;
  /**
   * The last form that the agent has accepted. Calls in progress keep the form that they started
   * with.
   */
  #known: Form = "binding";

  constructor(options: RestTransportOptions) {
    this.#options = options;
    this.#base = new URL(options.url);
    this.#operations = new Map(options.operations.map((operation) => [operation.name, operation]));
    this.#mediaType = options.protocol.mediaTypes.http;
    this.#accept = [...new Set([this.#mediaType, plainJson])].join(", ");
  }

  get binding(): string {
    return this.#options.protocol.bindings.http;
  }

  carries({ name }: ClientOperation): boolean {
    return (this.#operations.get(name)?.http?.length ?? 0) > 0;
  }

  async unary(call: Call): Promise<unknown> {
    const { received, route } = await this.#send(call, this.#accept);
    return this.#read(call, route, (await received.json(call.checkText)) ?? {});
  }

  async *stream(call: Call): AsyncGenerator<unknown, void, undefined> {
    const { errors, protocol, readError } = this.#options;
    const { lines } = protocol.mediaTypes;
    // Events have precedence over lines, because their comments keep an idle stream open.
    const accept = lines === undefined ? this.#accept : `${lines};q=0.9, ${this.#accept}`;
    const { received, route } = await this.#send(call, `text/event-stream, ${accept}`);
    const type = received.response.headers.get("content-type")?.toLowerCase();
    const isLines = lines !== undefined && type?.startsWith(lines) === true;
    const isAnswer = (value: unknown): boolean => this.#isAnswer(call, route, value);
    const mayBeEmpty = protocol.emptyStreams;
    const events =
      isLines || received.streams
        ? await received.events({ call, isLines, isAnswer, mayBeEmpty })
        : [await received.json()];
    // If the type of the response has a field with one of these names, an event with this field is
    // not an error.
    const has = this.#memberTest(call.operation);
    const isResponse = has !== undefined && readError.members.some(has);
    for await (const event of events) {
      const error = isResponse ? undefined : readError.read(event, errors);
      if (error !== undefined) throw error;
      yield this.#read(call, route, event);
    }
  }

  async #send(call: Call, accept: string): Promise<Success> {
    const { protocol, url } = this.#options;
    const operation = this.#operations.get(call.operation.name);
    const routes = routesOf(call.request, operation?.http, protocol.tenant);
    const route = routes.at(0);
    if (operation === undefined || route === undefined)
      throw new TransportError(`${this.binding} does not support ${call.operation.name}`, {
        url,
        unsent: true,
      });
    const spelled = { ...call, request: spelledOut(call.request, operation) };
    const attempt = { call: spelled, route, accept, form: this.#known };
    const outcome = await this.#attempt(attempt);
    return "error" in outcome ? this.#repeat(attempt, outcome, routes) : outcome;
  }

  async #repeat(
    attempt: Attempt,
    failure: Failure,
    routes: readonly HttpRoute[],
  ): Promise<Success> {
    const { errors, json } = this.#options;
    // Only failed calls load this module. Without it, the call cannot be repeated.
    const { repeat } = await import("./client-repeat.js").catch(() => {
      throw failure.error;
    });
    return repeat(attempt, failure, routes.slice(1), {
      errors,
      hasModel: json !== undefined,
      send: (next) => this.#attempt(next),
    });
  }

  /** Sends the call to one route in one form. */
  async #attempt(attempt: Attempt): Promise<Outcome> {
    const { errors, protocol, readError } = this.#options;
    const received = await this.#follow(attempt);
    reportHead(attempt.call, received.response.headers, protocol.headers?.extensions);
    const { ok, status } = received.response;
    if (!ok) {
      const read = (body: unknown): unknown => readError.read(body, errors, status);
      return { status, error: await errorOf(received, errors, read) };
    }
    this.#known = attempt.form;
    return { received, route: attempt.route };
  }

  /**
   * Sends a call in one form, and again as plain JSON if the agent rejects the media type of the
   * protocol.
   */
  async #follow(attempt: Attempt): Promise<ReceivedResponse> {
    const mediaType = this.#mediaType;
    const received = await this.#request(attempt, mediaType);
    const isRefused = received.response.status === 415 && attempt.route.body !== undefined;
    if (!isRefused || mediaType === plainJson) return received;
    await received.response.body?.cancel();
    const again = await this.#request(attempt, plainJson);
    // A second 415 is about the request itself, for example about the media type of a part.
    if (again.response.status !== 415) this.#mediaType = plainJson;
    return again;
  }

  async #request(
    { call, route, accept, form }: Attempt,
    mediaType: string,
  ): Promise<ReceivedResponse> {
    const { json } = this.#options;
    const { path, query, body: routeBody } = this.#split(call, route, form);
    const isModel = form === "model" && json !== undefined && routeBody !== undefined;
    const body = isModel ? json.modelBody(call.operation, call.request, route) : routeBody;
    const target = join(this.#base, path, query);
    const { headers: own, via, signal } = call;
    const request = { method: route.method, headers: { ...own, accept }, via, signal };
    if (body === undefined) return send(target, request, this.#options);
    const headers = { ...request.headers, "content-type": mediaType };
    return send(target, { ...request, headers, body: JSON.stringify(body) }, this.#options);
  }

  #split({ operation, request }: Call, route: HttpRoute, form: Form): SplitRequest {
    const { errors, json } = this.#options;
    try {
      const written = json === undefined ? request : json.writeRequest(operation, request);
      const split = splitRequest(route, written, this.#operations.get(operation.name)?.maps);
      const isWhole = form === "whole" && route.body !== undefined;
      return isWhole ? { ...split, query: [], body: written } : split;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new errors.invalidParams(`${operation.name}: ${reason}`, { cause });
    }
  }

  /**
   * Returns whether a value has a member of an error or of a response, or is valid without members.
   */
  #isAnswer({ operation }: Call, { responseBody }: HttpRoute, value: unknown): boolean {
    const { json, readError } = this.#options;
    const has = json === undefined ? this.#memberTest(operation) : undefined;
    if (responseBody !== undefined || has === undefined) return true;
    const keys = isObject(value) ? Object.keys(value) : [];
    if (keys.length === 0) return this.#operations.get(operation.name)?.mayBeEmpty === true;
    return keys.some((key) => has(key) || readError.members.includes(key));
  }

  /** Returns a function that returns whether a response has a field, if the fields are known. */
  #memberTest(operation: ClientOperation): ((name: string) => boolean) | undefined {
    const members = this.#operations.get(operation.name)?.members;
    if (members !== undefined) return (name) => members.includes(name);
    const type = this.#typeOf(operation);
    return type?.field && ((name) => type.field?.(name) !== undefined);
  }

  #typeOf({ name, response }: ClientOperation): Type<unknown> | undefined {
    return response ?? this.#operations.get(name)?.response;
  }

  #read({ operation, deviations }: Call, route: HttpRoute, value: unknown): unknown {
    const { json, errors } = this.#options;
    const response = unwrap(route, value);
    const model = this.#typeOf(operation);
    if (json === undefined || model === undefined) return response;
    const type = json.response({ name: operation.name, response: model });
    return readResponse(
      { ...operation, accepts: undefined, response: type },
      response,
      errors,
      deviations,
    );
  }
}

/**
 * Returns the route for a request and its fallback routes: the first route whose path the request
 * fits. If the request has a tenant, the routes have the tenant in the path.
 */
function routesOf(
  request: unknown,
  routes: readonly HttpRoute[] = [],
  tenantField: string | undefined,
): readonly HttpRoute[] {
  const hasTenant = tenantField !== undefined && isObject(request) && !!request[tenantField];
  const tenantRoute = hasTenant ? routes.find(({ use }) => use === "tenant") : undefined;
  const usual = routes.filter(({ use }) => use === undefined);
  const first = tenantRoute ?? usual.find((route) => fitsRoute(route, request)) ?? usual.at(0);
  if (first === undefined) return [];
  const namesTenant = ({ path }: HttpRoute): boolean =>
    routeFields(path).includes(tenantField ?? "");
  const others = routes.filter(
    (route) => route.use === "fallback" && namesTenant(route) === namesTenant(first),
  );
  return [first, ...others];
}

function join({ origin, pathname, search }: URL, path: string, query: readonly string[]): string {
  const parameters = [search.slice(1), ...query].filter((part) => part !== "").join("&");
  const base = origin + pathname.replace(/\/$/, "");
  return base + path + (parameters === "" ? "" : `?${parameters}`);
}

/** Returns the response that an HTTP body represents. The body may be one field of the response. */
function unwrap({ responseBody }: HttpRoute, body: unknown): unknown {
  return responseBody === undefined ? body : { [responseBody]: body };
}
