import { streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { errorModule, withoutManifest } from "../errors/errors.js";
import { Imports } from "../../emit/imports.js";
import { legacyRequestsFile, readsLegacy } from "./legacy-requests.js";
import { isServed } from "../transports/transports.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  type MethodView,
} from "../../emit/operation-views.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/** The server: the interface to implement, and the handlers of each transport over one core. */
export const server: Target = {
  name: "server",
  summary: "A2AService, createAgent and the handlers of each transport (server/)",
  needs: ["operations", "errors", "validators"],
  brings: ["legacy"],
  plan: (protocol, targets) => {
    const { binding, wire } = protocol;
    if (binding === undefined) return withoutManifest("server", "how errors travel", protocol);
    const http = httpBindings.filter(({ target }) => isServed(target, wire, targets));
    const isLegacy = readsLegacy(protocol, targets);
    const user = userParameter(protocol);
    const files = [
      serviceFile(protocol, user),
      agentFile(binding, protocol, { user, isLegacy }),
      ...(isLegacy ? [legacyRequestsFile(protocol)] : []),
      ...httpFiles(http, protocol.wire?.isProtoJson === false),
    ];
    return { ...emptyPlan, files: [...files, indexFile(http, isLegacy)], exports: ["server/index"] };
  },
};

interface HttpBinding {
  readonly target: string;
  readonly handler: string;
  readonly options: string;
  readonly key: string;
  readonly what: string;
}

const httpBindings: readonly HttpBinding[] = [
  {
    target: "jsonrpc",
    handler: "jsonRpcHandler",
    options: "JsonRpcOptions",
    key: "jsonRpc",
    what: "the JSON-RPC endpoint",
  },
  { target: "rest", handler: "restHandler", options: "RestOptions", key: "rest", what: "the HTTP+JSON routes" },
];

/** The name of the type parameter for users, which hides no model. */
function userParameter({ types }: Protocol): string {
  const names = new Set(types.map(({ name }) => name));
  let user = "User";
  while (names.has(user)) user += "_";
  return user;
}

function serviceFile({ operations }: Protocol, user: string): FilePlan {
  const imports = new Imports();
  imports.type("runtime/server/context", "CallContext");
  const methods = operations.map((operation): MethodView => {
    const parameters = [`request: ${requestType(operation, imports)}`, `context: CallContext<${user}>`];
    const head = signature(`${operation.method}?`, parameters, `: ${resultType(operation, imports)};`);
    return { docs: operationDocs(operation, 2), head };
  });
  return imports.plan("server/service.ts", "server/service", { methods, user });
}

/** What a method of the service returns. */
function resultType(operation: OperationDef, imports: Imports): string {
  if (streamsResponses(operation)) return streamType(operation, imports);
  const response = responseType(operation, imports);
  return `${response} | Promise<${response}>`;
}

/** What the file of the agent needs to know besides the protocol. */
interface AgentFacts {
  readonly user: string;
  readonly isLegacy: boolean;
}

function agentFile(binding: BindingDef, { operations }: Protocol, { user, isLegacy }: AgentFacts): FilePlan {
  const card = binding.card.type;
  const imports = new Imports();
  imports.type("models", card);
  imports.value("validators", `assert${card}`);
  imports.value("errors", "errors");
  imports.value("operations", "discovery");
  imports.value("operations", "operations");
  imports.value("operations", "protocol");
  imports.value(`runtime/${errorModule(binding)}`, "errorWriter");
  imports.value("runtime/server/agent", "Agent");
  imports.type("runtime/server/context", "CardCaller");
  imports.value("runtime/server/core", "Core");
  imports.type("runtime/server/hooks", "CoreOptions");
  if (isLegacy) imports.type("runtime/server/adapter", "AdapterFactory");
  imports.type("server/service", "A2AService");
  const accepts = operations.flatMap(({ name, response }) =>
    response.kind === "empty" ? [] : [`${name}: ${imports.value("validators", `is${response.name}`)},`],
  );
  return imports.plan("server/agent.ts", "server/agent", { card, accepts, user, legacy: isLegacy });
}

/** The files of the HTTP transports: one handler for all of them, and its Node and Web forms. */
function httpFiles(bindings: readonly HttpBinding[], isMapped: boolean): FilePlan[] {
  const handlers = new Imports();
  handlers.value("runtime/server/agent", "Agent");
  handlers.value("runtime/server/card", "cardHandler");
  handlers.type("runtime/server/card", "CardOptions");
  handlers.value("runtime/http/server", "chain");
  handlers.type("runtime/http/server", "HttpHandler");
  for (const { target, handler, options } of bindings) {
    handlers.value(`runtime/bindings/${target}/server`, handler);
    handlers.type(`runtime/bindings/${target}/server`, options);
  }
  const views = bindings.map(({ target, ...binding }) => {
    const json = isMapped && target === "rest" ? [handlers.value("protojson", "restJson")] : [];
    return { ...binding, arguments: ["core", `options.${binding.key}`, ...json].join(", ") };
  });
  return [
    handlers.plan("server/http.ts", "server/http", { bindings: views }),
    { path: "server/node.ts", template: "server/node", view: {}, runtime: ["http/adapters/node"] },
    { path: "server/fetch.ts", template: "server/fetch", view: {}, runtime: ["http/adapters/fetch"] },
  ];
}

function indexFile(bindings: readonly HttpBinding[], isLegacy: boolean): FilePlan {
  const runtime = [
    "protocol/headers",
    "protocol/operation",
    "server/context",
    "server/hooks",
    "server/values",
    ...bindings.map(({ target }) => `bindings/${target}/server`),
    "server/card",
    "http/server",
  ];
  const exports = bindings.map(
    ({ target, options }) => `export type { ${options} } from "../runtime/bindings/${target}/server.js";`,
  );
  return { path: "server/index.ts", template: "server/index", view: { exports, legacy: isLegacy }, runtime };
}
