import type { JsonObject, JsonValue } from "../runtime/base/json.js";

/**
 * Types of the models that the kit accepts and returns. The kit itself only uses the members that
 * are declared in this file. An output passes its own types, which may have additional members.
 */
export interface Models {
  readonly Task: Task;
  readonly Message: Message;
  readonly Part: Part;
  readonly Artifact: Artifact;
  readonly TaskStatusUpdateEvent: TaskStatusUpdateEvent;
  readonly TaskArtifactUpdateEvent: TaskArtifactUpdateEvent;
  readonly StreamResponse: StreamResponse;
  readonly TaskPushNotificationConfig: TaskPushNotificationConfig;
  readonly SecurityScheme: SecurityScheme;
  readonly AgentCard: AgentCard;
}

/** States that the kit sets and compares. */
export const TaskState = {
  Unspecified: "TASK_STATE_UNSPECIFIED",
  Submitted: "TASK_STATE_SUBMITTED",
  Working: "TASK_STATE_WORKING",
  InputRequired: "TASK_STATE_INPUT_REQUIRED",
  AuthRequired: "TASK_STATE_AUTH_REQUIRED",
  Completed: "TASK_STATE_COMPLETED",
  Failed: "TASK_STATE_FAILED",
  Canceled: "TASK_STATE_CANCELED",
  Rejected: "TASK_STATE_REJECTED",
} as const;

/** State of a task. The kit treats an unknown state as work in progress. */
export type TaskState = string;

/** Authors of messages. */
export const Role = { User: "ROLE_USER", Agent: "ROLE_AGENT" } as const;

/** A task, with the members that the kit reads and writes. */
export interface Task {
  id: string;
  contextId?: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: JsonObject;
}

/** Status of a task. */
export interface TaskStatus {
  state: TaskState;
  message?: Message;
  timestamp?: string;
}

/** A message of a caller or of the agent. */
export interface Message {
  messageId: string;
  role: string;
  parts: Part[];
  contextId?: string;
  taskId?: string;
  referenceTaskIds?: string[];
  extensions?: string[];
  metadata?: JsonObject;
}

/**
 * One item of content. The kit creates text and data parts, and passes all other parts on
 * unchanged.
 */
export interface Part {
  text?: string;
  raw?: string;
  url?: string;
  data?: JsonValue;
  mediaType?: string;
  filename?: string;
  metadata?: JsonObject;
}

/** A result of a task. */
export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  extensions?: string[];
  metadata?: JsonObject;
}

/** An event that replaces the status of a task. */
export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: JsonObject;
}

/** An event that adds an artifact, replaces it, or adds parts to it. */
export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: JsonObject;
}

/** An event of a stream. Exactly one of these members is set. */
export interface StreamResponse {
  task?: Task;
  message?: Message;
  statusUpdate?: TaskStatusUpdateEvent;
  artifactUpdate?: TaskArtifactUpdateEvent;
}

/** Response to a message. Exactly one of these members is set. */
export interface SendMessageResponse {
  task?: Task;
  message?: Message;
}

/** Request that contains a message. */
export interface SendMessageRequest {
  message: Message;
  configuration?: SendMessageConfiguration;
  metadata?: JsonObject;
  tenant?: string;
}

/** Options for the response to a message. */
export interface SendMessageConfiguration {
  acceptedOutputModes?: string[];
  historyLength?: number;
  returnImmediately?: boolean;
  taskPushNotificationConfig?: TaskPushNotificationConfig;
}

/** Request for a task. */
export interface GetTaskRequest {
  id: string;
  historyLength?: number;
  tenant?: string;
}

/** Request to cancel a task. */
export interface CancelTaskRequest {
  id: string;
  metadata?: JsonObject;
}

/** Request to subscribe to the events of a task. */
export interface SubscribeToTaskRequest {
  id: string;
}

/** Request for a page of tasks. */
export interface ListTasksRequest {
  contextId?: string;
  status?: string;
  statusTimestampAfter?: string;
  pageSize?: number;
  pageToken?: string;
  historyLength?: number;
  includeArtifacts?: boolean;
}

/** A page of tasks. */
export interface ListTasksResponse {
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

/** Configuration of a webhook, in the form that callers send. */
export interface TaskPushNotificationConfig {
  url: string;
  taskId?: string;
  id?: string;
  token?: string;
  authentication?: AuthenticationInfo;
  tenant?: string;
}

/** Credentials for a webhook. */
export interface AuthenticationInfo {
  scheme: string;
  credentials?: string;
}

/** Request to read a webhook. */
export interface GetTaskPushNotificationConfigRequest {
  taskId: string;
  id: string;
}

/** Request to delete a webhook. */
export interface DeleteTaskPushNotificationConfigRequest {
  taskId: string;
  id: string;
}

/** Request to list the webhooks of a task, page by page. */
export interface ListTaskPushNotificationConfigsRequest {
  taskId: string;
  pageSize?: number;
  pageToken?: string;
}

/** Request for the extended agent card. */
export type GetExtendedAgentCardRequest = object;

/** A page of the webhooks of a task. */
export interface ListTaskPushNotificationConfigsResponse {
  configs?: TaskPushNotificationConfig[];
  nextPageToken?: string;
}

/** The part of the agent card that the kit reads. */
export interface AgentCard {
  supportedInterfaces: AgentInterface[];
  capabilities: AgentCapabilities;
  defaultInputModes: string[];
  skills: AgentSkill[];
  securitySchemes?: Record<string, SecurityScheme>;
  securityRequirements?: SecurityRequirement[];
  signatures?: AgentCardSignature[];
}

/** An address of the agent. */
export interface AgentInterface {
  url: string;
}

/** Features that the agent declares. */
export interface AgentCapabilities {
  streaming?: boolean;
  pushNotifications?: boolean;
}

/** A skill of the agent. */
export interface AgentSkill {
  id: string;
  inputModes?: string[];
  securityRequirements?: SecurityRequirement[];
}

/**
 * Security schemes that a caller must satisfy together, with the required scopes of each scheme.
 */
export interface SecurityRequirement {
  schemes?: Record<string, { list?: string[] }>;
}

/**
 * A security scheme: one of these members is set, or a member for a scheme whose settings the kit
 * does not read.
 */
export interface SecurityScheme {
  apiKeySecurityScheme?: { location: string; name: string };
  httpAuthSecurityScheme?: { scheme: string };
  oauth2SecurityScheme?: { flows: OAuthFlows; oauth2MetadataUrl?: string };
  openIdConnectSecurityScheme?: { openIdConnectUrl: string };
  mtlsSecurityScheme?: object;
}

/** Flows of OAuth 2, with their endpoints. */
export interface OAuthFlows {
  authorizationCode?: { authorizationUrl: string; tokenUrl: string };
  clientCredentials?: { tokenUrl: string };
  deviceCode?: { deviceAuthorizationUrl: string; tokenUrl: string };
}

/** A signature of the agent card. */
export interface AgentCardSignature {
  protected: string;
  signature: string;
  header?: JsonObject;
}
