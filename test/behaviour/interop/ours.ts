import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer, type RequestListener } from "node:http";
import { listen, stop } from "../../../examples/shared/ports.js";
import * as new1 from "../../../generated/1.0/index.js";
import { grpc as grpc1 } from "../../../generated/1.0/client/grpc.js";
import { grpcService as grpcService1 } from "../../../generated/1.0/server/grpc.js";
import { nodeListener as nodeListener1 } from "../../../generated/1.0/server/node.js";
import * as old from "../../../generated/0.3.0/index.js";
import { grpc as grpc03 } from "../../../generated/0.3.0/client/grpc.js";
import { grpcService as grpcService03 } from "../../../generated/0.3.0/server/grpc.js";
import { nodeListener as nodeListener03 } from "../../../generated/0.3.0/server/node.js";
import { adaptedOutput } from "../../support/adapted.js";
import { cardOf, extendedCard } from "./card.js";
import { v03, v1 } from "./dialect.js";
import { asJson } from "./json.js";
import { watchedFetch, type Binding, type Caller, type Host, type HostOptions } from "./peers.js";
import { Player } from "./player.js";

const paths = { jsonRpc: { path: "/rpc" }, rest: { path: "/rest" } };

/** Starts a generated server for 1.0. */
export async function startOurs(options: HostOptions = {}): Promise<Host> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = cardOf(addresses, "1.0", options);
  const player = new Player(v1, new1, extendedCard(card));
  const agent = new1.createAgent({ card, service: player.service() });
  const { definition, implementation } = grpcService1(agent);
  grpc.addService(definition, implementation);
  return running({
    http,
    grpc,
    listener: nodeListener1(agent, paths),
    player,
    card,
    url: addresses.url,
  });
}

/** Starts a generated server for 0.3. */
export async function startOurOld(options: HostOptions = {}): Promise<Host> {
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = cardOf(addresses, "0.3.0", options);
  const player = new Player(v03, old, extendedCard(card));
  const agent = old.createAgent({
    card: old.parseAgentCard(asJson(v03.card(card))),
    service: player.service(),
  });
  const { definition, implementation } = grpcService03(agent);
  grpc.addService(definition, implementation);
  return running({
    http,
    grpc,
    listener: nodeListener03(agent, paths),
    player,
    card,
    url: addresses.url,
  });
}

/** Starts a generated server for 1.0 that also serves callers of 0.3, at the same addresses. */
export async function startOursForBoth(options: HostOptions = {}): Promise<Host> {
  const { own, adapters } = await adaptedOutput();
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const single = cardOf(addresses, "1.0", options);
  const old = single.supportedInterfaces.map((one) => ({ ...one, protocolVersion: "0.3" }));
  // The card for callers: the agent only names the interfaces of its own version.
  const card = { ...single, supportedInterfaces: [...single.supportedInterfaces, ...old] };
  const player = new Player(v1, own, extendedCard(single));
  const versions = [adapters["0.3"]?.served ?? "0.3"];
  const agent = own.createAgent({ card: single, service: player.service(), versions });
  const { definition, implementation } = own.grpcService(agent);
  grpc.addService(definition, implementation);
  const { form = "merged" } = options;
  const listener = own.nodeListener(agent, { ...paths, card: { form } });
  return running({ http, grpc, listener, player, card, url: addresses.url });
}

interface Running extends Pick<Host, "card" | "url"> {
  readonly http: ReturnType<typeof createServer>;
  readonly grpc: GrpcServer;
  readonly listener: RequestListener;
  readonly player: Player;
}

function running({ http, grpc, listener, player, card, url }: Running): Host {
  http.on("request", listener);
  const { dialect, asked } = player;
  return {
    dialect,
    card,
    url,
    asked,
    release: () => player.gate.release(),
    close: () => stop(http, grpc),
  };
}

/** Connects a generated client for 1.0, which finds the server by its card. */
export async function connectOurs(url: string, binding: Binding): Promise<Caller> {
  const { fetch, headers } = watchedFetch();
  const transports = {
    JSONRPC: new1.jsonRpc({ fetch }),
    "HTTP+JSON": new1.rest({ fetch }),
    GRPC: grpc1(),
  };
  const client = await new1.connect(url, { transports: [transports[binding]] });
  return {
    dialect: v1,
    keepsTexts: true,
    card: client.card,
    headers,
    ...callsOf(client),
    close: () => client.close(),
  };
}

/** Connects a generated client for 1.0 that only speaks 0.3 with the server. */
export async function connectOursForOld(url: string, binding: Binding): Promise<Caller> {
  const { own, adapters } = await adaptedOutput();
  const { fetch, headers } = watchedFetch();
  const { spoken } = adapters["0.3"] ?? {};
  if (spoken === undefined) throw new Error("The output has no adapter for this version");
  const transports = spoken.transports({ fetch }).filter((factory) => factory.binding === binding);
  const version = { ...spoken, transports: () => transports };
  const client = await own.connect(url, { transports: [], versions: [version] });
  const sides = { dialect: v1, speaks: v03.version, card: client.card };
  return { ...sides, keepsTexts: true, headers, ...callsOf(client), close: () => client.close() };
}

/** Connects a generated client for 0.3, which finds the server by its card. */
export async function connectOurOld(url: string, binding: Binding): Promise<Caller> {
  const { fetch, headers } = watchedFetch();
  const transports = {
    JSONRPC: old.jsonRpc({ fetch }),
    "HTTP+JSON": old.rest({ fetch }),
    GRPC: grpc03(),
  };
  const client = await old.connect(url, { transports: [transports[binding]] });
  return {
    dialect: v03,
    keepsTexts: true,
    card: client.card,
    headers,
    ...callsOf(client),
    close: () => client.close(),
  };
}

/** Returns the calls of a generated client by their names, for requests that are JSON. */
export function callsOf(client: object): Pick<Caller, "call" | "stream"> {
  const invoke = (method: string, given: readonly unknown[]): unknown => {
    const found: unknown = Reflect.get(client, method);
    if (typeof found !== "function") throw new Error(`The client has no ${method}`);
    return Reflect.apply(found, client, given);
  };
  return {
    call: async (method, request, more) => await invoke(method, [asJson(request), more]),
    stream: (method, request, more) =>
      invoke(method, [asJson(request), more]) as AsyncIterable<unknown>,
  };
}
