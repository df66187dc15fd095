import { z } from "zod";

/** Content of a `google.protobuf.Struct`. */
const struct = z.record(z.string(), z.json());

// Each oneof is a union with an object per member that refuses the other members, as Zod documents
// unions without a discriminator.
const common = {
  metadata: struct.optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
};
const none = z.undefined().optional();
const alternatives = { text: none, raw: none, url: none, data: none };

const Part = z.union([
  z.object({ ...common, ...alternatives, text: z.string() }),
  z.object({ ...common, ...alternatives, raw: z.base64() }),
  z.object({ ...common, ...alternatives, url: z.string() }),
  z.object({ ...common, ...alternatives, data: z.json() }),
]);

const Message = z.object({
  messageId: z.string(),
  role: z.enum(["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"]),
  parts: z.array(Part).min(1),
  contextId: z.string().optional(),
  taskId: z.string().optional(),
  referenceTaskIds: z.array(z.string()).optional(),
  extensions: z.array(z.string()).optional(),
  metadata: struct.optional(),
});

const TaskStatus = z.object({
  state: z.enum([
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
  ]),
  message: Message.optional(),
  timestamp: z.iso.datetime().optional(),
});

const Artifact = z.object({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parts: z.array(Part).min(1),
  metadata: struct.optional(),
  extensions: z.array(z.string()).optional(),
});

const PushConfig = z.object({
  url: z.string(),
  taskId: z.string().optional(),
  id: z.string().optional(),
  token: z.string().optional(),
  authentication: z.object({ scheme: z.string(), credentials: z.string().optional() }).optional(),
  tenant: z.string().optional(),
});

/** A task, written with Zod as strictly as our validators check it. */
export const Task = z.object({
  id: z.string(),
  contextId: z.string().optional(),
  status: TaskStatus,
  artifacts: z.array(Artifact).optional(),
  history: z.array(Message).optional(),
  metadata: struct.optional(),
});

/** A send request, written with Zod as strictly as our validators check it. */
export const SendMessageRequest = z.object({
  message: Message,
  configuration: z
    .object({
      acceptedOutputModes: z.array(z.string()).optional(),
      historyLength: z.int32().optional(),
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: PushConfig.optional(),
    })
    .optional(),
  metadata: struct.optional(),
  tenant: z.string().optional(),
});
