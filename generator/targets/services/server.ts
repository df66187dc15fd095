import { Imports } from "../../emit/imports.js";
import {
  operationDocs,
  requestType,
  signature,
  type MethodView,
} from "../../emit/operation-views.js";
import { output } from "../../emit/output-modules.js";
import { emptyPlan, type FilePlan, type TargetPlan } from "../../emit/plan.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { typeRef, valueRef } from "../../emit/symbols.js";
import { quote } from "../../emit/text.js";
import type { OperationDef } from "../../protocol/model/types.js";
import { typeExports } from "../../protocol/names/names.js";
import { acceptsLines, resultType, userParameter } from "../server/views.js";
import { isMapped, servedOverHttp, type HttpTransport } from "../transports/table.js";
import { serviceDocs, servicesOf, type ServiceProtocol } from "./services.js";

/**
 * Plans the interface of each service of a protocol, functions that serve them, and the handlers of
 * every transport.
 */
export function servicesServer(
  protocol: ServiceProtocol,
  targets: ReadonlySet<string>,
): TargetPlan {
  const transports = servedOverHttp(protocol, targets);
  const files = [
    servicesFile(protocol),
    httpFile(transports, protocol),
    nodeFile(),
    indexFile(protocol, transports),
  ];
  return { ...emptyPlan, files, exports: ["server/index"] };
}

const servicesModule = "server/services";

function servicesFile(protocol: ServiceProtocol): FilePlan {
  const { services, operations, binding } = protocol;
  const user = userParameter(protocol);
  const declared = services.flatMap(({ name }) => [
    `${name}Service`,
    `${name}Options`,
    `serve${name}`,
  ]);
  const { ServerCall, ServerInterceptor } = output;
  const imports = new Imports(`${servicesModule}.ts`, [
    ...declared,
    ServerCall,
    ServerInterceptor,
    "facts",
  ]);
  imports.use(output.errors, output.operations, output.protocol, output.OperationRequests);
  imports.use(runtime.CallInterceptor, runtime.CallOf, runtime.CoreOptions);
  imports.use(runtime.ServiceOptions, runtime.serveService);
  imports.type(runtime.ServedService);
  imports.value(errorFunctions[binding.errorFormat].errorWriter, "errorWriter");
  imports.type(runtime.ServerCall, "AnyServerCall");
  return imports.plan("services/services", {
    user,
    accepts: operations.flatMap((operation) => acceptsLines(operation, imports)),
    services: servicesOf(protocol).map((service) => ({
      name: service.name,
      fullName: quote(service.fullName),
      docs: serviceDocs(service, serviceText),
      // Compilers report a type parameter that is not used, unless it begins with an underscore.
      parameter: service.operations.length === 0 ? `_${user}` : user,
      methods: service.operations.map((operation) => methodView(operation, user, imports)),
    })),
  });
}

const serviceText =
  "To send an error to the caller, throw an error class of `errors.ts`. If a method throws any " +
  "other value, the caller receives an internal error without details.";

function methodView(operation: OperationDef, user: string, imports: Imports): MethodView {
  const { method, ownMethod = method } = operation;
  const request = `request: ${requestType(operation, imports)}`;
  const parameters = [request, `context: ${imports.type(runtime.CallContext)}<${user}>`];
  const head = signature(ownMethod, parameters, `: ${resultType(operation, imports)};`);
  return { docs: operationDocs(operation, 2), head };
}

/** Plans the handler for all HTTP transports, and its adapter for the Web platform. */
function httpFile(transports: readonly HttpTransport[], protocol: ServiceProtocol): FilePlan {
  const { httpHandler, HttpHandlerOptions, fetchHandler } = output;
  const imports = new Imports("server/http.ts", [httpHandler, HttpHandlerOptions, fetchHandler]);
  imports.use(runtime.CorsOptions, runtime.HttpHandler, runtime.FetchHandler);
  imports.use(runtime.Services, runtime.serviceHandler);
  imports.value(runtime.fetchHandler, "handler");
  const bindings = transports.map((transport) => {
    const { handler, options, key, what } = transport.http;
    const json = isMapped(transport, protocol) ? [imports.value(output.restJson)] : [];
    const own = transport.carries === "model" ? "path: `/${service.name}`" : "...service.shared";
    const given = `{ ${own}, ...options.${key} }`;
    const call = `${imports.value(handler)}(${["service.core", given, ...json].join(", ")})`;
    return { options: imports.type(options), key, what, call };
  });
  return imports.plan("services/http", { bindings });
}

/** Plans the adapter for Node, which is separate so that other platforms do not load it. */
function nodeFile(): FilePlan {
  const imports = new Imports("server/node.ts", [runtime.nodeListener]);
  imports.value(runtime.nodeListener, "listener");
  imports.use(runtime.NodeListener, runtime.NodeOptions, runtime.Services);
  imports.use(output.httpHandler, output.HttpHandlerOptions);
  return imports.plan("services/node", {});
}

/**
 * Plans the files of gRPC: the service for `@grpc/grpc-js`, and the server on one port. If
 * `isByService` is set, the codecs of each service are separate.
 */
export function servicesGrpcFiles(isByService = false): FilePlan[] {
  const codecsOf = (name: string): string => (isByService ? `codecs[${name}] ?? {}` : "codecs");
  const service = new Imports("server/grpc.ts", ["grpcService"]);
  service.use(output.codecs, runtime.GrpcService, runtime.ServedService);
  service.value(runtime.grpcService, "serviceOf");
  const port = new Imports("server/http2.ts", ["ServiceServerOptions", "createServiceServer"]);
  port.use(output.codecs, output.HttpHandlerOptions, output.nodeListener);
  port.use(runtime.NodeListener, runtime.NodeOptions, runtime.Services, runtime.coresOf);
  port.use(runtime.createWireServer, runtime.WireServer, runtime.WireServerOptions);
  port.use(runtime.grpcMethods);
  const entry = isByService ? "[name, core]" : "[, core]";
  return [
    service.plan("services/grpc", { codecs: codecsOf("service.name") }),
    port.plan("services/http2", { codecs: codecsOf("name"), entry }),
  ];
}

function indexFile(protocol: ServiceProtocol, transports: readonly HttpTransport[]): FilePlan {
  const { services } = protocol;
  const imports = new Imports("server/index.ts", typeExports(protocol));
  for (const { name } of services)
    imports.reexportFree(
      typeRef(servicesModule, `${name}Service`),
      typeRef(servicesModule, `${name}Options`),
      valueRef(servicesModule, `serve${name}`),
    );
  imports.reexportFree(
    typeRef(servicesModule, "ServerCall"),
    typeRef(servicesModule, "ServerInterceptor"),
  );
  imports.reexportFree(
    output.httpHandler,
    output.HttpHandlerOptions,
    output.fetchHandler,
    output.protocol,
  );
  imports.reexportFree(runtime.ServedService, runtime.ServiceOptions, runtime.Services);
  imports.reexportFree(runtime.ServiceFacts, runtime.Operation, runtime.CorsOptions);
  imports.reexportFree(runtime.CallContext, runtime.CallHeaders, runtime.Peer, runtime.Caller);
  imports.reexportFree(runtime.createContextKey, runtime.ContextKey, runtime.ContextValues);
  imports.reexportFree(runtime.fieldViolations, runtime.HttpHandler, runtime.FetchHandler);
  imports.reexportFree(runtime.RequestReport, runtime.Outcome);
  imports.reexportFree(
    runtime.Rate,
    runtime.RateLimiter,
    runtime.RateOptions,
    runtime.ForwardedAddress,
  );
  for (const { http } of transports) imports.reexportFree(http.options);
  return imports.plan("index", {});
}
