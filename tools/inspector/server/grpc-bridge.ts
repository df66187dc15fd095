import { grpc } from "../../../generated/1.0/client/grpc.js";
import { errors } from "../../../generated/1.0/errors.js";
import { operations, protocol } from "../../../generated/1.0/operations.js";
import { grpc as grpc0_3 } from "../../../generated/1.0/versions/0.3/grpc.js";
import {
  A2AError,
  type Call,
  errorWriter,
  type TransportFactory,
} from "a2a-codegen-runtime/internal/core";
import { reasonOf } from "../../../support/diagnostics.js";
import type { GrpcBridge, GrpcCall } from "./grpc.js";

/** Members of a JSON-RPC request from the page. */
interface JsonRpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/** HTTP headers that have no meaning as gRPC metadata. */
const httpHeaders = new Set(["accept", "content-type"]);

/** Converts the JSON-RPC requests of the page to gRPC calls. */
export const grpcBridge: GrpcBridge = {
  call(call, signal) {
    const request = JSON.parse(call.body) as JsonRpcRequest;
    const operation = operations.find(({ jsonRpc }) => jsonRpc === request.method);
    if (operation === undefined) throw new Error(`Unknown operation "${request.method}"`);
    const headers = Object.fromEntries(
      Object.entries(call.headers).filter(([name]) => !httpHeaders.has(name)),
    );
    const sent: Call = {
      name: operation.name,
      operation,
      request: request.params,
      headers,
      signal,
    };
    const isStream = operation.streaming !== "none";
    return { isStream, responses: responsesOf(sent, call, request, isStream) };
  },
};

async function* responsesOf(
  sent: Call,
  { target, version }: GrpcCall,
  { id }: JsonRpcRequest,
  isStream: boolean,
): AsyncGenerator<object> {
  const transport = factoryFor(version).open({
    url: target,
    binding: protocol.bindings.grpc,
    version,
    tenant: undefined,
  });
  try {
    const results = isStream ? transport.stream(sent) : [await transport.unary(sent)];
    for await (const result of results) yield { jsonrpc: "2.0", id, result: result ?? {} };
  } catch (error) {
    const failure =
      error instanceof A2AError ? errorWriter.jsonRpc(error, errors) : unreachable(error);
    yield { jsonrpc: "2.0", id, error: failure };
  } finally {
    transport.close?.();
  }
}

/** Returns the JSON-RPC error for a call that the agent has not responded to. */
function unreachable(error: unknown): object {
  return { code: -32_000, message: reasonOf(error) };
}

function factoryFor(version: string): TransportFactory {
  const factory = [grpc(), grpc0_3()].find(
    ({ version: known = protocol.version }) => known === version,
  );
  if (factory === undefined) throw new Error(`gRPC of version ${version} is not supported`);
  return factory;
}
