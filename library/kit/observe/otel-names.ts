/**
 * Names of spans, attributes and metrics. They follow the draft of the OpenTelemetry conventions
 * for A2A (semantic-conventions-genai, pull request 195) and the conventions for agents, HTTP and
 * servers. Because the draft may change, no other file contains these names.
 */
export const names = {
  /** Span of a turn. The name of the agent is appended. */
  invokeAgent: "invoke_agent",
  /** Span of a request whose operation is unknown. */
  unknownOperation: "_OTHER",
  /** Span of a push notification. The draft does not define it. */
  post: "a2a.push_notification",

  operation: "a2a.method.name",
  version: "a2a.protocol.version",
  tenant: "a2a.tenant",
  messageId: "a2a.message.id",
  references: "a2a.message.reference_task_ids",
  taskId: "a2a.task.id",
  taskState: "a2a.task.state",
  contextId: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  agentVersion: "gen_ai.agent.version",
  agentOperation: "gen_ai.operation.name",
  errorType: "error.type",
  serverAddress: "server.address",
  serverPort: "server.port",
  clientAddress: "client.address",
  httpMethod: "http.request.method",
  httpStatus: "http.response.status_code",
  requestBytes: "http.request.body.size",
  responseBytes: "http.response.body.size",

  /** Attributes and metrics that the draft does not define. */
  binding: "a2a.protocol.binding",
  outcome: "a2a.outcome",
  resumed: "a2a.turn.resumed",
  clientDuration: "a2a.client.request.duration",
  serverDuration: "a2a.server.request.duration",
  activeStreams: "a2a.server.active_streams",
  activeTurns: "a2a.server.active_turns",
} as const;

/** Boundaries of the buckets of durations, in seconds. */
export const durationBuckets: number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
