import { A2AError, fromHttpError, type ErrorTable } from "../error.js";
import { isObject } from "../json.js";
import type { HttpRoute, Operation, ProtocolFacts } from "../operation.js";
import { routeFields } from "../route.js";
import { isPrecise, refusal, send, type HttpAnswer, type HttpOptions } from "./http.js";
import { placeRequest, type PlacedRequest } from "./request.js";
import { TransportError, type Call, type Transport } from "./transport.js";

/** What the transport over HTTP+JSON needs. */
export interface RestTransportOptions extends HttpOptions {
  /** The base of all routes of the agent; it may have a path and a query. */
  readonly url: string;
  readonly protocol: ProtocolFacts;
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
}

/**
 * Gives a transport that sends each call to the HTTP route of its operation, and reads streams as server-sent events.
 * Where the agent answers 404 or 405, and the operation has another verb to fall back on, that is tried once. A call
 * whose request does not fit its route throws the error for invalid params and is not sent.
 */
export function createRestTransport(options: RestTransportOptions): Transport {
  const { url, protocol, errors, operations } = options;
  const base = new URL(url);
  const routes = new Map(operations.map(({ name, http = [] }) => [name, http]));
  const binding = protocol.bindings.http;
  const contentType = protocol.mediaTypes.http;
  const json = [...new Set([contentType, "application/json"])].join(", ");

  async function follow(call: Call, route: HttpRoute, accept: string): Promise<HttpAnswer> {
    const { path, query, body } = place(call, route, errors);
    const target = join(base, path, query);
    const request = { method: route.verb, url: target, headers: { ...call.headers, accept }, signal: call.signal };
    if (body === undefined) return send(request, options);
    const headers = { ...request.headers, "content-type": contentType };
    return send({ ...request, headers, body: JSON.stringify(body) }, options);
  }

  /** Sends the call by the first of the routes, and by the next where the agent does not know that one. */
  async function begin(call: Call, routes: readonly HttpRoute[], accept: string): Promise<[HttpAnswer, HttpRoute]> {
    const [route, ...others] = routes;
    if (route === undefined)
      throw new TransportError(`${binding} has no ${call.operation.name}`, { url, unsent: true });
    const answer = await follow(call, route, accept);
    const { ok, status } = answer.response;
    if (ok) return [answer, route];
    const error = await refusal(answer, errors, (body) => errorOf(status, body, errors));
    if (others.length > 0 && isUnknownRoute(status, error, errors)) return begin(call, others, accept);
    throw error;
  }

  return {
    binding,
    carries: ({ name }) => (routes.get(name)?.length ?? 0) > 0,
    async unary(call) {
      const [answer, route] = await begin(call, routesOf(call, routes, protocol.tenant), json);
      return unwrap(route, (await answer.json()) ?? {});
    },
    async *stream(call) {
      const [answer, route] = await begin(call, routesOf(call, routes, protocol.tenant), `text/event-stream, ${json}`);
      const events = answer.streams ? answer.events() : [await answer.json()];
      for await (const event of events) {
        const error = isErrorEvent(event, call) ? errorOf(event.error.code, event, errors) : undefined;
        if (error !== undefined) throw error;
        yield unwrap(route, event);
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

function place(call: Call, route: HttpRoute, errors: ErrorTable): PlacedRequest {
  try {
    return placeRequest(route, call.request);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new errors.invalidParams(`${call.operation.name}: ${reason}`, { cause });
  }
}

function join({ origin, pathname, search }: URL, path: string, query: readonly string[]): string {
  const parameters = [...(search.length > 1 ? [search.slice(1)] : []), ...query].join("&");
  return `${origin}${pathname.replace(/\/$/, "")}${path}${parameters === "" ? "" : `?${parameters}`}`;
}

function errorOf(status: number, body: unknown, errors: ErrorTable): A2AError | undefined {
  return isObject(body) && isObject(body["error"]) ? fromHttpError(status, body, errors) : undefined;
}

/** Tells whether a refusal is about the verb or the path, and not about what the request asks for. */
function isUnknownRoute(status: number, error: Error, errors: ErrorTable): boolean {
  if (status !== 404 && status !== 405) return false;
  return !(error instanceof A2AError && error.reason !== errors.methodNotFound.row.reason && isPrecise(error, errors));
}

/** Tells whether an event says that the stream has failed; a response with a field of that name is none. */
function isErrorEvent(event: unknown, { operation }: Call): event is { error: { code: number } } {
  if (!isObject(event) || !isObject(event["error"]) || operation.response.field?.("error") !== undefined) return false;
  return typeof event["error"]["code"] === "number";
}

/** Puts the body of an answer into the field of the response that it stands for. */
function unwrap({ responseBody }: HttpRoute, body: unknown): unknown {
  return responseBody === undefined ? body : { [responseBody]: body };
}
