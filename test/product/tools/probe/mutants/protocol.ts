import { A2AError } from "../../../../../tools/agents/index.js";
import { accepts, fails, header, on, second, set, status, type Mutant } from "./mutant.js";

const http = "HTTP+JSON 1.0";
const info = (value: unknown) => set("error.data.0", value);

/** Replaces an HTTP response by an empty result. */
const served: Mutant["change"] = (wire) => {
  wire.status = 200;
  wire.body = {};
};

/** Replaces an HTTP response by an internal error. */
const broken: Mutant["change"] = (wire) => {
  wire.status = 500;
  wire.body = { error: { code: 500, status: "INTERNAL", message: "Internal error", details: [] } };
};

/** Mutants of versions, access, errors, JSON-RPC and HTTP+JSON. */
export const protocolMutants: readonly Mutant[] = [
  { rule: "interface-responds", change: (wire) => (wire.body = "<html></html>") },
  { rule: "version-unknown", change: set("error.code", -32600) },
  { rule: "version-malformed", change: accepts() },
  { rule: "version-missing", change: set("error.code", -32001) },
  { rule: "version-query", lane: http, change: broken },
  {
    rule: "version-error-info",
    change: info({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "OTHER" }),
  },
  { rule: "extension-unknown", change: fails },
  { rule: "extension-required", agent: "extended", change: set("error.code", -32001) },
  { rule: "extended-card-undeclared", agent: "plain", change: set("error.code", -32007) },
  { rule: "extended-card-anonymous", agent: "closed", change: accepts({ name: "Agent" }) },
  { rule: "extended-card-served", change: set("result", {}) },
  {
    rule: "auth-required",
    agent: "closed",
    change: (wire, sent) => (status(200)(wire, sent), accepts()(wire, sent)),
  },
  { rule: "auth-challenge", agent: "closed", change: header("www-authenticate", undefined) },
  {
    rule: "auth-invalid",
    agent: "closed",
    change: (wire, sent) => (status(200)(wire, sent), accepts()(wire, sent)),
  },
  { rule: "get-unknown", change: set("error.code", -32603) },
  { rule: "cancel-unknown", change: set("error.code", -32002) },
  { rule: "subscribe-unknown", change: set("error.code", -32004) },
  { rule: "subscribe-undeclared", agent: "plain", change: set("error.code", -32001) },
  { rule: "push-get-unknown", change: accepts({ id: "unknown", url: "https://a2a.example/" }) },
  { rule: "push-list-unknown", change: accepts({ configs: [] }) },
  { rule: "push-undeclared", agent: "plain", change: set("error.code", -32004) },
  { rule: "get-negative-history", change: on("GetTask", set("error.code", -32001)) },
  { rule: "error-message", change: set("error.message", "") },
  { rule: "error-details", change: set("error.data", {}) },
  { rule: "error-detail-type", change: set("error.data.0.@type", undefined) },
  { rule: "error-info", change: set("error.data.0.reason", "NOT_FOUND") },
  { rule: "error-domain", change: set("error.data.0.domain", "example.org") },
  { rule: "error-metadata", change: set("error.data.0.metadata", { taskId: 7 }) },
  { rule: "error-same", change: second(set("error.code", -32603)) },
  {
    rule: "error-no-trace",
    change: set("error.message", "Error: no\n    at find (/srv/agent.js:1:2)"),
  },
  { rule: "rpc-version", change: set("jsonrpc", "1.0") },
  { rule: "rpc-id-number", change: set("id", "42") },
  { rule: "rpc-id-text", change: set("id", null) },
  { rule: "rpc-id-zero", change: set("id", null) },
  { rule: "rpc-exclusive", change: set("result", null) },
  { rule: "rpc-status", change: status(404) },
  { rule: "rpc-content-type", change: header("content-type", "text/html") },
  { rule: "rpc-error-code", change: set("error.code", "-32001") },
  { rule: "rpc-error-message", change: set("error.message", undefined) },
  { rule: "rpc-parse-error", change: set("error.code", -32600) },
  { rule: "rpc-parse-id", change: set("id", undefined) },
  { rule: "rpc-no-method", change: set("error.code", -32601) },
  { rule: "rpc-old-version", change: set("error.code", -32001) },
  { rule: "rpc-method-type", change: set("error.code", -32603) },
  { rule: "rpc-unknown-method", change: set("error.code", -32600) },
  { rule: "rpc-no-id", change: set("error.code", -32001) },
  { rule: "rpc-param-type", change: on("GetTask", set("error.code", -32001)) },
  { rule: "rpc-empty-id", change: set("error.code", -32001) },
  { rule: "rpc-params-list", change: set("error.code", -32603) },
  { rule: "rpc-unknown-param", change: set("error.code", -32602) },
  { rule: "rpc-unknown-member", change: set("error.code", -32600) },
  { rule: "rpc-charset", change: fails },
  { rule: "rpc-get", change: status(200) },
  { rule: "http-not-found", lane: http, change: status(400) },
  {
    rule: "http-error-object",
    lane: http,
    change: (wire) => (wire.body = { title: "Not found", status: 404 }),
  },
  { rule: "http-error-code", lane: http, change: set("error.code", -32001) },
  { rule: "http-error-status", lane: http, change: set("error.status", "UNKNOWN") },
  { rule: "http-error-type", lane: http, change: header("content-type", "text/html") },
  { rule: "http-content-type", lane: http, change: header("content-type", "text/json") },
  { rule: "http-takes-json", lane: http, change: broken },
  { rule: "http-unknown-path", lane: http, change: served },
  { rule: "http-wrong-method", lane: http, change: served },
  { rule: "http-malformed", lane: http, change: broken },
  { rule: "http-query-number", lane: http, change: served },
  { rule: "http-query-unknown", lane: http, change: broken },
  { rule: "http-body-unknown", lane: http, change: broken },
  { rule: "http-escaped-id", lane: http, change: served },
  { rule: "http-subscribe-get", lane: http, change: broken },
];

/** Changes the status of an error over gRPC, but not its details. */
function withStatus(error: A2AError, status: string) {
  return Object.defineProperty(error, "grpcStatus", { value: status });
}

/** Mutants of calls over gRPC: each replaces the error of a call. */
export const grpcMutants: readonly {
  readonly rule: string;
  readonly replace: (error: A2AError) => unknown;
}[] = [
  { rule: "grpc-not-found", replace: (error) => withStatus(error, "UNKNOWN") },
  { rule: "grpc-cancel-not-found", replace: (error) => withStatus(error, "INTERNAL") },
  { rule: "grpc-empty-id", replace: () => new A2AError("Invalid", { grpcStatus: "NOT_FOUND" }) },
  { rule: "grpc-stream-error", replace: (error) => withStatus(error, "UNAVAILABLE") },
];
