import { freeName, Imports } from "../../emit/imports.js";
import type { FilePlan } from "../../emit/plan.js";
import { relocated } from "../../emit/relocate.js";
import { symbolsOf, typeRef, valueRef } from "../../emit/symbols.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type { OperationDef } from "../../protocol/model/types.js";
import { enclose } from "../../emit/text.js";
import { typeExports } from "../../protocol/names/names.js";
import { languageNames } from "../../protocol/names/reserved.js";
import { wordsOf } from "../../../support/names.js";
import { methodPlan, methodView, type AgentServicePlan, type MethodParts } from "../agent/agent.js";
import { serviceDocs, servicesOf, type ServiceProtocol } from "./services.js";

/** The output of a protocol with services, and its folder below the output folder, if any. */
export interface ServiceOutput {
  readonly folder: string;
  readonly protocol: ServiceProtocol;
  /** The modules that its `index.ts` exports, relative to `folder`. */
  readonly exports: readonly string[];
}

/** Plan of the file that implements a service. Its path is relative to the folder of the program. */
export interface ImplementationPlan {
  readonly output: ServiceOutput;
  readonly fullName: string;
  readonly className: string;
  readonly file: FilePlan;
  /** The service, for merging its methods into a file that already implements it. */
  readonly service: AgentServicePlan;
}

type Service = ReturnType<typeof servicesOf>[number];

/** Exports of the output that the program imports, relative to the output folder. */
const programApi = symbolsOf("", {
  "node:http": { values: ["createServer"] },
  "server/http2": { values: ["createServiceServer"] },
  "server/node": { values: ["nodeListener"] },
});

const indexModule = "server/index";

/**
 * Plans a file for each service: a class with a method for each rpc, whose callers get the error for
 * missing operations. The files of a package are in its folder. They are created once and then
 * edited by the user. Services without rpcs, and services whose manifest has no error for missing
 * operations, get no file.
 */
export function planImplementations(outputs: readonly ServiceOutput[]): ImplementationPlan[] {
  const taken = new Set<string>();
  return outputs.flatMap((output) =>
    servicesOf(output.protocol).flatMap((service): ImplementationPlan[] => {
      const { unsupported } = output.protocol.binding.errorRoles;
      if (unsupported === undefined || service.operations.length === 0) return [];
      const parts = { unsupported, context: contextOf(output) };
      const className = classNameOf(service);
      const file = implementationFile(service, className, parts);
      const { folder } = output;
      const path = freePath(folder === "" ? file.path : `${folder}/${file.path}`, taken);
      const moved = folder === "" ? file : relocated(file, folder);
      return [
        {
          output,
          fullName: service.fullName,
          className,
          file: { ...moved, path },
          service: servicePlan(service, parts, output),
        },
      ];
    }),
  );
}

/** Some file systems ignore case, so the names of two services may be the same in lower case. */
function freePath(path: string, taken: Set<string>): string {
  const numbered = (count: number): string =>
    count === 1 ? path : path.replace(/\.ts$/, `-${count}.ts`);
  let count = 1;
  while (taken.has(numbered(count))) count += 1;
  taken.add(numbered(count));
  return numbered(count);
}

function classNameOf({ name }: Service): string {
  return languageNames.has(name) ? `${name}_` : name;
}

/** Returns the type of a call's context, which gives way to a message of the same name. */
function contextOf({ protocol }: ServiceOutput): ReturnType<typeof typeRef> {
  return typeRef(indexModule, freeName("CallContext", new Set(typeExports(protocol))));
}

function implementationFile(service: Service, className: string, parts: MethodParts): FilePlan {
  const { name, operations } = service;
  const imports = new Imports(`${wordsOf(name).join("-").toLowerCase()}-service.ts`, [className]);
  const implemented = imports.type(typeRef(indexModule, `${name}Service`));
  const hasStreams = operations.some(streamsResponses);
  return imports.plan("services/implementation", {
    className,
    implemented,
    docs: serviceDocs(service, hasStreams ? streamText : ""),
    methods: operations.map((operation) => methodView(ownOf(operation), parts, imports)),
  });
}

const streamText = "A method that returns a stream can be an async generator: `async *`.";

/** Returns an operation with the name and the errors that its method has in the service. */
function ownOf({ ownMethod, ...operation }: OperationDef): OperationDef {
  return { ...operation, method: ownMethod ?? operation.method };
}

function servicePlan(
  { name, operations }: Service,
  parts: MethodParts,
  { protocol }: ServiceOutput,
): AgentServicePlan {
  return {
    name: `${name}Service`,
    factory: { name: `serve${name}`, property: "service" },
    methods: operations.map((operation) => methodPlan(ownOf(operation), parts, protocol)),
    serviceFactories: [],
  };
}

/** Plan of the program that serves services, and its expression for each service. */
export interface ProgramPlan {
  readonly file: FilePlan;
  /** The expressions, in the order of the implementations. */
  readonly served: readonly string[];
}

/**
 * Plans the program that serves all implementations on one port. Modules that begin with `./` are
 * relative to the program. `hasGrpc` is true if the output has a server for all transports.
 */
export function planProgram(
  implementations: readonly ImplementationPlan[],
  hasGrpc: boolean,
): ProgramPlan {
  const imports = new Imports("server.ts", ["host", "port", "services"]);
  const { createServer, createServiceServer, nodeListener } = programApi;
  imports.use(...(hasGrpc ? [createServiceServer] : [createServer, nodeListener]));
  const served = implementations.map(({ output: { folder }, service, className, file }) => {
    const module = folder === "" ? indexModule : `${folder}/${indexModule}`;
    const serve = imports.value(valueRef(module, service.factory.name));
    const path = `./${file.path.replace(/\.ts$/, "")}`;
    return `${serve}({ service: new ${imports.value(valueRef(path, className))}() })`;
  });
  const listener = hasGrpc
    ? "createServiceServer(services)"
    : "createServer(nodeListener(services))";
  const list = enclose("const services = [", served, "];");
  return { file: imports.plan("services/program", { list, listener }), served };
}
