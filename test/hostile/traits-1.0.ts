import type { Body, Samples, Told, Traits } from "./subject.js";
import { aCard } from "../support/cards.js";

const capabilities = { streaming: true, pushNotifications: true, extendedAgentCard: true };
const card = {
  ...aCard("http://127.0.0.1/rpc", {
    capabilities,
    skills: [{ id: "s", name: "S", description: "Stands.", tags: ["t"] }],
  }),
};

const taskOf = (id: string, metadata: Body = {}): Body => ({
  id,
  contextId: "c1",
  status: { state: "TASK_STATE_WORKING" },
  metadata,
});
const statusOf = (state: string): Body => ({
  statusUpdate: { taskId: "t1", contextId: "c1", status: { state } },
});

const samples: Samples = {
  card,
  bareCard: { ...card, capabilities: {} },
  message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hello" }] },
  textPart: (text) => ({ text }),
  task: taskOf,
  webhook: { taskId: "t1", url: "http://127.0.0.1/hook" },
};

/** Reads what a message and details say. A reason counts only in the domain of the protocol. */
function told(message: unknown, details: unknown): Told {
  const list = (Array.isArray(details) ? details : []) as readonly Body[];
  const violations = list.flatMap(
    ({ fieldViolations = [] }) => fieldViolations as { field: string }[],
  );
  const fields = violations.map(({ field }) => field).sort();
  const { domain, reason } = list[0] ?? {};
  return {
    message: String(message),
    reason: domain === "a2a-protocol.org" ? reason : undefined,
    fields,
    rest: list,
  };
}

export const v10: Traits = {
  version: "1.0",
  headers: { "a2a-version": "1.0" },
  base: "",
  cardPath: "/extendedAgentCard",
  mediaTypes: ["application/a2a+json", "application/json"],
  numbers: { message: 2, metadata: 4 },
  samples,
  answers: {
    message: (message) => ({ message }),
    task: (task) => ({ task }),
    working: statusOf("TASK_STATE_WORKING"),
    invalid: { task: taskOf("t1"), message: samples.message },
    completed: statusOf("TASK_STATE_COMPLETED"),
    artifact: (parts) => ({
      artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "a1", parts } },
    }),
  },
  webhooks: {
    createTaskPushNotificationConfig: (config: Body) => ({ id: "p1", ...config }),
    getTaskPushNotificationConfig: ({ id, taskId }: Body) => ({
      id,
      taskId,
      url: "http://127.0.0.1/hook",
    }),
    listTaskPushNotificationConfigs: () => ({ configs: [] }),
  },
  write: (request) => request,
  read: (_, response) => response,
  rpcError: ({ message, data }) => told(message, data),
  httpError(body) {
    const error = ((body ?? {}) as { error?: Body }).error;
    return error && told(error["message"], error["details"]);
  },
  grpcError: ({ status }) => told(status.message, status.details),
  grpcDetails: true,
  errorEvents: false,
};
