import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  withA2AExtensions,
  type Client,
  type RequestOptions,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { v1 } from "./dialect.js";
import type { Json } from "./json.js";
import { made, watchedFetch, type Binding, type Caller, type CallerOptions } from "./peers.js";

type Call = (client: Client, request: Json, options: RequestOptions) => Promise<unknown>;
type Stream = (
  client: Client,
  request: Json,
  options: RequestOptions,
) => AsyncIterable<StreamResponse>;

const calls: Readonly<Record<string, Call>> = {
  async sendMessage(client, request, options) {
    const result = await client.sendMessage(SendMessageRequest.fromJSON(request), options);
    return "messageId" in result
      ? { message: Message.toJSON(result) }
      : { task: Task.toJSON(result) };
  },
  getTask: async (client, request, options) =>
    Task.toJSON(await client.getTask(GetTaskRequest.fromJSON(request), options)),
  listTasks: async (client, request, options) =>
    ListTasksResponse.toJSON(await client.listTasks(ListTasksRequest.fromJSON(request), options)),
  cancelTask: async (client, request, options) =>
    Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON(request), options)),
  createTaskPushNotificationConfig: async (client, request, options) =>
    TaskPushNotificationConfig.toJSON(
      await client.createTaskPushNotificationConfig(
        TaskPushNotificationConfig.fromJSON(request),
        options,
      ),
    ),
  getTaskPushNotificationConfig: async (client, request, options) =>
    TaskPushNotificationConfig.toJSON(
      await client.getTaskPushNotificationConfig(
        GetTaskPushNotificationConfigRequest.fromJSON(request),
        options,
      ),
    ),
  listTaskPushNotificationConfigs: async (client, request, options) =>
    ListTaskPushNotificationConfigsResponse.toJSON(
      await client.listTaskPushNotificationConfig(
        ListTaskPushNotificationConfigsRequest.fromJSON(request),
        options,
      ),
    ),
  deleteTaskPushNotificationConfig: (client, request, options) =>
    client.deleteTaskPushNotificationConfig(
      DeleteTaskPushNotificationConfigRequest.fromJSON(request),
      options,
    ),
  // `Client.getAgentCard` returns its current card if the card declares no extended card.
  getExtendedAgentCard: async (client, _request, options) =>
    AgentCard.toJSON(
      await client.transport.getExtendedAgentCard({ tenant: "" }, withVersion(client, options)),
    ),
};

const streams: Readonly<Record<string, Stream>> = {
  sendStreamingMessage: (client, request, options) =>
    client.sendMessageStream(SendMessageRequest.fromJSON(request), options),
  subscribeToTask: (client, request, options) =>
    client.resubscribeTask(SubscribeToTaskRequest.fromJSON(request), options),
};

/** Additions of a client to the options of its transport. */
function withVersion({ protocolVersion }: Client, options: RequestOptions): RequestOptions {
  return {
    ...options,
    serviceParameters: { ...options.serviceParameters, "A2A-Version": protocolVersion },
  };
}

/** Connects a client of the SDK for 1.0, which finds the server by its card. */
export function connectSdk(url: string, binding: Binding): Promise<Caller> {
  return connect(url, binding, false);
}

/** Connects a client of the SDK for 1.0 that also speaks 0.3. */
export function connectSdkForBoth(url: string, binding: Binding): Promise<Caller> {
  return connect(url, binding, true);
}

async function connect(url: string, binding: Binding, enabled: boolean): Promise<Caller> {
  const { fetch: fetchImpl, headers } = watchedFetch();
  const both = { legacyCompat: { enabled } };
  const http = { fetchImpl, ...both };
  const factories = {
    JSONRPC: made(JsonRpcTransportFactory, http),
    "HTTP+JSON": made(RestTransportFactory, http),
    GRPC: made(GrpcTransportFactory, both),
  };
  const cardResolver = new DefaultAgentCardResolver(both);
  const card = await cardResolver.resolve(url);
  const client = await new ClientFactory({
    transports: [factories[binding]],
    cardResolver,
  }).createFromUrl(url);
  return {
    dialect: v1,
    keepsTexts: true,
    card: AgentCard.toJSON(card),
    headers,
    call: async (method, request, options) =>
      await calls[method]?.(client, request, optionsOf(options)),
    async *stream(method, request, options) {
      for await (const event of streams[method]?.(client, request, optionsOf(options)) ?? [])
        yield StreamResponse.toJSON(event);
    },
    close: () => undefined,
  };
}

function optionsOf({ extensions }: CallerOptions = {}): RequestOptions {
  const serviceParameters: Record<string, string> = {};
  if (extensions !== undefined) withA2AExtensions(...extensions)(serviceParameters);
  return { serviceParameters };
}
