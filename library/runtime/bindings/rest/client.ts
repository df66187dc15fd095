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
import { errorOf, send, type HttpOptions, type ReceivedResponse } from "../../http/client.js";
import type { Attempt, Form, Outcome, Success } from "./client-repeat.js";
import { fitsRoute, splitRequest, type SplitRequest } from "./client-request.js";
import {
  reportHttpHead,
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
  /** Whether requests are plain JSON, because the agent has rejected the protocol's media type. */
  #isPlain: boolean;
  /**
   * The last form that the agent has accepted. Calls in progress keep the form that they started
   * with.
   */
  #known: Form | undefined;

  constructor(options: RestTransportOptions) {
    this.#options = options;
    this.#base = new URL(options.url);
    this.#operations = new Map(options.operations.map((operation) => [operation.name, operation]));
    const mediaType = options.protocol.mediaTypes.http;
    this.#isPlain = mediaType === plainJson;
    this.#accept = this.#isPlain ? plainJson : `${mediaType}, ${plainJson}`;
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
    // Only streams load this module. Without it, the call is not sent.
    const { streamFrom } = await import("./client-stream.js").catch((cause: unknown) => {
      const { url } = this.#options;
      const message = "The code that reads streams could not be loaded";
      throw new TransportError(message, { url, unsent: true, cause });
    });
    yield* streamFrom({
      call,
      options: this.#options,
      accept: this.#accept,
      operation: this.#operations.get(call.operation.name),
      type: this.#typeOf(call.operation),
      send: (accept) => this.#send(call, accept),
      read: (route, event) => this.#read(call, route, event),
    });
  }

  async #send(call: Call, accept: string): Promise<Success> {
    const { errors, json, protocol, url } = this.#options;
    const operation = this.#operations.get(call.operation.name);
    const route = routeOf(call.request, operation?.http, protocol.tenant);
    if (operation === undefined || route === undefined)
      throw new TransportError(`${this.binding} does not support ${call.operation.name}`, {
        url,
        unsent: true,
      });
    const spelled = { ...call, request: spelledOut(call.request, operation) };
    const attempt = { call: spelled, route, accept, form: this.#known, isPlain: this.#isPlain };
    const outcome = await this.#attempt(attempt);
    if (!("error" in outcome)) return outcome;
    // Only failed calls load this module. Without it, the call cannot be repeated.
    const { repeat } = await import("./client-repeat.js").catch(() => {
      throw outcome.error;
    });
    return repeat(attempt, outcome, {
      errors,
      hasModel: json !== undefined,
      routes: operation.http,
      tenant: protocol.tenant,
      send: (next) => this.#attempt(next),
    });
  }

  /** Sends the call to one route in one form. */
  async #attempt(attempt: Attempt): Promise<Outcome> {
    const { errors, protocol, readError } = this.#options;
    const received = await this.#request(attempt);
    reportHttpHead(attempt.call, received.response.headers, protocol.headers?.extensions);
    const { ok, status } = received.response;
    // A second 415 is about the request itself, for example about the media type of a part.
    this.#isPlain ||= attempt.isPlain && status !== 415;
    if (!ok) {
      const read = (body: unknown): unknown => readError.read(body, errors, status);
      return { status, error: await errorOf(received, errors, read) };
    }
    this.#known = attempt.form;
    return { received, route: attempt.route };
  }

  async #request(attempt: Attempt): Promise<ReceivedResponse> {
    const { call, route, accept, isPlain } = attempt;
    const { path, query, body } = this.#split(attempt);
    const { headers: own, via, signal } = call;
    const contentType = isPlain ? plainJson : this.#options.protocol.mediaTypes.http;
    const type = body === undefined ? {} : { "content-type": contentType };
    return send(
      join(this.#base, path, query),
      {
        method: route.method,
        headers: { ...own, accept, ...type },
        // The JSON of `undefined` is `undefined`.
        body: JSON.stringify(body),
        via,
        signal,
      },
      this.#options,
    );
  }

  #split(attempt: Attempt): SplitRequest {
    const { errors, json } = this.#options;
    const { call, route, form } = attempt;
    const { operation, request } = call;
    try {
      const written = json === undefined ? request : json.writeRequest(operation, request);
      const split = splitRequest(route, written, this.#operations.get(operation.name)?.maps);
      return form === undefined ? split : form(split, { attempt, written, json });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new errors.invalidParams(`${operation.name}: ${reason}`, { cause });
    }
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
 * Returns the route for a request: the first route whose path the request fits, or the route with
 * the tenant in the path if the request has a tenant.
 */
function routeOf(
  request: unknown,
  routes: readonly HttpRoute[] = [],
  tenantField: string | undefined,
): HttpRoute | undefined {
  const hasTenant = tenantField !== undefined && isObject(request) && !!request[tenantField];
  const tenantRoute = hasTenant ? routes.find(({ use }) => use === "tenant") : undefined;
  const usual = routes.filter(({ use }) => use === undefined);
  return tenantRoute ?? usual.find((route) => fitsRoute(route, request)) ?? usual.at(0);
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
