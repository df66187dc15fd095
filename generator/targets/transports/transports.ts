import type {
  BindingDef,
  OperationDef,
  Protocol,
  TypeRef,
  WireDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { withoutCard, withoutProto } from "../errors/errors.js";
import { protoJsonFile } from "../protojson/protojson.js";
import { Imports } from "../../emit/imports.js";
import { output, outputNamespaces } from "../../emit/output-modules.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { encloseObject, keyOf } from "../../emit/text.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/** The JSON-RPC transport of the client; with the target `server` also the endpoint. */
export const jsonrpc = httpTransport("jsonrpc", "the JSON-RPC transport of client and server");

/** The HTTP+JSON transport of the client; with the target `server` also the routes. */
export const rest = httpTransport("rest", "the HTTP+JSON transport of client and server");

/** Returns whether client and server have a transport over HTTP: it is asked for, and the version says what it needs. */
export function isServed(target: string, { operations, wire }: Protocol, targets: ReadonlySet<string>): boolean {
  const hasRoutes = wire !== undefined || operations.some(({ http }) => http.length > 0);
  return targets.has(target) && (target === jsonrpc.name || hasRoutes);
}

function httpTransport(name: "jsonrpc" | "rest", summary: string): Target {
  const plan: Target["plan"] = (protocol, targets) => {
    const { binding, wire } = protocol;
    if (binding === undefined || withoutCard(name, protocol) !== undefined) return emptyPlan;
    if (!isServed(name, protocol, new Set([name]))) return withoutProto(name, "which routes HTTP+JSON has");
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
  plan: (protocol, targets) => {
    const { operations, wire } = protocol;
    const binding = withoutCard("grpc", protocol) === undefined ? protocol.binding : undefined;
    if (wire === undefined) return withoutProto("grpc", "how gRPC carries anything");
    const client = targets.has("client") && binding !== undefined ? [clientFile("grpc", binding)] : [];
    const server = targets.has("server") && binding !== undefined ? [serverFile()] : [];
    return { ...emptyPlan, files: [codecsFile(operations, wire), ...client, ...server] };
  },
};

/** What a transport of the client declares and imports. */
const clientParts = {
  jsonrpc: {
    declared: [output.jsonRpc.name, output.jsonRpcTransport.name],
    create: runtime.createJsonRpcTransport,
    reader: "readJsonRpcError",
    values: [],
    types: [runtime.HttpOptions],
  },
  rest: {
    declared: [output.rest.name, output.restTransport.name],
    create: runtime.createRestTransport,
    reader: "readHttpError",
    values: [output.errors, output.operations, output.protocol],
    types: [runtime.HttpOptions],
  },
  grpc: {
    declared: ["GrpcOptions", "grpc", "grpcTransport"],
    create: runtime.createGrpcTransport,
    reader: "readGrpcError",
    values: [output.codecs, output.errors, output.operations, output.protocol],
    types: [runtime.GrpcTransportOptions],
  },
} as const;

function clientFile(name: "jsonrpc" | "rest" | "grpc", { errorFormat }: BindingDef, isMapped = false): FilePlan {
  const { declared, create, reader, values, types } = clientParts[name];
  const imports = new Imports(`client/${name}.ts`, declared);
  for (const used of [create, ...values, errorFunctions(errorFormat)[reader]]) imports.value(used);
  for (const used of [...types, runtime.Transport, runtime.TransportFactory]) imports.type(used);
  if (name === "jsonrpc") {
    imports.value(output.clientProtocol);
    imports.value(output.clientErrors, "errors");
  }
  if (isMapped) imports.value(output.restJson, "json");
  return imports.plan(`client/${name}`, { isMapped });
}

function serverFile(): FilePlan {
  const imports = new Imports("server/grpc.ts", ["grpcService"]);
  imports.value(output.codecs);
  imports.value(runtime.grpcService, "service");
  imports.type(runtime.GrpcService);
  imports.value(runtime.Agent);
  return imports.plan("server/grpc", {});
}

/** Returns whether a message has resource names, which ids are put together into. */
function hasNames({ fields }: WireMessageDef): boolean {
  return fields.some(({ place }) => place.kind === "resource");
}

function codecsFile(operations: readonly OperationDef[], { messages }: WireDef): FilePlan {
  const imports = new Imports("codecs.ts", [output.codecs.name]);
  const withNames = new Set(messages.filter(hasNames).map(({ name }) => name));
  const codec = (key: string, message: string | undefined, ref: TypeRef): string[] => {
    if (message === undefined) {
      const none = ref.kind === "empty" && ref.json === "null" ? runtime.nullCodec : runtime.emptyCodec;
      return [`${key}: ${imports.value(none)},`];
    }
    const pb = imports.namespace(outputNamespaces.protobuf);
    const names = key === "request" && withNames.has(message) ? ["hasNames: true"] : [];
    const members = [`encode: ${pb}.encode${message}`, `decode: ${pb}.decode${message}`, ...names];
    return encloseObject(`${key}: `, members, ",", 4);
  };
  const entries = operations.flatMap(({ name, rpc, request, response }) =>
    rpc === undefined
      ? []
      : [
          {
            name: keyOf(name),
            lines: [...codec("request", rpc.request, request), ...codec("response", rpc.response, response)],
          },
        ],
  );
  return imports.plan("codecs", { type: imports.type(runtime.Codecs), operations: entries });
}
