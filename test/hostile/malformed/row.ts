import type { Body, OperationName, Subject } from "../subject.js";
import { rpc, type GrpcSend, type HttpSend } from "../wire.js";

/** The errors that a malformed request may lead to, by their reasons. */
export type Reason =
  | "JSON_PARSE"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS"
  | "CONTENT_TYPE_NOT_SUPPORTED";

/**
 * A malformed request, on the bindings that it can be sent over, and the error that it leads to.
 */
export interface Malformed {
  /** Defect of the request, such as `a message without parts`. */
  readonly title: string;
  readonly jsonRpc?: HttpSend;
  readonly http?: HttpSend;
  readonly grpc?: GrpcSend;
  readonly reason: Reason;
  /** A field that the error names, or a field inside of it; several are all that it names. */
  readonly field?: string | readonly string[];
  /** The id of the JSON-RPC response; 1 where absent. */
  readonly id?: unknown;
  /** Status of the response over both HTTP transports if it differs from the usual status. */
  readonly status?: number;
}

/** Body of a request: JSON, a string that is sent unchanged, or bytes. */
export type Content = string | Uint8Array | object | number | null;

const written = (body: Content) =>
  typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);

/** Makes the rows of a version. */
export class Rows {
  readonly subject: Subject;

  constructor(subject: Subject) {
    this.subject = subject;
  }

  /** A body that is posted to the JSON-RPC endpoint. */
  rpc(title: string, body: Content, reason: Reason, id: unknown = null): Malformed {
    return { title, jsonRpc: this.#post("/rpc", written(body)), reason, id };
  }

  /** A body that is posted below the base of HTTP+JSON. */
  http(title: string, path: string, body: Content, field: Malformed["field"] = []): Malformed {
    return {
      title,
      http: this.#post(this.subject.base + path, written(body)),
      reason: "INVALID_PARAMS",
      field,
    };
  }

  /** A path with a query that is read. */
  get(title: string, path: string, field: Malformed["field"] = []): Malformed {
    const http = { method: "GET", path: this.subject.base + path, headers: this.subject.headers };
    return { title, http, reason: "INVALID_PARAMS", field };
  }

  /** Body that both HTTP transports read in the same way. */
  body(
    title: string,
    body: Content,
    reason: Reason,
    headers: Readonly<Record<string, string>> = {},
  ): Malformed {
    const path = `${this.subject.base}/message:send`;
    const [jsonRpc, http] = ["/rpc", path].map((each) =>
      this.#post(each, written(body), headers),
    ) as [HttpSend, HttpSend];
    return { title, jsonRpc, http, reason, id: null };
  }

  /** The request that sends a message, as JSON, on both HTTP bindings. */
  message(title: string, request: string, field: Malformed["field"]): Malformed {
    const { jsonRpc: method } = this.subject.operations.SendMessage;
    const body = JSON.stringify(rpc(method, "@@")).replace('"@@"', () => request);
    return {
      title,
      reason: "INVALID_PARAMS",
      id: 1,
      ...(field !== undefined && { field }),
      jsonRpc: this.#post("/rpc", body),
      http: this.#post(`${this.subject.base}/message:send`, request),
    };
  }

  /** A request of the model, over every binding. */
  everywhere(
    title: string,
    name: OperationName,
    request: Body,
    field: Malformed["field"],
  ): Malformed {
    const { operations, headers } = this.subject;
    const { jsonRpc: method, grpc, encode, place } = operations[name];
    const { body, ...placed } = place(request);
    const http =
      body === undefined ? { ...placed, headers } : this.#post(placed.path, written(body));
    return {
      title,
      reason: "INVALID_PARAMS",
      id: 1,
      ...(field !== undefined && { field }),
      jsonRpc: this.#post("/rpc", written(rpc(method, request))),
      http,
      grpc: { method: grpc, bytes: encode(request) },
    };
  }

  /** Bytes that are sent to a gRPC method. */
  grpc(title: string, method: string, bytes: Uint8Array, field?: string): Malformed {
    return {
      title,
      grpc: { method, bytes },
      reason: "INVALID_PARAMS",
      ...(field !== undefined && { field }),
    };
  }

  #post(
    path: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): HttpSend {
    return {
      path,
      body,
      headers: { "content-type": "application/json", ...this.subject.headers, ...headers },
    };
  }
}
