import { streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { withoutCard, withoutManifest } from "../errors/errors.js";
import { Imports } from "../../emit/imports.js";
import { modelRef, output, validatorRef } from "../../emit/output-modules.js";
import { errorFunctions, runtime } from "../../emit/runtime-modules.js";
import { keyOf, quote } from "../../emit/text.js";
import { isMapped, servedOverHttp, type HttpTransport } from "../transports/table.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/**
 * Target of the server: the interface to implement, and the handlers of every transport over one
 * shared core.
 */
export const server: Target = {
  name: "server",
  summary: "A2AService, createAgent and the handlers of each transport (server/)",
  needs: ["operations", "errors", "validators"],
  plan: (protocol, targets) => {
    const { binding } = protocol;
    if (binding === undefined) return withoutManifest("server", "how errors are encoded", protocol);
    const cardOmission = withoutCard("server", protocol);
    if (cardOmission !== undefined) return cardOmission;
    const transports = servedOverHttp(protocol, targets);
    const user = userParameter(protocol);
    const files = [
      serviceFile(protocol, user),
      agentFile(binding, protocol, user),
      ...httpFiles(transports, protocol),
      indexFile(transports),
    ];
    return { ...emptyPlan, files, exports: ["server/index"] };
  },
};

const { Agent, AgentOptions, createAgent } = output;

/**
 * Returns a name for the type parameter that represents the user. The name differs from the names
 * of all models.
 */
function userParameter({ types }: Protocol): string {
  const names = new Set(types.map(({ name }) => name));
  let user = "User";
  while (names.has(user)) user += "_";
  return user;
}

function serviceFile({ operations }: Protocol, user: string): FilePlan {
  const imports = new Imports("server/service.ts", [output.A2AService.name]);
  const context = imports.type(runtime.CallContext);
  const methods = operations.map((operation): MethodView => {
    const parameters = [
      `request: ${requestType(operation, imports)}`,
      `context: ${context}<${user}>`,
    ];
    const head = signature(
      `${operation.method}?`,
      parameters,
      `: ${resultType(operation, imports)};`,
    );
    return { docs: operationDocs(operation, 2), head };
  });
  return imports.plan("server/service", { methods, user });
}

/** Returns the result type of a method of the service. */
function resultType(operation: OperationDef, imports: Imports): string {
  const response = streamsResponses(operation)
    ? streamType(operation, imports)
    : responseType(operation, imports);
  return `${response} | Promise<${response}>`;
}

function agentFile(binding: BindingDef, { operations }: Protocol, user: string): FilePlan {
  const imports = new Imports("server/agent.ts", [
    "accepts",
    ...[
      AgentOptions,
      createAgent,
      output.cardProblems,
      output.ServerCall,
      output.ServerInterceptor,
    ].map(({ name }) => name),
    ...[output.callHandler, output.toJsonRpcError].map(({ name }) => name),
  ]);
  for (const used of [output.errors, output.discovery, output.operations, output.protocol])
    imports.value(used);
  imports.value(errorFunctions[binding.errorFormat].errorWriter, "errorWriter");
  imports.value(runtime.Agent);
  imports.value(runtime.Core);
  imports.type(runtime.CallHandler);
  imports.type(runtime.JsonRpcError);
  imports.value(runtime.A2AError);
  for (const used of [
    runtime.CardCaller,
    runtime.CoreOptions,
    runtime.ServiceFactory,
    output.A2AService,
  ])
    imports.type(used);
  const accepts = operations.flatMap(({ name, response }) =>
    response.kind === "empty"
      ? []
      : [`${keyOf(name)}: ${imports.value(validatorRef(`is${response.name}`))},`],
  );
  const { type, signatures } = binding.card;
  const [card, assertCard] = [
    imports.type(modelRef(type)),
    imports.value(validatorRef(`assert${type}`)),
  ];
  const [cardSchema, findProblems] = [
    imports.value(validatorRef(`${type}Schema`)),
    imports.value(runtime.findCardProblems),
  ];
  const problemType = imports.type(runtime.CardProblem);
  const view = {
    card,
    assertCard,
    cardSchema,
    findProblems,
    problemType,
    handler: imports.value(runtime.callHandler, "handler"),
    callOf: imports.type(runtime.CallOf),
    requests: imports.type(output.OperationRequests),
    anyCall: imports.type(runtime.ServerCall, "AnyServerCall"),
    interceptor: imports.type(runtime.CallInterceptor),
    accepts,
    user,
    signatures: signatures === undefined ? "" : quote(signatures),
  };
  return imports.plan("server/agent", view);
}

/**
 * Plans the files of the HTTP transports: one handler for all transports, and its adapters for Node
 * and the Web platform.
 */
function httpFiles(transports: readonly HttpTransport[], protocol: Protocol): FilePlan[] {
  const declared = [
    output.httpHandler,
    output.HttpHandlerOptions,
    output.fetchHandler,
    output.AgentsByPath,
  ];
  const imports = new Imports(
    "server/http.ts",
    declared.map(({ name }) => name),
  );
  imports.value(runtime.Agent);
  imports.value(runtime.cardHandler);
  imports.type(runtime.CardOptions);
  imports.value(runtime.withCors);
  imports.type(runtime.CorsOptions);
  imports.value(runtime.chain);
  imports.value(runtime.mounted);
  imports.value(runtime.observed);
  imports.type(runtime.HttpHandler);
  imports.type(runtime.HttpPart);
  imports.value(runtime.fetchHandler, "handler");
  imports.type(runtime.FetchHandler);
  const views = transports.map((transport) => {
    const { handler, options, key, what } = transport.http;
    const json = isMapped(transport, protocol) ? [imports.value(output.restJson)] : [];
    const call = `${imports.value(handler)}(${["core", `options.${key}`, ...json].join(", ")})`;
    return { options: imports.type(options), key, what, call };
  });
  return [imports.plan("server/http", { bindings: views }), nodeFile()];
}

function nodeFile(): FilePlan {
  const imports = new Imports("server/node.ts", [runtime.nodeListener.name]);
  imports.value(runtime.nodeListener, "listener");
  imports.value(output.httpHandler);
  for (const used of [
    runtime.NodeListener,
    runtime.NodeOptions,
    output.Agent,
    output.HttpHandlerOptions,
  ])
    imports.type(used);
  imports.type(output.AgentsByPath);
  return imports.plan("server/node", {});
}

function indexFile(transports: readonly HttpTransport[]): FilePlan {
  const imports = new Imports("server/index.ts");
  const { Operation, CardOptions, CorsOptions, CallHeaders, CallContext } = runtime;
  const { ServerCaller, CardCaller, CoreOptions, HttpHandler } = runtime;
  const { createContextKey, ContextKey, ContextValues, fieldViolations } = runtime;
  imports.reexport(Operation, CardOptions, CorsOptions, CallHeaders, CallContext);
  imports.reexport(ServerCaller, CardCaller, CoreOptions, HttpHandler);
  imports.reexport(runtime.ServiceFactory, runtime.ServiceHost, runtime.FetchHandler, runtime.Peer);
  imports.reexport(
    output.ServerCall,
    output.ServerInterceptor,
    createContextKey,
    ContextKey,
    ContextValues,
  );
  imports.reexport(
    output.discovery,
    output.protocol,
    runtime.DiscoveryFacts,
    runtime.ProtocolFacts,
    fieldViolations,
  );
  for (const { http } of transports) imports.reexport(http.options);
  imports.reexport(output.cardProblems, runtime.CardProblem);
  imports.reexport(createAgent, Agent, AgentOptions, output.fetchHandler, output.httpHandler);
  imports.reexport(output.HttpHandlerOptions, output.AgentsByPath, output.A2AService);
  imports.reexport(
    output.callHandler,
    output.toJsonRpcError,
    runtime.CallHandler,
    runtime.CallReply,
  );
  imports.reexport(runtime.ReceivedCall, runtime.JsonRpcError, runtime.ServerExtension);
  imports.reexport(runtime.ServedVersion, runtime.RequestReport, runtime.Outcome);
  imports.reexport(
    runtime.Rate,
    runtime.RateLimiter,
    runtime.RateOptions,
    runtime.ForwardedAddress,
  );
  return imports.plan("index", {});
}
