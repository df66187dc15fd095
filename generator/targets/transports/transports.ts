import type {
  BindingDef,
  OperationDef,
  Protocol,
  TypeRef,
  WireDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import { agentBinding, withoutProto } from "../errors/errors.js";
import { routesFile } from "../client/routes.js";
import { protoJsonFile } from "../protojson/protojson.js";
import { Imports } from "../../emit/imports.js";
import { output, outputNamespaces } from "../../emit/output-modules.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { encloseObject, keyOf } from "../../emit/text.js";
import { emptyPlan, type FilePlan, type Target, type TargetPlan } from "../../emit/plan.js";
import { hasServices } from "../services/services.js";
import { servicesGrpcFiles } from "../services/server.js";
import { isDefined, isMapped, transports, type Transport } from "./table.js";

/**
 * Targets of the transports: their files in the client, and the transport-specific files of the
 * server.
 */
export const transportTargets: readonly Target[] = transports.map((transport) => ({
  name: transport.name,
  summary: transport.summary,
  needs: transport.needs,
  plan: (protocol, targets) => planOf(transport, protocol, targets),
}));

function planOf(
  transport: Transport,
  protocol: Protocol,
  targets: ReadonlySet<string>,
): TargetPlan {
  const { name, carries, defined } = transport;
  const binding = hasServices(protocol) ? protocol.binding : agentBinding(protocol);
  // Codecs are useful even without the facts from a manifest.
  if (carries !== "bytes" && binding === undefined) return emptyPlan;
  if (!isDefined(transport, protocol)) return withoutProto(name, defined);
  const client =
    binding !== undefined && targets.has("client") ? clientFiles(transport, binding, protocol) : [];
  const server =
    binding !== undefined && targets.has("server") && carries === "bytes"
      ? hasServices(protocol)
        ? servicesGrpcFiles()
        : [serverFile(), portFile()]
      : [];
  return { ...emptyPlan, files: [...tableFiles(transport, protocol), ...client, ...server] };
}

/**
 * Plans the file with the codecs or the ProtoJSON conversions that a transport requires, if any.
 */
function tableFiles(transport: Transport, protocol: Protocol): FilePlan[] {
  const { operations, wire } = protocol;
  if (wire === undefined) return [];
  if (transport.carries === "bytes") return [codecsFile(operations, wire)];
  return isMapped(transport, protocol) ? [protoJsonFile(protocol, wire)] : [];
}

function clientFiles(
  transport: Transport,
  { errorFormat }: BindingDef,
  protocol: Protocol,
): FilePlan[] {
  const { name, client } = transport;
  const { factory, declares, create, options, readError, errors, helper, tables } = client;
  const declared = [factory, client.transport, declares, helper?.name];
  const imports = new Imports(
    `client/${name}.ts`,
    declared.filter((symbol) => symbol !== undefined),
  );
  const hasMapping = isMapped(transport, protocol);
  const hasRoutes = transport.carries === "protojson" && !hasMapping;
  imports.use(...create, options, runtime.Transport, runtime.TransportFactory);
  imports.use(
    ...tables.map((table) => (hasRoutes && table === output.operations ? output.routes : table)),
  );
  imports.value(errorFunctions[errorFormat][readError], readError);
  imports.value(errors, "errors");
  if (helper !== undefined) {
    imports.use(helper.value);
    imports.type(helper.type);
  }
  if (hasMapping) imports.value(output.restJson, "json");
  const plan = imports.plan(`client/${name}`, { isMapped: hasMapping, hasRoutes });
  return hasRoutes ? [plan, routesFile(protocol)] : [plan];
}

function serverFile(): FilePlan {
  const imports = new Imports("server/grpc.ts", ["grpcService", "AgentsByTenant"]);
  imports.use(output.codecs, runtime.Agent, runtime.GrpcService, runtime.grpcServiceByTenant);
  imports.value(runtime.grpcService, "service");
  return imports.plan("server/grpc", {});
}

/** Plans the server for all transports on one port. */
function portFile(): FilePlan {
  const imports = new Imports("server/http2.ts", ["AgentServerOptions", "createAgentServer"]);
  imports.use(output.codecs, output.AgentsByPath, output.HttpHandlerOptions);
  imports.use(output.AgentsByTenant, output.nodeListener);
  imports.use(runtime.Agent, runtime.NodeListener, runtime.NodeOptions);
  imports.use(runtime.createWireServer, runtime.WireServer, runtime.WireServerOptions);
  imports.use(runtime.grpcMethods, runtime.grpcMethodsByTenant, runtime.WireMethods);
  return imports.plan("server/http2", {});
}

function codecsFile(operations: readonly OperationDef[], { messages }: WireDef): FilePlan {
  const imports = new Imports("codecs.ts", [output.codecs]);
  imports.use(runtime.Codecs);
  const withNames = new Set(messages.filter(hasResourceNames).map(({ name }) => name));
  const entries = operations.flatMap(({ name, rpc, request, response }) => {
    if (rpc === undefined) return [];
    const hasNames = rpc.request !== undefined && withNames.has(rpc.request);
    const lines = [
      ...codecLines("request", { message: rpc.request, type: request, hasNames }, imports),
      ...codecLines("response", { message: rpc.response, type: response }, imports),
    ];
    return [{ name: keyOf(name), lines }];
  });
  return imports.plan("codecs", { operations: entries });
}

/** Returns whether a message has resource names, which are composed of ids. */
function hasResourceNames({ fields }: WireMessageDef): boolean {
  return fields.some(({ mapping }) => mapping.kind === "resource");
}

/** A request or response: its message, its type in the model, and whether it has resource names. */
interface CodecParts {
  readonly message: string | undefined;
  readonly type: TypeRef;
  readonly hasNames?: boolean;
}

function codecLines(
  key: string,
  { message, type, hasNames = false }: CodecParts,
  imports: Imports,
): string[] {
  if (message === undefined) {
    const isNull = type.kind === "empty" && type.json === "null";
    return [`${key}: ${imports.value(isNull ? runtime.nullCodec : runtime.emptyCodec)},`];
  }
  const pb = imports.namespace(outputNamespaces.protobuf);
  const functions = [`encode: ${pb}.encode${message}`, `decode: ${pb}.decode${message}`];
  const members = hasNames ? [...functions, "hasNames: true"] : functions;
  return encloseObject(`${key}: `, members, ",", 4);
}
