import type {
  BindingDef,
  OperationDef,
  Protocol,
  TypeRef,
  WireDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { errorModule, withoutProto } from "../errors/errors.js";
import { protoJsonFile } from "../protojson/protojson.js";
import { encloseObject } from "../../emit/text.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/** The JSON-RPC transport of the client; with the target `server` also the endpoint. */
export const jsonrpc = httpTransport("jsonrpc", "the JSON-RPC transport of client and server");

/** The HTTP+JSON transport of the client; with the target `server` also the routes. */
export const rest = httpTransport("rest", "the HTTP+JSON transport of client and server");

/** Tells whether client and server have a transport over HTTP: it is asked for, and the version says what it needs. */
export function isServed(target: string, wire: Protocol["wire"], targets: ReadonlySet<string>): boolean {
  return targets.has(target) && (target === jsonrpc.name || wire !== undefined);
}

function httpTransport(name: "jsonrpc" | "rest", summary: string): Target {
  const plan: Target["plan"] = (protocol, targets) => {
    const { binding, wire } = protocol;
    if (binding === undefined) return emptyPlan;
    if (!isServed(name, wire, new Set([name]))) return withoutProto(name, "which routes HTTP+JSON has");
    const isMapped = name === "rest" && wire?.isProtoJson === false;
    const client = targets.has("client") ? [clientFile(name, binding, isMapped)] : [];
    return { ...emptyPlan, files: [...client, ...(isMapped ? [protoJsonFile(protocol, wire)] : [])] };
  };
  return { name, summary, needs: [], plan };
}

/** The gRPC transport of client and server, with the codecs of each operation. */
export const grpc: Target = {
  name: "grpc",
  summary: "the gRPC transport of client and server (imports @grpc/grpc-js)",
  needs: ["protobuf"],
  plan: ({ operations, binding, wire }, targets) => {
    if (wire === undefined) return withoutProto("grpc", "how gRPC carries anything");
    const client = targets.has("client") && binding !== undefined ? [clientFile("grpc", binding)] : [];
    const server = targets.has("server") && binding !== undefined ? [serverFile] : [];
    return { ...emptyPlan, files: [codecsFile(operations, wire), ...client, ...server] };
  },
};

function clientFile(name: "jsonrpc" | "rest" | "grpc", binding: BindingDef, isMapped = false): FilePlan {
  const module = errorModule(binding);
  const runtime = [
    `bindings/${name}/client`,
    "protocol/transport",
    ...(name === "grpc" ? [] : ["http/client"]),
    module,
  ];
  return { path: `client/${name}.ts`, template: `client/${name}`, view: { errorModule: module, isMapped }, runtime };
}

const serverFile: FilePlan = {
  path: "server/grpc.ts",
  template: "server/grpc",
  view: {},
  runtime: ["bindings/grpc/server", "server/agent"],
};

/** Tells whether a message has resource names, which ids are put together into. */
function hasNames({ fields }: WireMessageDef): boolean {
  return fields.some(({ place }) => place.kind === "resource");
}

function codecsFile(operations: readonly OperationDef[], { messages }: WireDef): FilePlan {
  const shared = new Set<string>();
  const named = new Set(messages.filter(hasNames).map(({ name }) => name));
  const codec = (key: string, message: string | undefined, ref: TypeRef): string[] => {
    if (message !== undefined) {
      const names = key === "request" && named.has(message) ? ["hasNames: true"] : [];
      return encloseObject(
        `${key}: `,
        [`encode: pb.encode${message}`, `decode: pb.decode${message}`, ...names],
        ",",
        4,
      );
    }
    const name = ref.kind === "empty" && ref.json === "null" ? "nullCodec" : "emptyCodec";
    shared.add(name);
    return [`${key}: ${name},`];
  };
  const entries = operations.flatMap(({ name, rpc, request, response }) =>
    rpc === undefined
      ? []
      : [{ name, lines: [...codec("request", rpc.request, request), ...codec("response", rpc.response, response)] }],
  );
  const view = {
    shared: [...shared].sort(),
    messages: operations.some(({ rpc }) => rpc?.request !== undefined || rpc?.response !== undefined),
    operations: entries,
  };
  return { path: "codecs.ts", template: "codecs", view, runtime: ["bindings/grpc/status"] };
}
