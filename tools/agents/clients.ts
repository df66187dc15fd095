import { A2AClient, type Interceptor } from "../../generated/1.0/client/client.js";
import { jsonRpc } from "../../generated/1.0/client/jsonrpc.js";
import { rest } from "../../generated/1.0/client/rest.js";
import { errors } from "../../generated/1.0/errors.js";
import type { AgentCard } from "../../generated/1.0/models.js";
import { discovery, protocol } from "../../generated/1.0/operations.js";
import { v0_3 } from "../../generated/1.0/versions/0.3/client.js";
import { jsonRpc as jsonRpc0_3 } from "../../generated/1.0/versions/0.3/jsonrpc.js";
import { mapping } from "../../generated/1.0/versions/0.3/mapping.js";
import {
  discovery as discovery0_3,
  protocol as protocol0_3,
} from "../../generated/1.0/versions/0.3/operations.js";
import {
  type ClientVersion,
  type Fetch,
  type HttpOptions,
  keyOf,
  listedInterfaces,
  mainInterfaces,
  openUsable,
} from "a2a-codegen-runtime/internal/client";
import {
  TransportError,
  type AgentInterface,
  type TransportFactory,
} from "a2a-codegen-runtime/internal/core";
import { clientVersion } from "a2a-codegen-runtime/internal/versions";

export { A2AClient, type Interceptor } from "../../generated/1.0/client/client.js";
export type { AgentInterface, TransportFactory } from "a2a-codegen-runtime/internal/core";
export type { Fetch } from "a2a-codegen-runtime/internal/client";

/**
 * Adapter for 0.2 agents. Over JSON-RPC, 0.2.6 has the same calls as 0.3, and only the path of the
 * card differs. Both versions share the 0.3 mapping, which keeps the package small.
 */
const v0_2: ClientVersion = clientVersion({
  protocol: { ...protocol0_3, version: "0.2" },
  discovery: { ...discovery0_3, path: "/.well-known/agent.json" },
  mapping,
  interfaces: mainInterfaces,
  transports: (options) => [{ ...jsonRpc0_3(options), version: "0.2" }],
});

/** Adapters for the versions before 1.0. */
export const adapters: readonly ClientVersion[] = [v0_3, v0_2];

/**
 * Later versions whose additions a 1.0 client ignores. Calls to their interfaces specify the
 * version of the interface.
 */
const laterVersions: readonly string[] = ["1.1"];

/**
 * Returns the version whose models and routes a version uses. Later versions use the 1.0 models and
 * routes.
 */
export function modelVersionOf(version: string): string {
  const minor = minorOf(version);
  return laterVersions.includes(minor) ? protocol.version : minor;
}

/** The supported protocol versions, the latest first. */
export const versions: readonly string[] = [
  protocol.version,
  ...adapters.map(({ version }) => version),
];

/** The well-known paths of cards, of all supported versions. */
export const cardPaths: readonly string[] = [
  ...new Set([discovery.path, ...adapters.map(({ cardPath }) => cardPath)]),
];

/** Options for {@link openClient}. */
export interface ClientSettings {
  /**
   * Sends the requests. To record them, pass the result of `recorded`. Default: the `fetch` of the
   * platform.
   */
  readonly fetch?: Fetch | undefined;
  /** Headers of every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Origins that may receive the headers. Default: any origin. */
  readonly trustedOrigins?: readonly string[] | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** URIs of the extensions to request. */
  readonly extensions?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  /** Factories for other transports, such as gRPC, which requires a Node package. */
  readonly transports?: readonly TransportFactory[] | undefined;
  /** Whether to check responses; true by default. */
  readonly validate?: boolean | undefined;
  /** Maximum size of a response in bytes, and of an event in code units. Default: 16 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * Returns all interfaces of a card of any version, in the order of the card and without duplicates.
 */
export function interfacesOf(card: unknown, url?: string): AgentInterface[] {
  const all = [
    ...listedInterfaces(card, { protocol, discovery }, url),
    ...adapters.flatMap((version) => version.interfaces(card, url)),
  ];
  return [...new Map(all.map((target) => [keyOf(target), target] as const)).values()];
}

/** Returns the factories for all transports. */
function factoriesOf({
  fetch,
  maxBytes = 16 * 2 ** 20,
  transports = [],
}: ClientSettings): TransportFactory[] {
  const options: HttpOptions = { fetch, maxEventBytes: maxBytes, maxResponseBytes: maxBytes };
  const ownTransports = [
    jsonRpc(options),
    rest(options),
    ...adapters.flatMap((version) => version.transports(options)),
  ];
  return [...ownTransports, ...transports];
}

/** Returns the major and minor number of a version; any other string unchanged. */
export function minorOf(version: string): string {
  return /^\d+\.\d+(?=$|[.\-+])/.exec(version)?.[0] ?? version;
}

function factoryFor(
  target: AgentInterface,
  settings: ClientSettings,
): TransportFactory | undefined {
  const wanted = modelVersionOf(target.version);
  const found = factoriesOf(settings).find(
    ({ binding, version = protocol.version }) => binding === target.binding && version === wanted,
  );
  return found && { ...found, version: minorOf(target.version) };
}

/** Returns whether a client can call an interface. */
export function isSupported(target: AgentInterface, settings: ClientSettings = {}): boolean {
  return factoryFor(target, settings) !== undefined;
}

/**
 * Returns a client for one interface of an agent. It uses the 1.0 models, even if the interface has
 * another version.
 *
 * @throws {TypeError} if no transport supports the binding and the version of the interface
 * @throws {TransportError} if the URL of the interface is a file or a socket of this machine
 */
export function openClient(
  target: AgentInterface,
  settings: ClientSettings = {},
  card?: AgentCard,
): A2AClient {
  const factory = factoryFor(target, settings);
  if (factory === undefined)
    throw new TypeError(
      `No transport supports ${target.binding} ${target.version} at ${target.url}`,
    );
  const { interceptors, extensions, timeoutMs, trustedOrigins, validate } = settings;
  const version = minorOf(target.version);
  const isLater = version !== modelVersionOf(version);
  const headers = isLater
    ? { [protocol.headers.version]: version, ...settings.headers }
    : settings.headers;
  // Let the runtime choose from this single interface, because the runtime omits headers for
  // origins that the user has not allowed.
  const options = { protocol, discovery, interfaces: () => [target], trustedOrigins };
  const transport = openUsable(card, [factory], {
    ...options,
    versionNotSupported: errors.versionNotSupported,
  });
  if (transport === undefined) {
    const { binding, url } = target;
    throw new TransportError(
      `${binding} at ${url} is a file or a socket of this machine, which is not allowed`,
      {
        url,
      },
    );
  }
  return new A2AClient({ transport, card, headers, interceptors, extensions, timeoutMs, validate });
}
