import { Server as GrpcServer } from "@grpc/grpc-js";
import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { listen, stop } from "../../examples/shared/ports.js";
import type { GrpcService } from "../../library/runtime/bindings/grpc/server.js";
import type { Operation } from "../../library/runtime/protocol/operation.js";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { all } from "./everywhere.js";
import { modulesOf } from "./generated.js";

/** The bindings, as cards spell them. */
export const bindings = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** One of {@link bindings}. */
export type Binding = (typeof bindings)[number];

/** A client of any version, with the methods that tests call. */
interface Client {
  readonly card: unknown;
  close(): void;
  getTask(request: object): Promise<unknown>;
  getExtendedAgentCard(): Promise<unknown>;
}

/** Output of every version. Functions of transports that a version does not have are absent. */
export interface Output {
  readonly operations: readonly Operation[];
  createAgent(options: object): object;
  nodeListener(agent: object): RequestListener;
  fetchHandler(agent: object): (request: Request) => Promise<Response>;
  connect(target: string | object, options?: object): Promise<Client>;
  jsonRpc(this: void): object;
  rest?(this: void): object;
  grpc?(this: void): object;
  grpcService?(agent: object): GrpcService;
}

/** Loads the output of a version. */
export async function outputOf(version: string): Promise<Output> {
  const names = [
    "index",
    "operations",
    "server/node",
    "server/grpc",
    "server/http2",
    "client/grpc",
    "codecs",
  ];
  return (await modulesOf(version, names)) as Output;
}

/**
 * An agent whose service responds as its test tells it to, and notes what it is asked; with clients
 * that are JSON.
 */
export interface Scripted {
  /**
   * Responses of the service: a value, a list of events for a stream, or an error to throw, which
   * comes last among events.
   */
  response: unknown;
  /** The last request that reached the service, and its context. */
  request: unknown;
  context: CallContext | undefined;
  readonly output: Output;
  readonly card: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly grpcUrl: string;
  /**
   * Calls a method of the generated client over a binding. Returns the response, or all events of a
   * stream.
   */
  call(binding: Binding, method: string, request: unknown, options?: object): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Starts a scripted agent of a version on free ports. `options` are the options of `createAgent`,
 * additional members of the card, and an output other than in `generated/`.
 */
export async function startScripted(
  version: string,
  {
    card: more = {},
    output: given,
    ...options
  }: { card?: object; output?: object; versions?: object[] } = {},
) {
  const output = (given as Output | undefined) ?? (await outputOf(version));
  const [http, grpc] = [createServer(), new GrpcServer()];
  const addresses = await listen(http, grpc, { host: "127.0.0.1" });
  const card = { ...cardOf(version, addresses), ...more };
  const clients = new Map<string, Awaited<ReturnType<Output["connect"]>>>();
  const scripted: Scripted = {
    response: undefined,
    request: undefined,
    context: undefined,
    output,
    card,
    ...addresses,
    async call(binding, method, request, callOptions) {
      const factories = { JSONRPC: output.jsonRpc, "HTTP+JSON": output.rest, GRPC: output.grpc };
      const transports = [factories[binding]?.()];
      const client = clients.get(binding) ?? (await output.connect(addresses.url, { transports }));
      clients.set(binding, client);
      return await callMethod(client, method, request, callOptions);
    },
    async close() {
      for (const client of clients.values()) client.close();
      await stop(http, grpc);
    },
  };
  const service = serviceOf(output, scripted);
  const agent = output.createAgent({ card, service, onError: () => undefined, ...options });
  const grpcService = output.grpcService?.(agent);
  if (grpcService !== undefined)
    grpc.addService(grpcService.definition, grpcService.implementation);
  http.on("request", output.nodeListener(agent));
  return scripted;
}

/** Starts a scripted agent for one test. */
export async function scriptedFor(...given: Parameters<typeof startScripted>): Promise<Scripted> {
  const agent = await startScripted(...given);
  onTestFinished(() => agent.close());
  return agent;
}

function cardOf(
  version: string,
  { url, grpcUrl }: { readonly url: string; readonly grpcUrl: string },
): object {
  const urls = [url, url, grpcUrl];
  const common = {
    name: "Scripted",
    description: "Says what it is told to say.",
    version: "1",
    skills: [],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
  };
  const capabilities = { streaming: true, pushNotifications: true };
  const protocolVersion = version.replace("-draft", "");
  if (version.startsWith("1.")) {
    const interfaces = bindings.map((protocolBinding, at) => ({
      url: urls[at],
      protocolBinding,
      protocolVersion,
    }));
    return {
      ...common,
      supportedInterfaces: interfaces,
      capabilities: { ...capabilities, extendedAgentCard: true },
    };
  }
  return {
    ...common,
    protocolVersion,
    url,
    capabilities,
    preferredTransport: "JSONRPC",
    additionalInterfaces: bindings.map((transport, at) => ({ url: urls[at], transport })),
    supportsAuthenticatedExtendedCard: true,
  };
}

function serviceOf({ operations }: Output, scripted: Scripted): object {
  const note = (request: unknown, context: CallContext) => {
    [scripted.request, scripted.context] = [request, context];
    if (scripted.response instanceof Error) throw scripted.response;
    return scripted.response;
  };
  async function* stream(request: unknown, context: CallContext): AsyncGenerator {
    const events = (await Promise.resolve(note(request, context))) as readonly unknown[];
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield event;
    }
  }
  const methods = operations.map(
    ({ method, streaming }) => [method, streaming === "server" ? stream : note] as const,
  );
  return Object.fromEntries(methods);
}

async function callMethod(client: object, method: string, ...given: unknown[]) {
  const found: unknown = Reflect.get(client, method);
  if (typeof found !== "function") throw new Error(`The client has no ${method}`);
  const result: unknown = Reflect.apply(found, client, given);
  const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
  return isStream ? await all(result as AsyncIterable<unknown>) : await result;
}
