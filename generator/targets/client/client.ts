import type { AgentBinding, Protocol } from "../../protocol/model/types.js";
import { agentBinding, withoutAgents } from "../errors/errors.js";
import { Imports } from "../../emit/imports.js";
import { modelRef, output, outputNamespaces } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { clientKitFiles, reasonWithoutKit } from "../tasks/kit.js";
import { servedOverHttp, type Transport } from "../transports/table.js";
import { hasServices } from "../services/services.js";
import { servicesClient } from "../services/client.js";
import { callsFile, loadedLater, responsesFile } from "./tables.js";
import { methodView } from "./method-views.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";

/**
 * Target of the client: one class for all transports, and `connect`, which creates a client from
 * the agent card.
 */
export const client: Target = {
  name: "client",
  summary: "A2AClient and connect, or a client of each service (client/)",
  needs: ["operations", "errors", "validators"],
  plan: (protocol, targets) => {
    if (hasServices(protocol)) return servicesClient(protocol, targets);
    const binding = agentBinding(protocol);
    if (binding === undefined)
      return withoutAgents("client", "how an agent is discovered", protocol);
    const transports = servedOverHttp(protocol, targets);
    const files = [
      callsFile(protocol),
      responsesFile(protocol, binding.card.type),
      clientFile(protocol, binding.card.type),
      connectFile(binding, transports),
      indexFile(transports),
    ];
    const plan = { ...emptyPlan, files, exports: ["client/index"] };
    // The target `tasks` already reports why the kit is absent.
    if (binding.tasks === undefined || reasonWithoutKit(protocol) !== undefined) return plan;
    return { ...plan, files: [...files, ...clientKitFiles(binding.tasks, binding.card.type)] };
  },
};

function clientFile(protocol: Protocol, card: string): FilePlan {
  const declared = [output.A2AClient, output.ClientCall, output.Interceptor];
  const imports = new Imports("client/client.ts", declared);
  imports.use(runtime.ClientCore, runtime.ClientOptions, runtime.ClientInterceptor);
  imports.use(runtime.Call, runtime.CallOf, runtime.CallOptions, runtime.CardSearch);
  imports.use(output.clientErrors, output.OperationRequests);
  imports.namespace(outputNamespaces.calls);
  const plan = imports.plan("client/client", {
    card: imports.type(modelRef(card)),
    methods: protocol.operations.map((operation) => methodView(operation, protocol, imports)),
  });
  return { ...plan, specifiers: loadedLater };
}

function connectFile(
  { card: { type: card, interfaces }, errorRoles }: AgentBinding,
  transports: readonly Transport[],
): FilePlan {
  const { connect, ConnectOptions, fetchCard, FetchCardOptions } = output;
  const declared = [connect, ConnectOptions, fetchCard, FetchCardOptions, "find"];
  const imports = new Imports("client/connect.ts", declared);
  imports.use(output.errors, output.discovery, output.protocol);
  imports.use(output.A2AClient, output.Interceptor);
  imports.use(runtime.discover, runtime.foundAt, runtime.originsFor, runtime.Discovered);
  imports.use(runtime.ClientOptions, runtime.ClientVersion);
  imports.use(runtime.HttpOptions, runtime.TransportFactory);
  imports.type(runtime.CardCache);
  const factories = transports.map(({ client: { factory } }) => `${imports.value(factory)}()`);
  const isListed = interfaces.main === undefined;
  const plan = imports.plan("client/connect", {
    card: imports.type(modelRef(card)),
    factories: factories.join(", "),
    open: imports.value(isListed ? runtime.openFirst : runtime.openMainFirst),
    thrown: thrownLines(errorRoles),
  });
  return { ...plan, specifiers: loadedLater };
}

/** Returns the errors that fetching a card throws, for doc comments. */
function thrownLines({
  unauthenticated,
  permissionDenied,
  invalidResponse,
}: AgentBinding["errorRoles"]): string[] {
  const failures = [
    { error: unauthenticated, condition: "the card takes credentials that are not given" },
    { error: permissionDenied, condition: "the caller may not read the card" },
    { error: invalidResponse, condition: "the card is not valid" },
  ];
  return failures
    .filter(({ error }) => error !== undefined)
    .map(({ error = "", condition }) => `{${error}} if ${condition}`);
}

function indexFile(transports: readonly Transport[]): FilePlan {
  const imports = new Imports("client/index.ts");
  imports.reexport(output.A2AClient, output.ClientCall, output.Interceptor);
  imports.reexport(output.connect, output.ConnectOptions);
  imports.reexport(output.fetchCard, output.FetchCardOptions);
  imports.reexport(runtime.ClientOptions, runtime.ClientOperation, runtime.ClientVersion);
  imports.reexport(runtime.Call, runtime.CallOptions, runtime.CardCache);
  imports.reexport(runtime.Fetch, runtime.HttpOptions);
  imports.reexport(runtime.Transport, runtime.TransportFactory);
  imports.reexport(runtime.TransportError, runtime.wasNotSent);
  for (const { client: parts } of transports) {
    imports.reexport(parts.factory, parts.transport);
    if (parts.helper !== undefined) imports.reexport(parts.helper.name);
  }
  return imports.plan("index", {});
}
