/**
 * A gateway: one HTTP handler that serves every version and HTTP transport in front of an agent of
 * any version and transport.
 */
import type { ReceiverFacts } from "../kit/kit-facts.js";
import type { AgentCard, Task } from "../kit/model.js";
import { type FetchHandler, fetchHandler } from "../runtime/http/adapters/fetch.js";
import { mounted } from "../runtime/http/mount.js";
import { basePath, type HttpHandler } from "../runtime/http/server.js";
import type { ClientVersion } from "../runtime/client/versions.js";
import type { ErrorTable } from "../runtime/protocol/error.js";
import type { Operation } from "../runtime/protocol/operation.js";
import { type CallOptions, TransportError } from "../runtime/protocol/transport.js";
import type { Agent } from "../runtime/server/agent.js";
import type { ServedVersion } from "../runtime/server/adapter.js";
import type { CallContext } from "../runtime/server/context.js";
import type { CoreOptions } from "../runtime/server/hooks.js";
import type { ServiceHost } from "../runtime/server/host.js";
import { type GatewayClient, serviceFor, type UpstreamHeaders } from "./gateway/calls.js";
import {
  credentialHeaders,
  gatewayCard,
  type GatewayCardFacts,
  gatewayReport,
  webhookCapability,
} from "./gateway/card.js";
import { keepChallenges } from "./gateway/challenge.js";
import { type GatewayPushOptions, WebhookRelay } from "./gateway/push.js";

export type { GatewayClient, UpstreamHeaders } from "./gateway/calls.js";
export type { GatewayPushOptions } from "./gateway/push.js";

/** Client for the upstream of a gateway. */
export interface UpstreamClient extends GatewayClient {
  getTask(request: { id: string; tenant?: string }, options?: CallOptions): Promise<Task>;
}

/** Options for `gateway`. The type parameters are types of an output. */
export interface GatewayOptions<Card, Client, ConnectOptions, HttpOptions> {
  /** The agent behind the gateway: its URL, its card, or a client that has its card. */
  readonly upstream: string | URL | Card | Client;
  /** Public URL of the gateway, which its card contains. The gateway responds below its path. */
  readonly url: string;
  /**
   * Path below which the handler receives requests. Default: the path of `url`. Set it to `/` if a
   * proxy removes the path.
   */
  readonly path?: string;
  /**
   * Adapters for other protocol versions: server adapters for callers, and client adapters for the
   * upstream.
   */
  readonly versions?: {
    readonly callers?: readonly (string | ServedVersion)[];
    readonly upstream?: readonly ClientVersion[];
  };
  /**
   * Returns the headers for the upstream, for each call. By default, the gateway passes on
   * `authorization`, and the headers with API keys that the upstream's card declares.
   */
  readonly headers?: UpstreamHeaders;
  /** Changes the card that callers receive, for example to sign it. */
  readonly card?: (card: Card) => Card | Promise<Card>;
  /** Passes on webhooks. Without this option, the gateway's card does not offer webhooks. */
  readonly push?: GatewayPushOptions;
  /**
   * Time-out for a response of the upstream, and for the first event of a stream, in milliseconds;
   * 5 minutes by default.
   */
  readonly timeoutMs?: number;
  /** Options for `connect`, such as `transports` and `fetch`. */
  readonly connect?: ConnectOptions;
  /** Options for `createAgent`, such as `authenticate`, `rates` and `onError`. */
  readonly agent?: Omit<CoreOptions, "versions">;
  /** Options for the HTTP handler, such as `cors`. */
  readonly http?: HttpOptions;
}

/** A gateway. */
export interface Gateway<Card> {
  /** Handler for Web requests: `export default { fetch }`. */
  readonly fetch: FetchHandler;
  /** Handler for platform adapters. For Node: `nodeListener({ "/": handler })`. */
  readonly handler: HttpHandler;
  /** The gateway as an agent, to serve it over gRPC or another binding. */
  readonly agent: Agent;
  /** The card of the gateway, in the version of the output. */
  readonly card: Card;
  /** Sentences about what the gateway does not carry for this upstream. */
  readonly report: readonly string[];
  /** Closes the connections to the upstream and to webhooks. */
  readonly close: () => void;
}

/**
 * Facts about a version, and functions of its output.
 * @internal
 */
export interface GatewayFacts extends GatewayCardFacts {
  readonly operations: readonly Operation[];
  readonly errors: ErrorTable;
  readonly receiver: ReceiverFacts;
  /** The type of cards. */
  readonly cardType: object;
  connect(target: string | URL | object, options: object): Promise<UpstreamClient>;
  createAgent(options: object): Agent;
  httpHandler(agent: Agent, options?: object): HttpHandler;
}

/** The options, without the types of an output. */
type Options = GatewayOptions<object, GatewayClient, object, object>;

const defaultTimeoutMs = 300_000;

/** Time-out for the card of the upstream when the gateway starts, in milliseconds. */
const connectWithinMs = 30_000;

/**
 * Connects to the upstream, and returns a gateway.
 * @throws The errors of `connect` if the upstream is unreachable or its card is invalid, and a
 *   `TypeError` if an option is invalid.
 */
export async function gateway(options: Options, facts: GatewayFacts): Promise<Gateway<object>> {
  const { versions = {}, push, timeoutMs = defaultTimeoutMs } = options;
  const url = checkedUrl(options.url);
  const client = await clientOf(options, facts);
  const before = client.card;
  if (before === undefined)
    throw new TypeError("upstream must have a card: pass a client that `connect` has created");
  const { operations, protocol, errors } = facts;
  const webhooks = webhookCapability(operations);
  const relays = push !== undefined;
  const cardOf = async (card: object): Promise<object> => {
    const changed = gatewayCard(card, facts, { url, webhooks, relays });
    return (await options.card?.(changed)) ?? changed;
  };
  const card = await cardOf(before);
  // The library's types of cards fit the cards of each output.
  const headers = options.headers ?? callerHeaders(credentialHeaders(before as AgentCard));
  let host: Pick<ServiceHost, "report" | "webhookForm"> | undefined;
  const report = (error: unknown): void => host?.report(error);
  const relay =
    push &&
    new WebhookRelay(push, {
      url,
      protocol,
      receiver: facts.receiver,
      capability: webhooks,
      received: (versions.upstream ?? []).map(({ webhook }) => webhook),
      formOf: (version) => host?.webhookForm(version),
      taskOf: (request, callOptions) => client.getTask(request, callOptions),
      report,
    });
  const service = (given: ServiceHost): object => {
    host = given;
    return serviceFor({
      client,
      operations,
      protocol,
      errors,
      headers,
      timeoutMs,
      relay,
      isCard: ({ response }) => response === facts.cardType,
      cardOf,
      report,
    });
  };
  // If callers send their own credentials, the upstream decides which callers it admits.
  const isOpen = options.headers === undefined && options.agent?.authenticate === undefined;
  const agent = facts.createAgent({
    ...(isOpen && { authenticate: noUser, anonymous: null }),
    // The client has already checked the responses.
    validateResponses: false,
    ...options.agent,
    card,
    service,
    versions: versions.callers ?? [],
  });
  const respond = facts.httpHandler(agent, options.http);
  const either: HttpHandler = (request) => relay?.part(request) ?? respond(request);
  const path = basePath(options.path ?? new URL(url).pathname);
  const handler = path === "" ? either : mounted({ [path]: either });
  const other = versions.upstream?.find(({ version }) => version === client.version);
  const callers = (versions.callers ?? []).map((each) =>
    typeof each === "string" ? each : each.protocol.version,
  );
  return {
    fetch: fetchHandler(handler),
    handler,
    agent,
    card,
    report: gatewayReport(before as AgentCard, card, {
      ...facts,
      version: client.version,
      has: (operation) => other?.has(operation) ?? true,
      webhooks,
      relays,
      taskVersions: callers.filter((version) => host?.webhookForm(version)?.type === "Task"),
      passesCredentials: options.headers === undefined,
    }),
    close() {
      relay?.close();
      client.close();
    },
  };
}

const noUser = (): undefined => undefined;

/** Returns the public URL of the gateway. Throws a `TypeError` if it is invalid. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "")
    return text;
  throw new TypeError(
    `url must be an HTTP URL without a query, such as https://gateway.example, got ${text}`,
  );
}

/** Returns the client for the upstream. */
async function clientOf(
  { upstream, connect = {}, versions = {}, headers }: Options,
  facts: GatewayFacts,
): Promise<UpstreamClient> {
  if (isClient(upstream)) return upstream;
  const { interceptors = [] } = connect as { readonly interceptors?: readonly object[] };
  // If the gateway has credentials of its own, the caller cannot respond to a challenge.
  const added = headers === undefined && { interceptors: [...interceptors, keepChallenges] };
  const signal = AbortSignal.timeout(connectWithinMs);
  const adapters = versions.upstream && { versions: versions.upstream };
  try {
    return await facts.connect(upstream, { signal, ...connect, ...added, ...adapters });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const where = typeof upstream === "string" || upstream instanceof URL ? String(upstream) : "";
    const seconds = String(connectWithinMs / 1_000);
    throw new TransportError(`The upstream ${where} did not respond within ${seconds} seconds`, {
      url: where,
      cause,
    });
  }
}

function isClient(upstream: Options["upstream"]): upstream is UpstreamClient {
  return (
    typeof upstream === "object" && "close" in upstream && typeof upstream.close === "function"
  );
}

/** Returns a function that passes on headers of the caller. */
function callerHeaders(names: readonly string[]): UpstreamHeaders {
  return ({ headers }: CallContext) => {
    const entries = names.flatMap((name) => {
      const value = headers.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(entries);
  };
}
