import { A2AError, type ErrorTable, type HttpErrorReader } from "../../protocol/error.js";
import { isObject } from "../../base/json.js";
import type { HttpRoute, Operation, ProtocolFacts } from "../../protocol/operation.js";
import type { RestJson } from "./rest-json.js";
import { routeFields } from "./route.js";
import { parseResponse } from "../../client/caller.js";
import { isPrecise, refusal, send, type HttpAnswer, type HttpOptions } from "../../http/client.js";
import { placeRequest, type PlacedRequest } from "./client-request.js";
import { TransportError, type Call, type Transport } from "../../protocol/transport.js";

/** What the transport over HTTP+JSON needs. */
export interface RestTransportOptions extends HttpOptions {
  /** The base of all routes of the agent; it may have a path and a query. */
  readonly url: string;
  readonly protocol: ProtocolFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly readError: HttpErrorReader;
  /** How requests and responses look; the JSON of the model by default. */
  readonly json?: RestJson | undefined;
}

/**
 * Gives a transport that sends each call to the HTTP route of its operation, and reads streams as server-sent events.
 * Where the agent answers 404, 405 or 501, and the operation has another verb to fall back on, that is tried once. A call
 * whose request does not fit its route throws the error for invalid params and is not sent. Where `json` makes requests
 * look other than in the model, and the agent does not take one, it is sent as in the model, and so are later ones.
 */
export function createRestTransport(options: RestTransportOptions): Transport {
  const { url, protocol, errors, operations, readError, json: dialect } = options;
  let asModel = false;
  const base = new URL(url);
  const routes = new Map(operations.map(({ name, http = [] }) => [name, http]));
  const binding = protocol.bindings.http;
  const contentType = protocol.mediaTypes.http;
  const json = [...new Set([contentType, "application/json"])].join(", ");

  async function follow(call: Call, route: HttpRoute, accept: string): Promise<HttpAnswer> {
    const { path, query, body: placed } = place(call, route, errors, dialect);
    const isModel = asModel && dialect !== undefined && placed !== undefined;
    const body = isModel ? dialect.modelBody(call.operation, call.request, route) : placed;
    const target = join(base, path, query);
    const request = { method: route.verb, headers: { ...call.headers, accept }, signal: call.signal };
    if (body === undefined) return send(target, request, options);
    const headers = { ...request.headers, "content-type": contentType };
    return send(target, { ...request, headers, body: JSON.stringify(body) }, options);
  }

  /** Sends the call by the first of the routes, and by the next where the agent does not know that one. */
  async function begin(call: Call, routes: readonly HttpRoute[], accept: string): Promise<[HttpAnswer, HttpRoute]> {
    const [route, others] = [routes.at(0), routes.slice(1)];
    if (route === undefined)
      throw new TransportError(`${binding} has no ${call.operation.name}`, { url, unsent: true });
    const answer = await follow(call, route, accept);
    const { ok, status } = answer.response;
    if (ok) return [answer, route];
    const error = await refusal(answer, errors, (body) => readError.read(body, errors, status));
    if (others.length > 0 && isUnknownRoute(status)) return await fallBack(call, others, accept, error);
    if (dialect === undefined || asModel || route.body === undefined || !isUnread(status, error, errors)) throw error;
    return await retry(call, route, accept, error);
  }

  /** Sends the call by the other routes. What the agent said first counts where it says nothing about the request now. */
  async function fallBack(
    call: Call,
    routes: readonly HttpRoute[],
    accept: string,
    first: Error,
  ): Promise<[HttpAnswer, HttpRoute]> {
    try {
      return await begin(call, routes, accept);
    } catch (error) {
      throw isAboutRequest(first, errors) && !isAboutRequest(error, errors) ? first : error;
    }
  }

  /** Sends a call that was not understood once more, in the JSON of the model; what was said first counts if that fails. */
  async function retry(call: Call, route: HttpRoute, accept: string, error: Error): Promise<[HttpAnswer, HttpRoute]> {
    asModel = true;
    const answer = await follow(call, route, accept);
    if (answer.response.ok) return [answer, route];
    asModel = false;
    await answer.response.body?.cancel();
    throw error;
  }

  function read(call: Call, route: HttpRoute, value: unknown): unknown {
    const response = unwrap(route, value);
    if (dialect === undefined) return response;
    const { operation } = call;
    return parseResponse(operation.name, dialect.response(operation), response, errors);
  }

  return {
    binding,
    carries: ({ name }) => (routes.get(name)?.length ?? 0) > 0,
    async unary(call) {
      const [answer, route] = await begin(call, routesOf(call, routes, protocol.tenant), json);
      return read(call, route, (await answer.json()) ?? {});
    },
    async *stream(call) {
      const [answer, route] = await begin(call, routesOf(call, routes, protocol.tenant), `text/event-stream, ${json}`);
      const events = answer.streams ? answer.events() : [await answer.json()];
      for await (const event of events) {
        // A response with a field of that name is none.
        const isResponse = call.operation.response.field?.(readError.member) !== undefined;
        const error = isResponse ? undefined : readError.read(event, errors);
        if (error !== undefined) throw error;
        yield read(call, route, event);
      }
    },
  };
}

type Routes = ReadonlyMap<string, readonly HttpRoute[]>;

/** The route to send a request to, and the ones to fall back on: with the tenant in the path if the request has one. */
function routesOf({ operation, request }: Call, all: Routes, tenantField: string | undefined): HttpRoute[] {
  const routes = all.get(operation.name) ?? [];
  const isPlain = (route: HttpRoute): boolean => route.use === undefined;
  const isTenant = (route: HttpRoute): boolean => route.use === "tenant";
  const hasTenant = tenantField !== undefined && isObject(request) && !!request[tenantField];
  const first = (hasTenant ? routes.find(isTenant) : undefined) ?? routes.find(isPlain);
  if (first === undefined) return [];
  const namesTenant = ({ path }: HttpRoute): boolean => routeFields(path).includes(tenantField ?? "");
  const others = routes.filter((route) => route.use === "fallback" && namesTenant(route) === namesTenant(first));
  return [first, ...others];
}

function place(call: Call, route: HttpRoute, errors: ErrorTable, json: RestJson | undefined): PlacedRequest {
  try {
    const request = json === undefined ? call.request : json.writeRequest(call.operation, call.request);
    return placeRequest(route, request);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new errors.invalidParams(`${call.operation.name}: ${reason}`, { cause });
  }
}

function join({ origin, pathname, search }: URL, path: string, query: readonly string[]): string {
  const parameters = [...(search.length > 1 ? [search.slice(1)] : []), ...query].join("&");
  return `${origin}${pathname.replace(/\/$/, "")}${path}${parameters === "" ? "" : `?${parameters}`}`;
}

/**
 * Tells whether a refusal may be about the verb or the path. One that says that something is not there may be, too: an
 * agent that knows another verb only takes the end of the path for the end of an id.
 */
function isUnknownRoute(status: number): boolean {
  return status === 404 || status === 405 || status === 501;
}

/** Tells whether an error is about what a request asks for, and not about the verb or the path. */
function isAboutRequest(error: unknown, errors: ErrorTable): boolean {
  return error instanceof A2AError && error.reason !== errors.methodNotFound.row.reason && isPrecise(error, errors);
}

/** Tells whether a refusal says that the request could not be read, and not that what it asks for cannot be. */
function isUnread(status: number, error: Error, errors: ErrorTable): boolean {
  if (status !== 400 && status !== 422) return false;
  return !(error instanceof A2AError && error.reason !== errors.invalidParams.row.reason && isPrecise(error, errors));
}

/** Puts the body of an answer into the field of the response that it stands for. */
function unwrap({ responseBody }: HttpRoute, body: unknown): unknown {
  return responseBody === undefined ? body : { [responseBody]: body };
}
