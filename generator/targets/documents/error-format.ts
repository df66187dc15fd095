import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { protoSchema } from "../../protocol/json-schema/proto-schema.js";
import type { BindingDef, ErrorDef } from "../../protocol/model/types.js";

/** The text of an error that nobody gave another one. */
export function errorText({ message, reason }: ErrorDef): string {
  return message ?? reason.charAt(0) + reason.slice(1).toLowerCase().replaceAll("_", " ");
}

/** The code of an error on JSON-RPC; where it has none of its own, that of the fault that it is. */
export function jsonRpcCode(error: ErrorDef, { errors, errorRoles }: BindingDef): number {
  const role = error.http >= 500 ? errorRoles.internal : errorRoles.invalidRequest;
  return error.jsonRpc ?? errors.find(({ name }) => name === role)?.jsonRpc ?? -32600;
}

/** What comes with an error without any data of its own; `undefined` where that is nothing. */
export function errorData(error: ErrorDef, binding: BindingDef): readonly object[] | undefined {
  return binding.errorFormat === "status" ? errorInfo(error, binding) : undefined;
}

function errorInfo({ reason }: ErrorDef, { errorDomain }: BindingDef): readonly object[] {
  return [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: errorDomain }];
}

/** The body of a response over HTTP+JSON that has an error. */
export function errorBody(error: ErrorDef, binding: BindingDef): object {
  const message = errorText(error);
  const status = { code: error.http, status: error.grpc, message, details: errorInfo(error, binding) };
  switch (binding.errorFormat) {
    case "status":
      return { error: status };
    case "plain":
      return { code: jsonRpcCode(error, binding), message, type: error.name, error: status };
    case "named":
      return { error: { code: error.reason, message } };
  }
}

const message: JsonSchema = { description: "What went wrong, for people.", type: "string" };

const status: Readonly<Record<string, JsonSchema>> = {
  code: { description: "The status of HTTP.", type: "integer" },
  status: { description: "The name of the status on gRPC.", type: "string" },
  message,
  details: {
    description: "What went wrong, for programs: first a `google.rpc.ErrorInfo`, whose `reason` names the error.",
    type: "array",
    items: protoSchema({ kind: "wellKnown", wellKnown: "Any" }),
  },
};

/** The schema of {@link errorBody}. */
export function errorSchema({ errorFormat }: BindingDef): JsonSchema {
  switch (errorFormat) {
    case "status":
      return within(status);
    case "plain":
      return objectOf({
        code: { description: "The code of the error on JSON-RPC.", type: "integer" },
        message,
        data: { description: "What else there is to say about it, in any form." },
        type: { description: "The name of the error.", type: "string" },
        error: { description: "The error as later versions have it.", ...plain(status) },
      });
    case "named":
      return within({
        code: { description: "The name of the error.", type: "string" },
        message,
        details: { description: "What else there is to say about it, in any form." },
      });
  }
}

function within(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { description, type: "object", properties: { error: plain(members) }, required: ["error"] };
}

function objectOf(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { description, ...plain(members) };
}

const description = "An error, as responses carry it, and streams as their last event.";

/** An object of which all members but data are required. */
function plain(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const required = Object.keys(properties).filter((name) => name !== "details" && name !== "data");
  return { type: "object", properties, required };
}
