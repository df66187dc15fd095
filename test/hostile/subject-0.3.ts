import { status } from "@grpc/grpc-js";
import { setTimeout as delay } from "node:timers/promises";
import { grpcTransport } from "../../generated/0.3.0/client/grpc.js";
import { errors } from "../../generated/0.3.0/errors.js";
import {
  A2AClient,
  A2AError,
  connect,
  InternalError,
  isMessageSendParams,
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
} from "../../generated/0.3.0/index.js";
import * as pb from "../../generated/0.3.0/protobuf.js";
import * as json from "../../generated/0.3.0/protojson.js";
import { classNameOf } from "../../generated/0.3.0/runtime/protocol/error.js";
import type { Mapping } from "../../generated/0.3.0/runtime/protobuf/mapping.js";
import { grpcService } from "../../generated/0.3.0/server/grpc.js";
import { createAgent, fetchHandler, type A2AService } from "../../generated/0.3.0/server/index.js";
import { nodeListener } from "../../generated/0.3.0/server/node.js";
import type { Binding, Body, Classes, OperationName, Placed, Samples, Subject, Told } from "./subject.js";

const card: AgentCard = {
  protocolVersion: "0.3.0",
  name: "Target",
  description: "Withstands its tests.",
  version: "1.0.0",
  url: "http://127.0.0.1/rpc",
  preferredTransport: "JSONRPC",
  capabilities: { streaming: true, pushNotifications: true },
  supportsAuthenticatedExtendedCard: true,
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "Stands.", tags: ["t"] }],
};

function taskOf(id: string, metadata: Body = {}): Task {
  const given = metadata as NonNullable<Task["metadata"]>;
  return { kind: "task", id, contextId: "c1", status: { state: TaskState.Working }, metadata: given };
}

function statusOf(state: TaskState): StreamResponse {
  const final = state === TaskState.Completed;
  return { kind: "status-update", taskId: "t1", contextId: "c1", status: { state }, final };
}

/** Tells what it was asked, and nothing else. */
const service: A2AService = {
  sendMessage: ({ message }) => message,
  async *sendStreamingMessage({ message: { taskId = "t1", parts } }) {
    yield taskOf(taskId);
    await delay(0);
    yield { kind: "artifact-update", taskId: "t1", contextId: "c1", artifact: { artifactId: "a1", parts } };
    yield statusOf(TaskState.Completed);
  },
  getTask: ({ id, historyLength }) => taskOf(id, historyLength === undefined ? {} : { historyLength }),
  cancelTask: ({ id, metadata = {} }) => taskOf(id, metadata),
  async *subscribeToTask({ id }) {
    yield taskOf(id);
    await delay(0);
    yield statusOf(TaskState.Completed);
  },
  // An id with a slash fits into no name.
  createTaskPushNotificationConfig: ({ taskId, pushNotificationConfig: { id = "p1", ...config } }) => ({
    taskId,
    pushNotificationConfig: { ...config, id: id.replaceAll("/", "-") },
  }),
  getTaskPushNotificationConfig: ({ id, ...rest }) => ({
    taskId: id,
    pushNotificationConfig: {
      id: "pushNotificationConfigId" in rest ? rest.pushNotificationConfigId : "p1",
      url: "http://127.0.0.1/hook",
    },
  }),
  listTaskPushNotificationConfigs: () => [],
  deleteTaskPushNotificationConfig: () => undefined,
  getExtendedAgentCard: () => card,
};

interface Row {
  readonly jsonRpc: string;
  readonly grpc?: string;
  readonly place: (request: Body) => Placed;
  readonly mapping: Mapping;
  readonly encode: (request: never) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly streams?: boolean;
}

/** Writes a request as ProtoJSON; what is no request stays as it is. */
function written(request: Body): unknown {
  return isMessageSendParams(request) ? json.toProtoJson(json.SendMessageRequestJson, request) : request;
}

const send = (path: string) => (request: Body) => ({ method: "POST", path, body: written(request) });
const taskPath = ({ id = "" }: Body): string => `/v1/tasks/${encodeURIComponent(String(id))}`;

const rows: Record<OperationName, Row> = {
  SendMessage: {
    jsonRpc: "message/send",
    place: send("/v1/message:send"),
    mapping: json.SendMessageResponseJson,
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeSendMessageResponse,
  },
  SendStreamingMessage: {
    jsonRpc: "message/stream",
    place: send("/v1/message:stream"),
    mapping: json.StreamResponseJson,
    encode: pb.encodeSendMessageRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  GetTask: {
    jsonRpc: "tasks/get",
    place: (request) => ({ method: "GET", path: taskPath(request) }),
    mapping: json.TaskJson,
    encode: pb.encodeGetTaskRequest,
    decode: pb.decodeTask,
  },
  CancelTask: {
    jsonRpc: "tasks/cancel",
    place: (request) => ({ method: "POST", path: `${taskPath(request)}:cancel`, body: request }),
    mapping: json.TaskJson,
    encode: pb.encodeCancelTaskRequest,
    decode: pb.decodeTask,
  },
  SubscribeToTask: {
    jsonRpc: "tasks/resubscribe",
    grpc: "TaskSubscription",
    place: (request) => ({ method: "GET", path: `${taskPath(request)}:subscribe` }),
    mapping: json.StreamResponseJson,
    encode: pb.encodeTaskSubscriptionRequest,
    decode: pb.decodeStreamResponse,
    streams: true,
  },
  CreateTaskPushNotificationConfig: {
    jsonRpc: "tasks/pushNotificationConfig/set",
    place: ({ taskId, ...body }) => ({
      method: "POST",
      path: `/v1/tasks/${String(taskId)}/pushNotificationConfigs`,
      body,
    }),
    mapping: json.TaskPushNotificationConfigJson,
    encode: pb.encodeCreateTaskPushNotificationConfigRequest,
    decode: pb.decodeTaskPushNotificationConfig,
  },
  GetExtendedAgentCard: {
    jsonRpc: "agent/getAuthenticatedExtendedCard",
    grpc: "GetAgentCard",
    place: () => ({ method: "GET", path: "/v1/card" }),
    mapping: json.AgentCardJson,
    encode: pb.encodeGetAgentCardRequest,
    decode: pb.decodeAgentCard,
  },
};

function bindingOf(name: string, { encode, mapping, grpc = name, streams = false, ...row }: Row): Binding {
  const encodes = encode as (request: Body) => Uint8Array;
  return { ...row, grpc, streams, encode: encodes, read: (answer) => json.fromProtoJson(mapping, answer) };
}

const samples: Samples = {
  card: { ...card },
  bareCard: { ...card, capabilities: {}, supportsAuthenticatedExtendedCard: false },
  message: {
    kind: "message",
    messageId: "m1",
    role: "user",
    parts: [{ kind: "text", text: "hello" }],
  } as Samples["message"],
  textPart: (text) => ({ kind: "text", text }),
  task: (id, metadata) => ({ ...taskOf(id, metadata) }),
  webhook: { taskId: "t1", pushNotificationConfig: { url: "http://127.0.0.1/hook" } },
};

/** Reads what is said by a code and data. HTTP says itself who may not call. */
function told({ code, message, data }: Body, httpStatus?: number): Told {
  const own = httpStatus === 401 || httpStatus === 403;
  const found = errors.classes.find(({ row }) => (own ? row.http === httpStatus : row.jsonRpc === code));
  const { details = [] } = (data ?? {}) as { details?: { fieldViolations?: { field: string }[] }[] };
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)).sort();
  return { message: String(message), reason: found?.row.reason, fields, rest: data };
}

const unknown: number = status.UNKNOWN;

/** Reads what is said by a text that begins with the name of a class. */
function named(text: string, code: number): Told {
  const [, name, message = text] = /^(\w+): ?(.*)$/s.exec(text) ?? [];
  const found = errors.classes.find(({ row }) => classNameOf(row) === name);
  const other = code === unknown ? InternalError.row.reason : undefined;
  return { message: found ? message : text, reason: found?.row.reason ?? other, fields: [], rest: undefined };
}

/** Version 0.3.0: a model with `kind`, ProtoJSON over HTTP+JSON, and plain errors. */
export const v03: Subject = {
  version: "0.3.0",
  headers: {},
  base: "/v1",
  mediaTypes: ["application/json"],
  grpcService: "a2a.v1.A2AService",
  numbers: { message: 1, metadata: 3 },
  unknownRoute: 501,
  operations: Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, bindingOf(name, row)]),
  ) as Subject["operations"],
  samples,
  answers: {
    message: (message) => ({ ...message }),
    task: (task) => ({ ...task }),
    working: { ...statusOf(TaskState.Working) },
    invalid: { ...taskOf("t1"), kind: "message" },
    completed: { ...statusOf(TaskState.Completed) },
    artifact: (parts) => ({
      kind: "artifact-update",
      taskId: "t",
      contextId: "c",
      artifact: { artifactId: "a", parts },
    }),
  },
  classes: {
    A2AClient,
    A2AError,
    TransportError,
    TaskNotFoundError,
    UnauthenticatedError,
    PermissionDeniedError,
  } as unknown as Classes,
  transports: {
    jsonRpc: jsonRpcTransport,
    rest: restTransport,
    grpc: grpcTransport,
  },
  connect,
  serve(methods, { agent: { card: given = card, ...parts } = {}, limits = {}, cardPage = {}, node = {} }, onError) {
    const all = { ...service, ...(methods as A2AService) };
    const agent = createAgent({ onError, ...parts, card: given as AgentCard, service: all });
    const options = { jsonRpc: { path: "/rpc", ...limits }, rest: limits, card: cardPage };
    const listener = nodeListener(agent, { ...options, ...node });
    return { listener, fetch: fetchHandler(agent, options), grpc: grpcService(agent) };
  },
  rpcError: told,
  httpError(body, status) {
    const error = (body ?? {}) as Body;
    return typeof error["code"] === "number" ? told(error, status) : undefined;
  },
  grpcError: ({ message, code }) => named(message, code),
  grpcDetails: false,
  errorEvents: true,
};
