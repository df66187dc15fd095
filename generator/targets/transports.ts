import type { OperationDef } from "../protocol/types.js";
import { encloseObject } from "./text.js";
import { emptyPlan, type FilePlan, type Target } from "./types.js";

/** The JSON-RPC transport of the client; with the target `server` also the endpoint. */
export const jsonrpc = httpTransport("jsonrpc", "the JSON-RPC transport of client and server");

/** The HTTP+JSON transport of the client; with the target `server` also the routes. */
export const rest = httpTransport("rest", "the HTTP+JSON transport of client and server");

function httpTransport(name: "jsonrpc" | "rest", summary: string): Target {
  const plan: Target["plan"] = ({ binding }, targets) =>
    binding !== undefined && targets.has("client") ? { ...emptyPlan, files: [clientFile(name)] } : emptyPlan;
  return { name, summary, needs: [], plan };
}

/** The gRPC transport of client and server, with the codecs of each operation. */
export const grpc: Target = {
  name: "grpc",
  summary: "the gRPC transport of client and server (imports @grpc/grpc-js and protobufjs)",
  needs: ["protobuf"],
  plan: ({ operations, binding }, targets) => {
    const client = targets.has("client") && binding !== undefined ? [clientFile("grpc")] : [];
    const server = targets.has("server") && binding !== undefined ? [serverFile] : [];
    return { ...emptyPlan, files: [codecsFile(operations), ...client, ...server] };
  },
};

function clientFile(name: "jsonrpc" | "rest" | "grpc"): FilePlan {
  const runtime = [`client/${name}`, "client/transport", ...(name === "grpc" ? [] : ["client/http"])];
  return { path: `client/${name}.ts`, template: `client/${name}`, view: {}, runtime };
}

const serverFile: FilePlan = { path: "server/grpc.ts", template: "server/grpc", view: {}, runtime: ["server/grpc"] };

function codecsFile(operations: readonly OperationDef[]): FilePlan {
  const codec = (key: string, ref: OperationDef["request"]): string[] => {
    if (ref.kind === "empty") return [`${key}: emptyCodec,`];
    return encloseObject(`${key}: `, [`encode: pb.encode${ref.name}`, `decode: pb.decode${ref.name}`], ",", 4);
  };
  const all = operations.flatMap(({ request, response }) => [request, response]);
  const view = {
    empty: all.some(({ kind }) => kind === "empty"),
    messages: all.some(({ kind }) => kind === "message"),
    operations: operations.map(({ name, request, response }) => ({
      name,
      lines: [...codec("request", request), ...codec("response", response)],
    })),
  };
  return { path: "codecs.ts", template: "codecs", view, runtime: ["grpc"] };
}
