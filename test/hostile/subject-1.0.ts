import { setTimeout as delay } from "node:timers/promises";
import { grpcTransport } from "../../generated/1.0/client/grpc.js";
import {
  A2AClient,
  A2AError,
  connect,
  jsonRpcTransport,
  PermissionDeniedError,
  restTransport,
  TaskNotFoundError,
  TaskState,
  TransportError,
  UnauthenticatedError,
  type AgentCard,
  type StreamResponse,
  type Task,
} from "../../generated/1.0/index.js";
import * as pb from "../../generated/1.0/protobuf.js";
import { grpcService } from "../../generated/1.0/server/grpc.js";
import { createAgent, fetchHandler, type A2AService } from "../../generated/1.0/server/index.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import type { Binding, Body, OperationName, Placed, Samples, Subject, Told } from "./subject.js";

export const card: AgentCard = {
  name: "Target",
  description: "Withstands its tests.",
  version: "1.0.0",
  supportedInterfaces: [{ url: "http://127.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "Stands.", tags: ["t"] }],
};

/** A task as the service gives it; `metadata` tells what the service was asked. */
export function taskOf(id: string, metadata: Body = {}): Task {
  return {
    id,
    contextId: "c1",
    status: { state: TaskState.Working },
    metadata: metadata as NonNullable<Task["metadata"]>,
  };
}

function statusOf(state: TaskState): StreamResponse {
  return { statusUpdate: { taskId: "t1", contextId: "c1", status: { state } } };
}

/** Tells what it was asked, and nothing else. */
const service: A2AService = {
  sendMessage: ({ message }) => ({ message }),
  async *sendStreamingMessage({ message }) {
    yield { task: taskOf(message.taskId ?? "t1") };
    await delay(0);
    yield { artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "a1", parts: message.parts } } };
    yield statusOf(TaskState.Completed);
  },
  getTask: ({ id, historyLength, tenant }) =>
    taskOf(id, {
      ...(historyLength === undefined ? {} : { historyLength }),
      ...(tenant === undefined ? {} : { tenant }),
    }),
  listTasks: ({ pageSize = 50, ...request }) => ({
    tasks: [taskOf("t1", { ...request })],
    nextPageToken: "",
    pageSize,
    totalSize: 1,
  }),
  cancelTask: ({ id, metadata = {}, tenant }) =>
    taskOf(id, { ...metadata, ...(tenant === undefined ? {} : { tenant }) }),
  async *subscribeToTask({ id, tenant }) {
    yield { task: taskOf(id, tenant === undefined ? {} : { tenant }) };
    await delay(0);
    yield statusOf(TaskState.Completed);
  },
  createTaskPushNotificationConfig: (config) => ({ id: "p1", ...config }),
  getTaskPushNotificationConfig: ({ id, taskId }) => ({ id, taskId, url: "http://127.0.0.1/hook" }),
  listTaskPushNotificationConfigs: () => ({ configs: [] }),
  deleteTaskPushNotificationConfig: () => undefined,
  getExtendedAgentCard: () => card,
};

interface Row {
  readonly place: (request: Body) => Placed;
  readonly encode: (request: never) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly streams?: boolean;
}

const post = (path: string) => (body: Body) => ({ method: "POST", path, body });
const taskPath = ({ id = "" }: Body): string => `/tasks/${encodeURIComponent(String(id))}`;

const rows: Record<OperationName, Row> = {
  SendMessage: {
    place: post("/message:send"),
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeSendMessageResponse,
  },
  SendStreamingMessage: {
    place: post("/message:stream"),
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  GetTask: {
    place: (request) => ({ method: "GET", path: taskPath(request) }),
    encode: pb.encodeGetTaskRequest,
    decode: pb.decodeTask,
  },
  CancelTask: {
    place: (request) => post(`${taskPath(request)}:cancel`)(request),
    encode: pb.encodeCancelTaskRequest,
    decode: pb.decodeTask,
  },
  SubscribeToTask: {
    place: (request) => ({ method: "GET", path: `${taskPath(request)}:subscribe` }),
    encode: pb.encodeSubscribeToTaskRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    place: ({ taskId, ...body }) => post(`/tasks/${String(taskId)}/pushNotificationConfigs`)(body),
    encode: pb.encodeTaskPushNotificationConfig,
    decode: pb.decodeTaskPushNotificationConfig,
  },
  GetExtendedAgentCard: {
    place: () => ({ method: "GET", path: "/extendedAgentCard" }),
    encode: pb.encodeGetExtendedAgentCardRequest,
    decode: pb.decodeAgentCard,
  },
};

function bindingOf(name: string, { encode, streams = false, ...row }: Row): Binding {
  const encodes = encode as (request: Body) => Uint8Array;
  return { ...row, jsonRpc: name, grpc: name, streams, encode: encodes, read: (answer) => answer };
}

const samples: Samples = {
  card: { ...card },
  bareCard: { ...card, capabilities: {} },
  message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hello" }] },
  textPart: (text) => ({ text }),
  task: (id, metadata) => ({ ...taskOf(id, metadata) }),
  webhook: { taskId: "t1", url: "http://127.0.0.1/hook" },
};

type Detail = Readonly<Record<string, unknown>>;

/** Reads what is said by a text and details. A reason counts only in the domain of the protocol. */
function told(message: unknown, details: unknown): Told {
  const list = (Array.isArray(details) ? details : []) as readonly Detail[];
  const violations = list.flatMap(({ fieldViolations = [] }) => fieldViolations as { field: string }[]);
  const fields = violations.map(({ field }) => field).sort();
  const { domain, reason } = list[0] ?? {};
  return { message: String(message), reason: domain === "a2a-protocol.org" ? reason : undefined, fields, rest: list };
}

function bodyError(body: unknown): Told | undefined {
  const error = ((body ?? {}) as { error?: Body }).error;
  return error && told(error["message"], error["details"]);
}

/** Version 1.0: ProtoJSON everywhere, and errors with details. */
export const v10: Subject = {
  version: "1.0",
  headers: { "a2a-version": "1.0" },
  base: "",
  mediaTypes: ["application/a2a+json", "application/json"],
  grpcService: "lf.a2a.v1.A2AService",
  numbers: { message: 2, metadata: 4 },
  unknownRoute: 404,
  operations: Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, bindingOf(name, row)]),
  ) as Subject["operations"],
  samples,
  answers: {
    message: (message) => ({ message }),
    task: (task) => ({ task }),
    working: { ...statusOf(TaskState.Working) },
    invalid: { task: taskOf("t1"), message: samples.message },
    completed: { ...statusOf(TaskState.Completed) },
    artifact: (parts) => ({ artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts } } }),
  },
  classes: { A2AClient, A2AError, TransportError, TaskNotFoundError, UnauthenticatedError, PermissionDeniedError },
  transports: { jsonRpc: jsonRpcTransport, rest: restTransport, grpc: grpcTransport },
  connect,
  serve(methods, { agent: { card: given = card, ...parts } = {}, limits = {}, cardPage = {}, node = {} }, onError) {
    const all = { ...service, ...(methods as A2AService) };
    const agent = createAgent({ onError, ...parts, card: given as AgentCard, service: all });
    const options = { jsonRpc: { path: "/rpc", ...limits }, rest: limits, card: cardPage };
    const listener = nodeListener(agent, { ...options, ...node });
    return { listener, fetch: fetchHandler(agent, options), grpc: grpcService(agent) };
  },
  rpcError: ({ message, data }) => told(message, data),
  httpError: bodyError,
  grpcError: ({ status }) => told(status.message, status.details),
  grpcDetails: true,
  errorEvents: false,
};
