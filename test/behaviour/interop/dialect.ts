import type {
  AgentCard,
  Artifact,
  GetTaskPushNotificationConfigRequest,
  Message,
  Part,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskStatus,
} from "../../../generated/1.0/index.js";
import type { Json } from "./json.js";

/**
 * How a version writes what scenes and scenarios say in the JSON of 1.0. It is only ever applied to
 * what is sent and to what is expected, never to what arrives, so that nothing can be lost in it
 * unseen.
 */
export interface Dialect {
  readonly version: "1.0" | "0.3.0";
  card(card: AgentCard): Json;
  message(message: Message): Json;
  task(task: Task): Json;
  event(event: StreamResponse): Json;
  sendRequest(request: SendMessageRequest): Json;
  sendResponse(response: SendMessageResponse): Json;
  config(config: TaskPushNotificationConfig): Json;
  configRequest(request: GetTaskPushNotificationConfigRequest): Json;
  listConfigsRequest(taskId: string): Json;
  configs(configs: readonly TaskPushNotificationConfig[]): unknown;
}

const same = (value: object): Json => ({ ...value });

/** JSON of 1.0 without a conversion. */
export const v1: Dialect = {
  version: "1.0",
  card: same,
  message: same,
  task: same,
  event: same,
  sendRequest: same,
  sendResponse: same,
  config: same,
  configRequest: same,
  listConfigsRequest: (taskId) => ({ taskId }),
  configs: (configs) => ({ configs }),
};

/** The JSON of 0.3, as its JSON Schema has it. */
export const v03: Dialect = {
  version: "0.3.0",
  card: oldCard,
  message: oldMessage,
  task: oldTask,
  event: oldEvent,
  sendRequest: oldSendRequest,
  sendResponse: ({ task, message }) => (task === undefined ? oldMessage(message) : oldTask(task)),
  config: oldConfig,
  configRequest: ({ taskId, id }) => ({ id: taskId, pushNotificationConfigId: id }),
  listConfigsRequest: (taskId) => ({ id: taskId }),
  configs: (configs) => configs.map(oldConfig),
};

function oldPart({
  text,
  raw,
  url,
  data,
  filename: name,
  mediaType: mimeType,
  metadata,
}: Part): Json {
  if (text !== undefined) return { kind: "text", text, metadata };
  if (data !== undefined) return { kind: "data", data, metadata };
  const content = raw === undefined ? { uri: url } : { bytes: raw };
  return { kind: "file", file: { ...content, name, mimeType }, metadata };
}

function oldMessage({ role, parts, ...rest }: Message): Json {
  return { kind: "message", ...rest, role: lower(role, "ROLE_"), parts: parts.map(oldPart) };
}

function oldStatus({ state, message, ...rest }: TaskStatus): Json {
  return {
    ...rest,
    state: lower(state, "TASK_STATE_"),
    ...(message && { message: oldMessage(message) }),
  };
}

function oldArtifact({ parts, ...rest }: Artifact): Json {
  return { ...rest, parts: parts.map(oldPart) };
}

function oldTask({ status, history = [], artifacts = [], ...rest }: Task): Json {
  const lists = { history: history.map(oldMessage), artifacts: artifacts.map(oldArtifact) };
  return { kind: "task", ...rest, status: oldStatus(status), ...lists };
}

function oldEvent({ task, message, statusUpdate, artifactUpdate }: StreamResponse): Json {
  if (task !== undefined) return oldTask(task);
  if (message !== undefined) return oldMessage(message);
  if (artifactUpdate !== undefined) {
    return {
      kind: "artifact-update",
      ...artifactUpdate,
      artifact: oldArtifact(artifactUpdate.artifact),
    };
  }
  const status = oldStatus(statusUpdate.status);
  return { kind: "status-update", ...statusUpdate, status, final: isLast(statusUpdate.status) };
}

/** Tells whether a status is the last one of a stream of 0.3. */
export function isLast({ state }: TaskStatus): boolean {
  return state !== "TASK_STATE_SUBMITTED" && state !== "TASK_STATE_WORKING";
}

function oldSendRequest({ message, configuration, metadata }: SendMessageRequest): Json {
  if (configuration === undefined) return { message: oldMessage(message), metadata };
  const { returnImmediately, taskPushNotificationConfig: config, ...rest } = configuration;
  const blocking = returnImmediately === undefined ? {} : { blocking: !returnImmediately };
  const push = config === undefined ? {} : { pushNotificationConfig: oldPushConfig(config) };
  return {
    message: oldMessage(message),
    metadata,
    configuration: { ...rest, ...blocking, ...push },
  };
}

function oldConfig({ taskId, ...config }: TaskPushNotificationConfig): Json {
  return { taskId, pushNotificationConfig: oldPushConfig(config) };
}

function oldPushConfig({
  taskId: _task,
  authentication,
  ...rest
}: TaskPushNotificationConfig): Json {
  if (authentication === undefined) return rest;
  return {
    ...rest,
    authentication: { schemes: [authentication.scheme], credentials: authentication.credentials },
  };
}

function oldCard({
  supportedInterfaces,
  capabilities,
  securitySchemes = {},
  ...rest
}: AgentCard): Json {
  const [first] = supportedInterfaces;
  if (first === undefined) throw new Error("A card has an interface");
  const { extendedAgentCard, ...others } = capabilities;
  const schemes = Object.entries(securitySchemes).map(
    ([name, { httpAuthSecurityScheme: http }]) => {
      if (http === undefined) throw new Error("The cards of these tests have schemes of HTTP only");
      return [name, { type: "http", ...http }] as const;
    },
  );
  return {
    ...rest,
    ...(schemes.length > 0 && { securitySchemes: Object.fromEntries(schemes) }),
    protocolVersion: "0.3.0",
    url: first.url,
    preferredTransport: first.protocolBinding,
    additionalInterfaces: supportedInterfaces.map(({ url, protocolBinding: transport }) => ({
      url,
      transport,
    })),
    capabilities: others,
    supportsAuthenticatedExtendedCard: extendedAgentCard,
  };
}

function lower(name: string, prefix: string) {
  return name.slice(prefix.length).toLowerCase().replaceAll("_", "-");
}
