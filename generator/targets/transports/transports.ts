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
import { emptyPlan, type FilePlan, type Target, type TargetPlan } from "../../emit/plan.js";
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
  const binding = withoutCard(name, protocol) === undefined ? protocol.binding : undefined;
  // Codecs are useful even without the facts from a manifest.
  if (carries !== "bytes" && binding === undefined) return emptyPlan;
  if (!isDefined(transport, protocol)) return withoutProto(name, defined);
  const client =
    binding !== undefined && targets.has("client")
      ? [clientFile(transport, binding, protocol)]
      : [];
  const server =
    binding !== undefined && targets.has("server") && carries === "bytes" ? [serverFile()] : [];
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

function clientFile(
  transport: Transport,
  { errorFormat }: BindingDef,
  protocol: Protocol,
): FilePlan {
  const { name, client } = transport;
  const { factory, declares, create, options, readError, errors, helper, tables } = client;
  const declared = [factory, client.transport, declares, helper?.name].filter(
    (symbol) => symbol !== undefined,
  );
  const imports = new Imports(
    `client/${name}.ts`,
    declared.map((symbol) => symbol.name),
  );
  for (const used of [...create, ...tables]) imports.value(used);
  imports.value(errorFunctions[errorFormat][readError], readError);
  imports.value(errors, "errors");
  if (helper !== undefined) imports.value(helper.value);
  if (helper !== undefined) imports.type(helper.type);
  for (const used of [options, runtime.Transport, runtime.TransportFactory]) imports.type(used);
  const hasMapping = isMapped(transport, protocol);
  if (hasMapping) imports.value(output.restJson, "json");
  return imports.plan(`client/${name}`, { isMapped: hasMapping });
}

function serverFile(): FilePlan {
  const imports = new Imports("server/grpc.ts", ["grpcService", "AgentsByTenant"]);
  imports.value(output.codecs);
  imports.value(runtime.grpcService, "service");
  imports.type(runtime.GrpcService);
  imports.value(runtime.Agent);
  return imports.plan("server/grpc", { byTenant: imports.value(runtime.grpcServiceByTenant) });
}

/** Returns whether a message has resource names, which are composed of ids. */
function hasNames({ fields }: WireMessageDef): boolean {
  return fields.some(({ mapping }) => mapping.kind === "resource");
}

function codecsFile(operations: readonly OperationDef[], { messages }: WireDef): FilePlan {
  const imports = new Imports("codecs.ts", [output.codecs.name]);
  const withNames = new Set(messages.filter(hasNames).map(({ name }) => name));
  const codec = (key: string, message: string | undefined, ref: TypeRef): string[] => {
    if (message === undefined) {
      const none =
        ref.kind === "empty" && ref.json === "null" ? runtime.nullCodec : runtime.emptyCodec;
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
            lines: [
              ...codec("request", rpc.request, request),
              ...codec("response", rpc.response, response),
            ],
          },
        ],
  );
  return imports.plan("codecs", { type: imports.type(runtime.Codecs), operations: entries });
}
