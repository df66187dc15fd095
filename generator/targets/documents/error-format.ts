import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { protoSchema } from "../../protocol/json-schema/proto-schema.js";
import type { BindingDef, ErrorDef } from "../../protocol/model/types.js";

/** Returns the default message of an error. */
export function errorText({ message, reason }: ErrorDef): string {
  return message ?? reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll("_", " ");
}

/**
 * Returns the JSON-RPC code of an error. For an error without a code, returns the code of an
 * internal error or of an invalid request, depending on the error's HTTP status.
 */
export function jsonRpcCode(error: ErrorDef, { errors, errorRoles }: BindingDef): number {
  const role = error.http >= 500 ? errorRoles.internal : errorRoles.invalidRequest;
  return error.jsonRpc ?? errors.find(({ name }) => name === role)?.jsonRpc ?? -32600;
}

/**
 * Returns the data that is sent with an error if the error itself contains no data; `undefined` if
 * nothing is sent.
 */
export function errorData(error: ErrorDef, binding: BindingDef): readonly object[] | undefined {
  const { errorFormat, errorDomain } = binding;
  const isIdentified = errorFormat === "status" && errorDomain !== undefined;
  return isIdentified ? errorInfo(error, binding) : undefined;
}

function errorInfo({ reason }: ErrorDef, { errorDomain }: BindingDef): readonly object[] {
  if (errorDomain === undefined) return [];
  return [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: errorDomain }];
}

/** Returns the body of an HTTP+JSON response for an error. */
export function errorBody(error: ErrorDef, binding: BindingDef): object {
  const message = errorText(error);
  const status = {
    code: error.http,
    status: error.grpc,
    message,
    details: errorInfo(error, binding),
  };
  switch (binding.errorFormat) {
    case "status":
      return { error: status };
    case "plain":
      return { code: jsonRpcCode(error, binding), message, type: error.name, error: status };
    case "named":
      return { error: { code: error.reason, message } };
  }
}

const message: JsonSchema = { description: "Message for people.", type: "string" };

const details: JsonSchema = {
  description: "Details for programs, such as a `google.rpc.BadRequest`.",
  type: "array",
  items: protoSchema({ kind: "wellKnown", wellKnown: "Any" }),
};

const status: Readonly<Record<string, JsonSchema>> = {
  code: { description: "The HTTP status.", type: "integer" },
  status: { description: "The name of the gRPC status.", type: "string" },
  message,
  details: {
    description:
      "Details for programs. The first element is a `google.rpc.ErrorInfo`, whose `reason` " +
      "identifies the error.",
    type: "array",
    items: protoSchema({ kind: "wellKnown", wellKnown: "Any" }),
  },
};

/** Returns the schema of {@link errorBody}. */
export function errorSchema({ errorFormat, errorDomain }: BindingDef): JsonSchema {
  switch (errorFormat) {
    case "status":
      return within(errorDomain === undefined ? { ...status, details } : status);
    case "plain":
      return objectOf({
        code: { description: "The JSON-RPC code of the error.", type: "integer" },
        message,
        data: { description: "Additional data about the error, in any form." },
        type: { description: "The name of the error.", type: "string" },
        error: { description: "The error in the format of later versions.", ...plain(status) },
      });
    case "named":
      return within({
        code: { description: "The name of the error.", type: "string" },
        message,
        details: { description: "Additional data about the error, in any form." },
      });
  }
}

function within(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    description,
    type: "object",
    properties: { error: plain(members) },
    required: ["error"],
  };
}

function objectOf(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { description, ...plain(members) };
}

const description = "An error, in a response or in the last event of a stream.";

/**
 * Returns the schema of an object in which every member except `details` and `data` is required.
 */
function plain(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const required = Object.keys(properties).filter((name) => name !== "details" && name !== "data");
  return { type: "object", properties, required };
}
