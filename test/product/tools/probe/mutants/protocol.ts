import { A2AError } from "../../../../../tools/agents/index.js";
import {
  accepts,
  fails,
  header,
  on,
  second,
  set,
  status,
  mutantsOf,
  type Mutant,
} from "./mutant.js";

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
export const protocolMutants = mutantsOf({
  "interface-responds": (wire) => (wire.body = "<html></html>"),
  "version-unknown": set("error.code", -32600),
  "version-malformed": accepts(),
  "version-missing": set("error.code", -32001),
  "version-query": { lane: http, change: broken },
  "version-error-info": info({
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "OTHER",
  }),
  "extension-unknown": fails,
  "extension-required": { agent: "extended", change: set("error.code", -32001) },
  "extended-card-undeclared": { agent: "plain", change: set("error.code", -32007) },
  "extended-card-anonymous": { agent: "closed", change: accepts({ name: "Agent" }) },
  "extended-card-served": set("result", {}),
  "auth-required": {
    agent: "closed",
    change: (wire, sent) => (status(200)(wire, sent), accepts()(wire, sent)),
  },
  "auth-challenge": { agent: "closed", change: header("www-authenticate", undefined) },
  "auth-invalid": {
    agent: "closed",
    change: (wire, sent) => (status(200)(wire, sent), accepts()(wire, sent)),
  },
  "get-unknown": set("error.code", -32603),
  "cancel-unknown": set("error.code", -32002),
  "subscribe-unknown": set("error.code", -32004),
  "subscribe-undeclared": { agent: "plain", change: set("error.code", -32001) },
  "push-get-unknown": accepts({ id: "unknown", url: "https://a2a.example/" }),
  "push-list-unknown": accepts({ configs: [] }),
  "push-undeclared": { agent: "plain", change: set("error.code", -32004) },
  "get-negative-history": on("GetTask", set("error.code", -32001)),
  "error-message": set("error.message", ""),
  "error-details": set("error.data", {}),
  "error-detail-type": set("error.data.0.@type", undefined),
  "error-info": set("error.data.0.reason", "NOT_FOUND"),
  "error-domain": set("error.data.0.domain", "example.org"),
  "error-metadata": set("error.data.0.metadata", { taskId: 7 }),
  "error-same": second(set("error.code", -32603)),
  "error-no-trace": set("error.message", "Error: no\n    at find (/srv/agent.js:1:2)"),
  "rpc-version": set("jsonrpc", "1.0"),
  "rpc-id-number": set("id", "42"),
  "rpc-id-text": set("id", null),
  "rpc-id-zero": set("id", null),
  "rpc-exclusive": set("result", null),
  "rpc-status": status(404),
  "rpc-content-type": header("content-type", "text/html"),
  "rpc-error-code": set("error.code", "-32001"),
  "rpc-error-message": set("error.message", undefined),
  "rpc-parse-error": set("error.code", -32600),
  "rpc-parse-id": set("id", undefined),
  "rpc-no-method": set("error.code", -32601),
  "rpc-old-version": set("error.code", -32001),
  "rpc-method-type": set("error.code", -32603),
  "rpc-unknown-method": set("error.code", -32600),
  "rpc-no-id": set("error.code", -32001),
  "rpc-param-type": on("GetTask", set("error.code", -32001)),
  "rpc-empty-id": set("error.code", -32001),
  "rpc-params-list": set("error.code", -32603),
  "rpc-unknown-param": set("error.code", -32602),
  "rpc-unknown-member": set("error.code", -32600),
  "rpc-charset": fails,
  "rpc-get": status(200),
  "http-not-found": { lane: http, change: status(400) },
  "http-error-object": {
    lane: http,
    change: (wire) => (wire.body = { title: "Not found", status: 404 }),
  },
  "http-error-code": { lane: http, change: set("error.code", -32001) },
  "http-error-status": { lane: http, change: set("error.status", "UNKNOWN") },
  "http-error-type": { lane: http, change: header("content-type", "text/html") },
  "http-content-type": { lane: http, change: header("content-type", "text/json") },
  "http-takes-json": { lane: http, change: broken },
  "http-unknown-path": { lane: http, change: served },
  "http-wrong-method": { lane: http, change: served },
  "http-malformed": { lane: http, change: broken },
  "http-query-number": { lane: http, change: served },
  "http-query-unknown": { lane: http, change: broken },
  "http-body-unknown": { lane: http, change: broken },
  "http-escaped-id": { lane: http, change: served },
  "http-subscribe-get": { lane: http, change: broken },
});

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
