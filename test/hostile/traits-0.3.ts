import { status } from "@grpc/grpc-js";
import { errors } from "../../generated/0.3.0/errors.js";
import { InternalError, isMessageSendParams } from "../../generated/0.3.0/index.js";
import * as json from "../../generated/0.3.0/protojson.js";
import { classNameOf } from "a2a-codegen-runtime/internal/core";
import type { Body, Samples, Told, Traits } from "./subject.js";

const card = {
  name: "Target",
  description: "Withstands its tests.",
  version: "1.0.0",
  protocolVersion: "0.3.0",
  url: "http://127.0.0.1/rpc",
  preferredTransport: "JSONRPC",
  supportsAuthenticatedExtendedCard: true,
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "Stands.", tags: ["t"] }],
};

const taskOf = (id: string, metadata: Body = {}): Body => ({
  kind: "task",
  id,
  contextId: "c1",
  status: { state: "working" },
  metadata,
});
const statusOf = (state: string): Body => ({
  kind: "status-update",
  taskId: "t1",
  contextId: "c1",
  status: { state },
  final: state === "completed",
});

const samples: Samples = {
  card,
  bareCard: { ...card, capabilities: {}, supportsAuthenticatedExtendedCard: false },
  message: Object.assign(
    { messageId: "m1", role: "user", parts: [{ kind: "text", text: "hello" }] },
    { kind: "message" },
  ),
  textPart: (text) => ({ kind: "text", text }),
  task: taskOf,
  webhook: { taskId: "t1", pushNotificationConfig: { url: "http://127.0.0.1/hook" } },
};

const mappings = {
  SendMessage: json.SendMessageResponseJson,
  SendStreamingMessage: json.StreamResponseJson,
  GetTask: json.TaskJson,
  CancelTask: json.TaskJson,
  SubscribeToTask: json.StreamResponseJson,
  CreateTaskPushNotificationConfig: json.TaskPushNotificationConfigJson,
  GetExtendedAgentCard: json.AgentCardJson,
};

/** Reads what a code and data say. HTTP says itself who may not call. */
function told({ code, message, data }: Body, httpStatus?: number): Told {
  const own = httpStatus === 401 || httpStatus === 403;
  const found = errors.classes.find(({ row }) =>
    own ? row.http === httpStatus : row.jsonRpc === code,
  );
  const { details = [] } = (data ?? {}) as {
    details?: { fieldViolations?: { field: string }[] }[];
  };
  const fields = details
    .flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field))
    .sort();
  return { message: String(message), reason: found?.row.reason, fields, rest: data };
}

const unknown: number = status.UNKNOWN;

/** Reads the content of a message that starts with the name of a class. */
function named(text: string, code: number): Told {
  const [, name, message = text] = /^(\w+): ?(.*)$/s.exec(text) ?? [];
  const found = errors.classes.find(({ row }) => classNameOf(row) === name);
  const other = code === unknown ? InternalError.row.reason : undefined;
  return {
    message: found ? message : text,
    reason: found?.row.reason ?? other,
    fields: [],
    rest: undefined,
  };
}

export const v03: Traits = {
  version: "0.3.0",
  headers: {},
  base: "/v1",
  cardPath: "/card",
  mediaTypes: ["application/json"],
  numbers: { message: 1, metadata: 3 },
  samples,
  answers: {
    message: (message) => ({ ...message }),
    task: (task) => ({ ...task }),
    working: statusOf("working"),
    invalid: { ...taskOf("t1"), kind: "message" },
    completed: statusOf("completed"),
    artifact: (parts) => ({
      kind: "artifact-update",
      taskId: "t1",
      contextId: "c1",
      artifact: { artifactId: "a1", parts },
    }),
  },
  webhooks: {
    // An id with a slash fits into no name.
    createTaskPushNotificationConfig: ({ taskId, pushNotificationConfig }: Body) => {
      const { id = "p1", ...config } = pushNotificationConfig as { id?: string };
      return { taskId, pushNotificationConfig: { ...config, id: id.replaceAll("/", "-") } };
    },
    getTaskPushNotificationConfig: ({ id: taskId, pushNotificationConfigId: id = "p1" }: Body) => ({
      taskId,
      pushNotificationConfig: { id, url: "http://127.0.0.1/hook" },
    }),
    listTaskPushNotificationConfigs: () => [],
  },
  write: (request) =>
    isMessageSendParams(request)
      ? json.toProtoJson<unknown>(json.SendMessageRequestJson, request)
      : request,
  read: (name, response) => json.fromProtoJson<unknown>(mappings[name], response),
  rpcError: told,
  httpError(body, httpStatus) {
    const error = (body ?? {}) as Body;
    return typeof error["code"] === "number" ? told(error, httpStatus) : undefined;
  },
  grpcError: ({ message, code }) => named(message, code),
  grpcDetails: false,
  errorEvents: true,
};
