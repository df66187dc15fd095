import { type Attributes, type Span, SpanStatusCode } from "@opentelemetry/api";
import { isObject } from "../../runtime/base/json.js";
import { A2AError } from "../../runtime/protocol/error.js";
import { names } from "./otel-names.js";

/** Facts about an agent from its card. */
export interface AgentFacts {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
}

/** Returns the attributes of an agent. */
export function agentAttributes({ name, description, version }: AgentFacts = {}): Attributes {
  return {
    ...(name !== undefined && { [names.agentName]: name }),
    ...(description !== undefined && { [names.agentDescription]: description }),
    ...(version !== undefined && { [names.agentVersion]: version }),
  };
}

/**
 * Returns the attributes of a request. They contain the ids in the request, but never its content.
 */
export function requestAttributes(request: unknown): Attributes {
  const found: Attributes = {};
  if (!isObject(request)) return found;
  const message: Readonly<Record<string, unknown>> = isObject(request["message"])
    ? request["message"]
    : {};
  add(found, names.tenant, request["tenant"]);
  add(found, names.messageId, message["messageId"]);
  add(found, names.contextId, message["contextId"] ?? request["contextId"]);
  // Requests about webhooks contain the task id as `taskId`. Other requests about a task contain it
  // as `id`.
  add(found, names.taskId, message["taskId"] ?? request["taskId"] ?? request["id"]);
  const references = message["referenceTaskIds"];
  if (Array.isArray(references) && references.length > 0)
    found[names.references] = references
      .filter((id) => typeof id === "string")
      .slice(0, maxReferences);
  return found;
}

/**
 * Maximum number of task ids in an attribute. The limit is necessary because callers choose the
 * number of ids.
 */
const maxReferences = 32;

/** Adds the ids and the state of a response or of an event to a span. */
export function addResponse(span: Span, response: unknown): void {
  if (!isObject(response)) return;
  const { task, statusUpdate, artifactUpdate, message, status } = response;
  const isTask = isObject(status) && typeof response["id"] === "string";
  const about = [task, statusUpdate, artifactUpdate, message, isTask ? response : undefined].find(
    (part) => isObject(part),
  );
  if (!isObject(about)) return;
  const found: Attributes = {};
  add(
    found,
    names.taskId,
    about["taskId"] ?? (isObject(about["status"]) ? about["id"] : undefined),
  );
  add(found, names.contextId, about["contextId"]);
  if (isObject(about["status"])) add(found, names.taskState, about["status"]["state"]);
  span.setAttributes(found);
}

function add(attributes: Attributes, name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") attributes[name] = value;
}

/**
 * Returns the type of an error: its JSON-RPC code or gRPC status if the protocol defines the error,
 * otherwise its class.
 */
export function errorTypeOf(error: unknown): string {
  if (error instanceof A2AError) return String(error.jsonRpcCode ?? error.grpcStatus);
  return error instanceof Error ? error.name : "_OTHER";
}

/**
 * Marks a span as failed. Only records the message if the protocol defines the error, because other
 * messages may contain private data.
 */
export function failed(span: Span, error: unknown): void {
  span.setAttribute(names.errorType, errorTypeOf(error));
  const isPublic = error instanceof A2AError;
  span.setStatus({ code: SpanStatusCode.ERROR, ...(isPublic && { message: error.message }) });
}
