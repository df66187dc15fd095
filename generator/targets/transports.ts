import type { OperationDef } from "../protocol/types.js";
import { encloseObject } from "./text.js";
import type { FilePlan, Target } from "./types.js";

/** The JSON-RPC transport of the client; with the target `server` also the endpoint. */
export const jsonrpc: Target = {
  name: "jsonrpc",
  summary: "the JSON-RPC transport of client and server",
  needs: [],
  plan: (protocol, targets) => {
    if (protocol.binding === undefined) return nothing;
    const files = targets.has("client") ? [clientFile("jsonrpc")] : [];
    return { files, exports: [], omissions: [] };
  },
};

/** The HTTP+JSON transport of the client; with the target `server` also the routes. */
export const rest: Target = {
  name: "rest",
  summary: "the HTTP+JSON transport of client and server",
  needs: [],
  plan: (protocol, targets) => {
    if (protocol.binding === undefined) return nothing;
    const files = targets.has("client") ? [clientFile("rest")] : [];
    return { files, exports: [], omissions: [] };
  },
};

/** The gRPC transport of client and server, with the codecs of each operation. */
export const grpc: Target = {
  name: "grpc",
  summary: "the gRPC transport of client and server (imports @grpc/grpc-js and protobufjs)",
  needs: ["protobuf"],
  plan: ({ operations, binding }, targets) => {
    const client = targets.has("client") && binding !== undefined ? [clientFile("grpc")] : [];
    const server = targets.has("server") && binding !== undefined ? [serverFile] : [];
    return { files: [codecsFile(operations), ...client, ...server], exports: [], omissions: [] };
  },
};

const nothing = { files: [], exports: [], omissions: [] };

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
