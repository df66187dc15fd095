import { operations, protocol } from "../../generated/1.0/operations.js";
import { operations as operations0_3 } from "../../generated/1.0/versions/0.3/operations.js";
import { trustIn } from "a2a-codegen-runtime/internal/client";
import type { HttpRoute, Operation } from "a2a-codegen-runtime/internal/core";
import { reasonOf } from "../../support/diagnostics.js";
import { isObject, member } from "../agents/findings.js";
import type { A2AClient } from "../agents/index.js";
import {
  A2AError,
  modelVersionOf,
  openClient,
  recorded,
  type AgentInterface,
  type Exchange,
  type Fetch,
  type Interceptor,
  type TransportFactory,
} from "../agents/index.js";
import { clientError, httpError, jsonRpcError } from "./errors.js";
import { drained, parsed, withShownHeaders } from "./drain.js";
import { replyOf, type Reply } from "./reply.js";
import { withTimeLimit } from "../agents/time-limit.js";

/** Options for all requests of a probe. */
export interface LaneOptions {
  readonly fetch?: Fetch | undefined;
  /** Headers with credentials. Only requests to `trustedOrigins` contain them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly trustedOrigins: readonly string[];
  /** URL of the agent card. */
  readonly cardUrl: string;
  /** Factories of the gRPC transports. */
  readonly transports?: readonly TransportFactory[] | undefined;
  /**
   * Wraps the calls that a generated client makes: calls over gRPC, and calls in earlier versions.
   */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Time limit of a call in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Options of one call. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of events after which the stream is closed. */
  readonly maxEvents?: number;
  /** Whether to send the call without credentials. */
  readonly isAnonymous?: boolean;
  /**
   * Value that distinguishes a call from an earlier identical call. Without it, a session does not
   * send an identical call again.
   */
  readonly again?: string;
}

/** An HTTP request that the probe itself creates. */
export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * An interface of the agent under test. It sends calls and returns every response as a
 * {@link Reply}.
 */
export class Lane {
  readonly target: AgentInterface;
  readonly #options: LaneOptions;
  readonly #isTrusted: boolean;
  /**
   * gRPC clients with and without credentials. They stay open, because a connection for each call
   * would be slow.
   */
  readonly #clients = new Map<boolean, A2AClient>();

  constructor(target: AgentInterface, options: LaneOptions) {
    this.target = target;
    this.#options = options;
    this.#isTrusted = trustIn(options.trustedOrigins)(target.url);
  }

  get binding(): string {
    return this.target.binding;
  }

  /** Version of the protocol as `Major.Minor`. */
  get version(): string {
    return /^\d+\.\d+/.exec(this.target.version)?.[0] ?? this.target.version;
  }

  /** Whether the interface uses the 1.0 JSON format and routes. */
  get isCurrent(): boolean {
    return modelVersionOf(this.version) === protocol.version;
  }

  get cardUrl(): string {
    return this.#options.cardUrl;
  }

  /** Whether calls are HTTP requests that the probe itself can create. */
  get isHttp(): boolean {
    return this.binding !== protocol.bindings.grpc;
  }

  /** Name of the interface in reports. */
  get label(): string {
    return `${this.binding} ${this.version}`;
  }

  /**
   * Finds an operation by its name in 1.0, and returns it as the version of the interface defines
   * it; `undefined` if that version does not define it.
   */
  operation(name: string): Operation | undefined {
    const current = operations.find((operation) => operation.name === name);
    if (this.isCurrent || current === undefined) return current;
    return operations0_3.find(({ method }) => method === current.method);
  }

  /** Calls an operation with a request in the 1.0 JSON format. */
  async call(name: string, params: object, options: CallOptions = {}): Promise<Reply> {
    const operation = this.operation(name);
    if (operation === undefined)
      return replyOf({ failure: `A2A ${this.version} has no operation ${name}` });
    if (!this.isCurrent || !this.isHttp) return this.#callClient(operation, params, options);
    const accept = operation.streaming === "none" ? "application/json" : "text/event-stream";
    const sent = { ...options, headers: { accept, ...options.headers } };
    if (this.binding === protocol.bindings.jsonRpc)
      return this.rpc(
        { id: `probe-${name}`, method: operation.jsonRpc, params: this.#withTenant(params) },
        sent,
      );
    return this.#rest(operation, params, sent);
  }

  /** Sends a JSON-RPC request. Adds `jsonrpc` unless the request already contains it. */
  async rpc(request: object | string, options: CallOptions = {}): Promise<Reply> {
    const body =
      typeof request === "string" ? request : JSON.stringify({ jsonrpc: "2.0", ...request });
    const headers = { "content-type": "application/json", accept: "application/json" };
    const sent = {
      method: "POST",
      url: this.target.url,
      headers: { ...headers, ...options.headers },
      body,
    };
    return withoutEnvelope(await this.send(sent, options));
  }

  /** Sends a request to a path below the URL of an HTTP+JSON interface. */
  async http(
    method: string,
    path: string,
    request: CallOptions & {
      readonly body?: string;
      readonly query?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Reply> {
    const { body, query = {}, headers } = request;
    const search = new URLSearchParams(query).toString();
    const base = this.target.url.replace(/\/$/, "");
    // Before 1.0, all routes begin with the version.
    const prefix = this.isCurrent ? "" : "/v1";
    const suffix = search === "" ? "" : `?${search}`;
    const url = base + prefix + path + suffix;
    const [media = "application/json"] = protocol.mediaTypes.accept;
    const defaults = {
      accept: "application/json",
      ...(body !== undefined && { "content-type": media }),
    };
    const sent = {
      method,
      url,
      headers: { ...defaults, ...headers },
      ...(body !== undefined && { body }),
    };
    const reply = await this.send(sent, request);
    const { status = 0 } = reply;
    if (reply.failure !== undefined || status < 300) return reply;
    return { ...reply, result: undefined, error: httpError(reply.body, status) };
  }

  /** Sends a request over HTTP, with the headers of the version and of the user. */
  async send(
    request: RawRequest,
    { isAnonymous = false, maxEvents }: CallOptions = {},
  ): Promise<Reply> {
    const { fetch, headers = {}, signal, timeoutMs } = this.#options;
    const sendsCredentials = !isAnonymous && this.#isTrusted;
    const version = { [protocol.headers.version]: this.version };
    const all = { ...version, ...(sendsCredentials && headers), ...request.headers };
    // A header with an empty value removes the default header.
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const body = request.body === undefined ? {} : { body: request.body };
    const recorder = recorded(fetch, { maxExchanges: 1 });
    const init = { method: request.method, headers: sent, redirect: "manual" as const, ...body };
    return drained(recorder, { url: request.url, init, timeoutMs, signal, maxEvents });
  }

  /** Closes the connections of the interface. */
  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  #clientFor(isAnonymous: boolean, fetch: Fetch): A2AClient {
    const known = this.#clients.get(isAnonymous);
    if (known !== undefined) return known;
    const { trustedOrigins, interceptors, transports, headers = {} } = this.#options;
    const settings = {
      fetch,
      headers: isAnonymous ? {} : headers,
      trustedOrigins,
      interceptors,
      transports,
      maxBytes: 2 ** 22,
      // Rules check types themselves. In a list, one malformed task must not hide the others.
      validate: false,
    };
    const client = openClient(this.target, settings);
    // A client over HTTP has the recorder of one call, so it cannot serve another call.
    if (!this.isHttp) this.#clients.set(isAnonymous, client);
    return client;
  }

  async #rest(operation: Operation, params: object, options: CallOptions): Promise<Reply> {
    const { tenant = "" } = this.target;
    const routes = operation.http ?? [];
    const hasTenant = tenant !== "";
    const route = routes.find(({ use }) => (use === "tenant") === hasTenant) ?? routes[0];
    if (route === undefined)
      return replyOf({ failure: `HTTP+JSON has no route for ${operation.name}` });
    const { path, rest } = fillRoute(route, this.#withTenant(params));
    if (route.body !== undefined)
      return this.http(route.method, path, { ...options, body: JSON.stringify(rest) });
    const query = Object.entries(rest).map(([key, value]) => [key, String(value)] as const);
    return this.http(route.method, path, { ...options, query: Object.fromEntries(query) });
  }

  #withTenant(params: object): object {
    const { tenant = "" } = this.target;
    return tenant === "" ? params : { tenant, ...params };
  }

  /**
   * Calls an operation with a generated client, whose requests and responses are in the 1.0 JSON
   * format.
   */
  async #callClient(
    operation: Operation,
    params: object,
    { headers, isAnonymous, maxEvents }: CallOptions,
  ): Promise<Reply> {
    const { timeoutMs, signal, fetch } = this.#options;
    const recorder = recorded(fetch, { maxExchanges: 1 });
    const limit = withTimeLimit(timeoutMs, signal);
    const client = this.#clientFor(isAnonymous === true, withShownHeaders(recorder));
    // Outside of the try block, so that a failure keeps the events before it.
    const events: unknown[] = [];
    let outcome: Partial<Reply>;
    try {
      const method: unknown = Reflect.get(client, operation.method);
      if (typeof method !== "function")
        throw new TypeError(`The client has no operation ${operation.name}`);
      const called: unknown = Reflect.apply(method, client, [params, { signal: limit, headers }]);
      if (operation.streaming === "none") outcome = { result: await called };
      else outcome = { events: await collect(called as AsyncIterable<unknown>, events, maxEvents) };
    } catch (error) {
      outcome = {
        ...failureOf(error, { isGrpc: !this.isHttp, isLate: limit.aborted }),
        ...(events.length > 0 && { events }),
      };
    } finally {
      if (this.isHttp) client.close();
    }
    const [exchange] = recorder.exchanges;
    const call = {
      name: operation.name,
      url: this.target.url,
      request: params,
      response: outcome.result ?? outcome.events ?? outcome.error ?? outcome.failure,
    };
    return replyOf({
      ...outcome,
      ...responseOf(exchange),
      frames: outcome.events ?? [],
      exchange,
      call,
    });
  }
}

/** Maximum number of events to read from a stream. */
const defaultMaxEvents = 2_000;

async function collect(
  stream: AsyncIterable<unknown>,
  events: unknown[],
  maxEvents = defaultMaxEvents,
): Promise<unknown[]> {
  for await (const event of stream) {
    events.push(event);
    if (events.length === maxEvents) break;
  }
  return events;
}

function failureOf(
  error: unknown,
  { isGrpc, isLate }: { readonly isGrpc: boolean; readonly isLate: boolean },
): Partial<Reply> {
  if (error instanceof A2AError && error.reason !== "INVALID_AGENT_RESPONSE")
    return { error: clientError(error, isGrpc) };
  if (isLate) return { failure: "no response within the time limit", isLate: true };
  return { failure: reasonOf(error) };
}

function responseOf(exchange: Exchange | undefined): Partial<Reply> {
  if (exchange?.response === undefined) return {};
  const { status, headers, body } = exchange.response;
  return { status, headers, body: parsed(body) };
}

/** Returns a JSON-RPC reply with the results and the error that its envelopes contain. */
function withoutEnvelope(reply: Reply): Reply {
  if (reply.failure !== undefined) return reply;
  if (reply.events !== undefined) {
    const membersOf = (name: string): unknown[] =>
      reply.frames.map((frame) => member(frame, name)).filter((value) => value !== undefined);
    const [error] = membersOf("error");
    return {
      ...reply,
      events: membersOf("result"),
      error: error === undefined ? undefined : jsonRpcError(error),
    };
  }
  const error = member(reply.body, "error");
  if (error !== undefined) return { ...reply, result: undefined, error: jsonRpcError(error) };
  // A proxy or a gateway may refuse the request before it reaches the agent.
  if (reply.status !== undefined && reply.status >= 300 && !isObject(reply.body))
    return { ...reply, result: undefined, error: httpError(reply.body, reply.status) };
  return { ...reply, result: member(reply.body, "result") };
}

/**
 * Fills the variables of a route. Returns the path, and the members of the request that the path
 * does not contain.
 */
function fillRoute(
  route: HttpRoute,
  params: object,
): { readonly path: string; readonly rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...params };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_variable, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(typeof value === "string" ? value : "");
  });
  return { path, rest };
}
