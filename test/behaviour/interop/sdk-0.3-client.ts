import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  withA2AExtensions,
  type Client,
  type RequestOptions,
} from "a2a-sdk-0.3/client";
import { GrpcTransportFactory } from "a2a-sdk-0.3/client/grpc";
import { v03 } from "./dialect.js";
import { asJson, type Json } from "./json.js";
import { made, watchedFetch, type Binding, type Caller, type CallerOptions } from "./peers.js";

type Call = (client: Client, request: Json, options: RequestOptions) => Promise<unknown>;
type Stream = (client: Client, request: Json, options: RequestOptions) => AsyncIterable<unknown>;

/** The SDK accepts the JSON of the protocol, so the value has the type that its method requires. */
const given = (request: Json): never => asJson(request) as never;

const calls: Readonly<Record<string, Call>> = {
  sendMessage: (client, request, options) => client.sendMessage(given(request), options),
  getTask: (client, request, options) => client.getTask(given(request), options),
  cancelTask: (client, request, options) => client.cancelTask(given(request), options),
  createTaskPushNotificationConfig: (client, request, options) =>
    client.setTaskPushNotificationConfig(given(request), options),
  getTaskPushNotificationConfig: (client, request, options) =>
    client.getTaskPushNotificationConfig(given(request), options),
  listTaskPushNotificationConfigs: (client, request, options) =>
    client.listTaskPushNotificationConfig(given(request), options),
  deleteTaskPushNotificationConfig: (client, request, options) =>
    client.deleteTaskPushNotificationConfig(given(request), options),
  // `Client.getAgentCard` returns its current card if the card declares no extended card.
  getExtendedAgentCard: (client, _request, options) =>
    client.transport.getExtendedAgentCard(options),
};

const streams: Readonly<Record<string, Stream>> = {
  sendStreamingMessage: (client, request, options) =>
    client.sendMessageStream(given(request), options),
  subscribeToTask: (client, request, options) => client.resubscribeTask(given(request), options),
};

/** Connects a client of the SDK for 0.3, which finds the server by its card. */
export async function connectOldSdk(url: string, binding: Binding): Promise<Caller> {
  const { fetch: fetchImpl, headers } = watchedFetch();
  const http = { fetchImpl };
  const factories = {
    JSONRPC: made(JsonRpcTransportFactory, http),
    "HTTP+JSON": made(RestTransportFactory, http),
    GRPC: new GrpcTransportFactory(),
  };
  const card = await new DefaultAgentCardResolver().resolve(url);
  const client = await new ClientFactory({ transports: [factories[binding]] }).createFromUrl(url);
  return {
    dialect: v03,
    keepsTexts: false,
    card,
    headers,
    call: async (method, request, options) =>
      await calls[method]?.(client, request, optionsOf(options)),
    stream: (method, request, options) =>
      streams[method]?.(client, request, optionsOf(options)) ?? nothing(),
    close: () => undefined,
  };
}

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

function optionsOf({ extensions }: CallerOptions = {}): RequestOptions {
  const serviceParameters: Record<string, string> = {};
  if (extensions !== undefined) withA2AExtensions(...extensions)(serviceParameters);
  return { serviceParameters };
}
