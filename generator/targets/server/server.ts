import type { AgentBinding, Protocol } from "../../protocol/model/types.js";
import { agentBinding, withoutAgents } from "../errors/errors.js";
import { Imports } from "../../emit/imports.js";
import { modelRef, output, validatorRef } from "../../emit/output-modules.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { quote } from "../../emit/text.js";
import { hasServices } from "../services/services.js";
import { servicesServer } from "../services/server.js";
import { acceptsLines, resultType, userParameter } from "./views.js";
import { isMapped, servedOverHttp, type HttpTransport } from "../transports/table.js";
import {
  operationDocs,
  requestType,
  signature,
  type MethodView,
} from "../../emit/operation-views.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/**
 * Target of the server: the interface to implement, and the handlers of every transport over one
 * shared core.
 */
export const server: Target = {
  name: "server",
  summary:
    "A2AService and createAgent, or the interface of each service, and handlers of each transport " +
    "(server/)",
  needs: ["operations", "errors", "validators"],
  plan: (protocol, targets) => {
    if (hasServices(protocol)) return servicesServer(protocol, targets);
    const binding = agentBinding(protocol);
    if (binding === undefined) return withoutAgents("server", "how errors are encoded", protocol);
    const transports = servedOverHttp(protocol, targets);
    const user = userParameter(protocol);
    const files = [
      serviceFile(protocol, user),
      agentFile(binding, protocol, user),
      httpFile(transports, protocol),
      nodeFile(),
      indexFile(transports),
    ];
    return { ...emptyPlan, files, exports: ["server/index"] };
  },
};

function serviceFile({ operations }: Protocol, user: string): FilePlan {
  const imports = new Imports("server/service.ts", [output.A2AService]);
  const context = imports.type(runtime.CallContext);
  const methods = operations.map((operation): MethodView => {
    const request = `request: ${requestType(operation, imports)}`;
    const parameters = [request, `context: ${context}<${user}>`];
    const result = `: ${resultType(operation, imports)};`;
    const head = signature(`${operation.method}?`, parameters, result);
    return { docs: operationDocs(operation, 2), head };
  });
  return imports.plan("server/service", { methods, user });
}

function agentFile(binding: AgentBinding, { operations }: Protocol, user: string): FilePlan {
  const { AgentOptions, createAgent, cardProblems, callHandler, toJsonRpcError } = output;
  const { ServerCall, ServerInterceptor } = output;
  const exported = [AgentOptions, createAgent, cardProblems, callHandler, toJsonRpcError];
  const declared = [...exported, ServerCall, ServerInterceptor];
  const imports = new Imports("server/agent.ts", ["accepts", ...declared]);
  imports.use(output.errors, output.discovery, output.operations, output.protocol);
  imports.use(output.A2AService, output.OperationRequests);
  imports.use(runtime.Agent, runtime.Core, runtime.CoreOptions, runtime.ServiceFactory);
  imports.use(runtime.CardCaller, runtime.CardProblem, runtime.findCardProblems);
  imports.use(runtime.CallHandler, runtime.CallInterceptor, runtime.CallOf);
  imports.use(runtime.A2AError, runtime.JsonRpcError);
  imports.value(errorFunctions[binding.errorFormat].errorWriter, "errorWriter");
  imports.value(runtime.callHandler, "handler");
  imports.type(runtime.ServerCall, "AnyServerCall");
  const { type, signatures } = binding.card;
  return imports.plan("server/agent", {
    card: imports.type(modelRef(type)),
    assertCard: imports.value(validatorRef(`assert${type}`)),
    cardSchema: imports.value(validatorRef(`${type}Schema`)),
    accepts: operations.flatMap((operation) => acceptsLines(operation, imports)),
    user,
    signatures: signatures === undefined ? "" : quote(signatures),
  });
}

/** Plans the handler for all HTTP transports, and its adapter for the Web platform. */
function httpFile(transports: readonly HttpTransport[], protocol: Protocol): FilePlan {
  const { httpHandler, HttpHandlerOptions, fetchHandler, AgentsByPath } = output;
  const declared = [httpHandler, HttpHandlerOptions, fetchHandler, AgentsByPath];
  const imports = new Imports("server/http.ts", declared);
  imports.use(runtime.Agent, runtime.cardHandler, runtime.CardOptions);
  imports.use(runtime.withCors, runtime.CorsOptions, runtime.chain, runtime.mounted);
  imports.use(runtime.observed, runtime.HttpHandler, runtime.HttpPart, runtime.FetchHandler);
  imports.value(runtime.fetchHandler, "handler");
  const bindings = transports.map((transport) => {
    const { handler, options, key, what } = transport.http;
    const json = isMapped(transport, protocol) ? [imports.value(output.restJson)] : [];
    const call = `${imports.value(handler)}(${["core", `options.${key}`, ...json].join(", ")})`;
    return { options: imports.type(options), key, what, call };
  });
  return imports.plan("server/http", { bindings });
}

/** Plans the adapter for Node, which is separate so that other platforms do not load it. */
function nodeFile(): FilePlan {
  const imports = new Imports("server/node.ts", [runtime.nodeListener]);
  imports.value(runtime.nodeListener, "listener");
  imports.use(runtime.NodeListener, runtime.NodeOptions, output.httpHandler);
  imports.use(output.Agent, output.HttpHandlerOptions, output.AgentsByPath);
  return imports.plan("server/node", {});
}

function indexFile(transports: readonly HttpTransport[]): FilePlan {
  const imports = new Imports("server/index.ts");
  imports.reexport(output.A2AService, output.Agent, output.AgentOptions, output.createAgent);
  imports.reexport(output.ServerCall, output.ServerInterceptor, output.cardProblems);
  imports.reexport(output.httpHandler, output.HttpHandlerOptions, output.AgentsByPath);
  imports.reexport(output.fetchHandler, output.callHandler, output.toJsonRpcError);
  imports.reexport(output.discovery, output.protocol);
  reexportRuntime(imports);
  for (const { http } of transports) imports.reexport(http.options);
  return imports.plan("index", {});
}

/** Exports the types in the signatures of the server, and the functions that agents need. */
function reexportRuntime(imports: Imports): void {
  imports.reexport(runtime.DiscoveryFacts, runtime.ProtocolFacts, runtime.Operation);
  imports.reexport(runtime.CoreOptions, runtime.CardOptions, runtime.CorsOptions);
  imports.reexport(runtime.ServiceFactory, runtime.ServiceHost, runtime.ServerExtension);
  imports.reexport(runtime.CallContext, runtime.CallHeaders, runtime.Peer);
  imports.reexport(runtime.createContextKey, runtime.ContextKey, runtime.ContextValues);
  imports.reexport(runtime.Caller, runtime.CardCaller, runtime.CardProblem);
  imports.reexport(runtime.CallHandler, runtime.CallReply, runtime.ReceivedCall);
  imports.reexport(runtime.JsonRpcError, runtime.fieldViolations, runtime.ServedVersion);
  imports.reexport(runtime.HttpHandler, runtime.FetchHandler);
  imports.reexport(runtime.RequestReport, runtime.Outcome);
  imports.reexport(runtime.Rate, runtime.RateLimiter, runtime.RateOptions);
  imports.reexport(runtime.ForwardedAddress);
}
