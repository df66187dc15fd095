import { isObject } from "../runtime/base/json.js";

/** Input of a tool that asks a remote agent. */
export interface ToolInput {
  readonly message: string;
  /** Id of the task whose question the message answers. */
  readonly taskId?: string | undefined;
}

/** JSON Schema of {@link ToolInput}. */
export const toolInputJsonSchema = {
  type: "object",
  properties: {
    message: { type: "string", description: "Message to the agent" },
    taskId: {
      type: "string",
      description: "Only to answer a question of the agent: the taskId of its last result",
    },
  },
  required: ["message"],
  additionalProperties: false,
} as const;

/** Result of the validation of a Standard Schema. */
type Validated =
  { readonly value: ToolInput } | { readonly issues: readonly { readonly message: string }[] };

/** Standard Schema of {@link ToolInput}, for frameworks that take such a schema. */
export const toolInput = {
  "~standard": {
    version: 1,
    vendor: "a2a-codegen",
    validate(value: unknown): Validated {
      if (!isObject(value) || typeof value["message"] !== "string")
        return { issues: [{ message: "The input must be an object with the string `message`" }] };
      const { message, taskId } = value;
      // Some providers require every member, so that models send null or an empty string.
      return typeof taskId === "string" && taskId !== ""
        ? { value: { message, taskId } }
        : { value: { message } };
    },
    jsonSchema: { input: jsonSchema, output: jsonSchema },
    types: undefined as { readonly input: unknown; readonly output: ToolInput } | undefined,
  },
} as const;

function jsonSchema(): Record<string, unknown> {
  return toolInputJsonSchema;
}
