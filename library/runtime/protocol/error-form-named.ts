import { A2AError, onlyClass, type ErrorWriter, type HttpErrorReader } from "./error.js";
import { dataOf, dataOptions, plainErrorWriter } from "./error-form-plain.js";
import { errorWriter } from "./error-form-status.js";
import { isJsonValue, isObject } from "../base/json.js";

// Over HTTP+JSON, the code of an error is its reason: `{ error: { code: "TASK_NOT_FOUND", … } }`.

/**
 * Writes errors with their reason over HTTP+JSON, with a code over JSON-RPC, and as
 * `google.rpc.Status` over gRPC.
 */
export const namedErrorWriter: ErrorWriter = {
  jsonRpc: plainErrorWriter.jsonRpc,
  http(error) {
    const details = dataOf(error);
    return {
      error: {
        code: error.reason,
        message: error.message,
        ...(details === undefined ? {} : { details }),
      },
    };
  },
  grpc: errorWriter.grpc,
};

/**
 * Reads an error. Its class is determined by the reason, or by the status if only one class has
 * that status.
 */
export const readNamedHttpError: HttpErrorReader = {
  members: ["error"],
  read(body, errors, status) {
    const error = isObject(body) ? body["error"] : undefined;
    if (!isObject(error)) return undefined;
    const { code, message, details } = error;
    if (typeof code !== "string" && status === undefined) return undefined;
    const Named = errors.classes.find(({ row }) => row.reason === code);
    const Found = Named ?? onlyClass(errors, ({ row }) => row.http === status) ?? A2AError;
    const codeText = typeof code === "string" ? code : `HTTP status ${String(status)}`;
    const text = typeof message === "string" ? message : `The server responded with ${codeText}`;
    return new Found(text, {
      ...dataOptions(details),
      ...(Named === undefined && isJsonValue(error) ? { data: error } : {}),
      httpStatus: status ?? Found.row.http,
    });
  },
};
