import type { OperationDef } from "../../protocol/model/types.js";
import { typeExports } from "../../protocol/names/names.js";
import { Imports } from "../../emit/imports.js";
import { output, outputNamespaces } from "../../emit/output-modules.js";
import { emptyPlan, type FilePlan, type TargetPlan } from "../../emit/plan.js";
import { runtime } from "../../emit/runtime-modules.js";
import { typeRef, valueRef } from "../../emit/symbols.js";
import { quote } from "../../emit/text.js";
import { methodView } from "../client/method-views.js";
import { callsFile, loadedLater, responsesFile } from "../client/tables.js";
import { servedOverHttp, type HttpTransport } from "../transports/table.js";
import { serviceDocs, servicesOf, type ServiceProtocol } from "./services.js";

/** Plans a client for each service of a protocol, and functions that connect to the services. */
export function servicesClient(
  protocol: ServiceProtocol,
  targets: ReadonlySet<string>,
): TargetPlan {
  const transports = servedOverHttp(protocol, targets);
  if (transports.length === 0) {
    const reason = "a client requires one of the targets jsonrpc and rest";
    return { ...emptyPlan, omissions: [{ target: "client", subject: "everything", reason }] };
  }
  const files = [
    callsFile(protocol),
    responsesFile(protocol),
    clientFile(protocol, transports),
    indexFile(protocol, transports),
  ];
  return { ...emptyPlan, files, exports: ["client/index"] };
}

const clientModule = "client/client";

function clientFile(protocol: ServiceProtocol, transports: readonly HttpTransport[]): FilePlan {
  const { services } = protocol;
  const declared = services.flatMap(({ name }) => [`${name}Client`, `connect${name}`]);
  const { ClientCall, Interceptor, ConnectOptions } = output;
  const own = [ClientCall, Interceptor, ConnectOptions, "CommonOptions", "facts"];
  const imports = new Imports(`${clientModule}.ts`, [...own, ...declared]);
  imports.use(runtime.ClientCore, runtime.ClientOptions, runtime.ClientInterceptor);
  imports.use(runtime.Call, runtime.CallOf, runtime.CallOptions, runtime.openService);
  imports.use(runtime.HttpOptions, runtime.TransportFactory);
  imports.use(output.clientErrors, output.OperationRequests);
  imports.namespace(outputNamespaces.calls);
  const plan = imports.plan("services/client", {
    connect: `connect${services[0]?.name ?? ""}`,
    services: servicesOf(protocol).map((service) => ({
      name: service.name,
      fullName: quote(service.fullName),
      docs: serviceDocs(service, clientText),
      usual: `${imports.value(usualTransport(service.operations, transports).client.factory)}()`,
      methods: service.operations.map((operation) => methodView(operation, protocol, imports)),
    })),
  });
  return { ...plan, specifiers: loadedLater };
}

const clientText =
  "If the server responds with an error, every method throws the matching error class of " +
  "`errors.ts`. If no response arrives, it throws a `TransportError`. If the call is aborted, it " +
  "throws the signal's reason. After a time-out, it throws a `DOMException` named `TimeoutError`.";

/**
 * Returns the transport that a client of operations uses by default: HTTP+JSON if each operation
 * that HTTP can carry has a route, otherwise JSON-RPC.
 */
function usualTransport(
  operations: readonly OperationDef[],
  transports: readonly HttpTransport[],
): HttpTransport {
  const overHttp = operations.filter(
    ({ jsonRpc, http }) => jsonRpc !== undefined || http.length > 0,
  );
  const hasRoutes = overHttp.length > 0 && overHttp.every(({ http }) => http.length > 0);
  const carried = hasRoutes ? "protojson" : "model";
  const [first] = transports;
  const usual = transports.find(({ carries }) => carries === carried) ?? first;
  if (usual === undefined) throw new Error("A client requires a transport");
  return usual;
}

function indexFile(protocol: ServiceProtocol, transports: readonly HttpTransport[]): FilePlan {
  const { services } = protocol;
  const imports = new Imports("client/index.ts", typeExports(protocol));
  for (const { name } of services)
    imports.reexportFree(
      valueRef(clientModule, `${name}Client`),
      valueRef(clientModule, `connect${name}`),
    );
  const { ClientCall, Interceptor, ConnectOptions } = output;
  imports.reexportFree(
    ...[ClientCall, Interceptor, ConnectOptions].map(({ name }) => typeRef(clientModule, name)),
  );
  imports.reexportFree(
    runtime.ClientOptions,
    runtime.ClientOperation,
    runtime.Call,
    runtime.CallOptions,
  );
  imports.reexportFree(
    runtime.Fetch,
    runtime.HttpOptions,
    runtime.Transport,
    runtime.TransportFactory,
  );
  imports.reexportFree(runtime.TransportError, runtime.wasNotSent);
  imports.reexportFree(runtime.withRetryAfter, runtime.RetryAfterOptions);
  imports.reexportFree(runtime.withToken, runtime.FindToken);
  for (const { client: parts } of transports) {
    imports.reexportFree(parts.factory, parts.transport);
    if (parts.helper !== undefined) imports.reexportFree(parts.helper.name);
  }
  return imports.plan("index", {});
}
