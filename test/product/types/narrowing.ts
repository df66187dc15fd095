import {
  Role,
  TaskState,
  type JSONRPCErrorResponse,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
} from "../../../generated/0.3.0/models.js";
import { isPart, isSendMessageResponse, PartSchema } from "../../../generated/0.3.0/validators.js";

/** Code of users: it must compile, and each line after an expectation must not. */
export function textOf(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "file":
      return "uri" in part.file ? part.file.uri : part.file.bytes;
    case "data":
      return JSON.stringify(part.data);
  }
}

export function stateOf(event: StreamResponse): TaskState | undefined {
  if (event.kind === "status-update") return event.status.state;
  // @ts-expect-error Other events have no status.
  event.final = true;
  return event.kind === "task" ? event.status.state : undefined;
}

export function failed(response: SendMessageResponse): response is JSONRPCErrorResponse {
  return "error" in response;
}

export const parts: readonly Part[] = [
  { kind: "text", text: "a" },
  { kind: "data", data: { a: [1, null] }, metadata: { b: true } },
  // @ts-expect-error Text is not in a file.
  { kind: "file", text: "a" },
  // @ts-expect-error This kind does not exist.
  { kind: "image" },
];

// @ts-expect-error A version of JSON-RPC is a constant.
export const version: SendMessageResponse["jsonrpc"] = "1.0";

export const role: Role = Role.User;
export const state: "input-required" = TaskState.InputRequired;

export function check(value: unknown): string | number | null {
  if (isPart(value)) return value.kind;
  const result = PartSchema["~standard"].validate(value);
  if (result.issues === undefined) return result.value.kind;
  return isSendMessageResponse(value) ? value.id : null;
}

/**
 * As libraries take a schema that infer what it gives from its function, and not from its `types`.
 */
interface Inferring<Output> {
  readonly "~standard": {
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly unknown[] };
  };
}

declare function outputOf<Output>(schema: Inferring<Output>): Output;

export const part: Part = outputOf(PartSchema);
