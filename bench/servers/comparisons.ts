import {
  encodeSendMessageRequest,
  decodeSendMessageResponse,
  decodeStreamResponse,
} from "../../generated/1.0/protobuf.js";
import {
  parseSendMessageRequest,
  parseSendMessageResponse,
  parseStreamResponse,
} from "../../generated/1.0/index.js";
import type { Comparison, Side, Wire } from "./compare.js";
import { fanOutLine, subscribers } from "./fan-out-line.js";
import { grpcWire } from "./grpc-wire.js";
import { httpLine } from "./http-line.js";
import { concurrentCalls } from "./line.js";
import { paths, userMessage, type Kind } from "./work.js";

const headers = { "content-type": "application/json", "a2a-version": "1.0" };
const params = { message: userMessage };

function overHttp(
  path: string,
  body: unknown,
  stream: boolean,
  read: (json: unknown) => unknown,
): Wire {
  const accept = stream ? "text/event-stream" : "application/json";
  const request = { path, headers: { ...headers, accept }, body: JSON.stringify(body), stream };
  return {
    open: ({ httpPort }) =>
      Promise.all(Array.from({ length: concurrentCalls }, () => httpLine(httpPort, request))),
    read: (response) => read(JSON.parse(response.toString("utf8"))),
  };
}

function jsonRpc(method: string, stream: boolean): Wire {
  const parse = stream ? parseStreamResponse : parseSendMessageResponse;
  const envelope = { jsonrpc: "2.0", id: 1, method, params };
  return overHttp(paths.jsonRpc, envelope, stream, (json) =>
    parse((json as { readonly result: unknown }).result),
  );
}

function rest(operation: string, stream: boolean): Wire {
  const parse = stream ? parseStreamResponse : parseSendMessageResponse;
  return overHttp(`${paths.rest}/message:${operation}`, params, stream, parse);
}

function grpc(method: string, read: (bytes: Uint8Array) => unknown): Wire {
  const message = encodeSendMessageRequest(parseSendMessageRequest(params));
  const path = `/lf.a2a.v1.A2AService/${method}`;
  return grpcWire({ path, metadata: { "a2a-version": "1.0" }, message }, read);
}

const unary = {
  jsonRpc: jsonRpc("SendMessage", false),
  rest: rest("send", false),
  grpc: grpc("SendMessage", decodeSendMessageResponse),
};

const streams = {
  jsonRpc: jsonRpc("SendStreamingMessage", true),
  rest: rest("stream", true),
  grpc: grpc("SendStreamingMessage", decodeStreamResponse),
};

/** One task at a time, with many subscribers. */
const fanOut: Wire = {
  open: async ({ httpPort }) => [await fanOutLine(httpPort)],
  read: streams.jsonRpc.read,
};

const sdk = { name: "@a2a-js/sdk", host: "sdk" };

function against(
  peer: Omit<Side, "kind" | keyof Wire>,
  name: string,
  kind: Kind,
  wire: Wire,
): Comparison {
  const unit = kind === "task" || kind === "message" ? "requests/s" : "events/s";
  const ours = { name: "ours", host: "ours", kind, ...wire };
  return { name, unit, ours, peer: { ...peer, kind, ...wire } };
}

/** Our own server for gRPC, against our service for `@grpc/grpc-js`. */
function againstPackage(name: string, kind: Kind, wire: Wire): Comparison {
  const peer = { name: "ours on @grpc/grpc-js", host: "grpc-js" };
  return against(peer, `${name}, own server`, kind, wire);
}

/**
 * An agent on the task kit, against the same agent on the kit of the SDK, and against an agent with
 * its own task store.
 */
function kitAgainst(
  peer: Omit<Side, "kind" | keyof Wire>,
  name: string,
  kind: Kind,
  wire: Wire,
): Comparison {
  const { ours, ...rest } = against(peer, name, kind, wire);
  return { ...rest, ours: { ...ours, name: "ours, task kit", host: "kit" } };
}

/**
 * The task kit against the SDK with many subscribers of one task. A call is a whole task, so turns
 * are longer.
 */
function toMany(what: string, kind: Kind): Comparison {
  return {
    ...kitAgainst(sdk, `Events to ${subscribers} subscribers${what}`, kind, fanOut),
    turnMs: 200,
  };
}

/** All comparisons. */
export const comparisons: readonly Comparison[] = [
  against(sdk, "JSON-RPC, a stored task", "task", unary.jsonRpc),
  against(
    { name: "bare node:http", host: "bare" },
    "JSON-RPC, a message",
    "message",
    unary.jsonRpc,
  ),
  kitAgainst(sdk, "Task kit, JSON-RPC", "task", unary.jsonRpc),
  kitAgainst(
    { name: "our bare service", host: "ours" },
    "Task kit against a bare service",
    "task",
    unary.jsonRpc,
  ),
  against(sdk, "HTTP+JSON, a stored task", "task", unary.rest),
  against(sdk, "gRPC, a message", "message", unary.grpc),
  against(sdk, "gRPC, a stored task", "task", unary.grpc),
  againstPackage("gRPC, a stored task", "task", unary.grpc),
  against(sdk, "Events over JSON-RPC", "stream", streams.jsonRpc),
  toMany("", "fanOut"),
  toMany(", one by one", "slowFanOut"),
  against(sdk, "Events over HTTP+JSON", "stream", streams.rest),
  against(sdk, "Events over gRPC", "stream", streams.grpc),
  againstPackage("Events over gRPC", "stream", streams.grpc),
  against(
    { name: "the same as a Web handler", host: "web" },
    "Node listener, a message",
    "message",
    unary.jsonRpc,
  ),
];
