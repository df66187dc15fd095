import { streamsResponses } from "../protocol/streaming.js";
import type { OperationDef, Protocol } from "../protocol/types.js";
import { Imports } from "./imports.js";
import { operationDocs, requestType, responseType, signature, streamType, type MethodView } from "./operation-views.js";
import { literal } from "./text.js";
import type { FilePlan } from "./types.js";

/**
 * The agent skeleton: a class with every operation, a card, and a server that runs at once. It is created once and then
 * belongs to the user, so it is no target of the output folder. `importPath` leads from it to the output folder. Gives
 * `undefined` where the protocol lacks what a server needs.
 */
export function planAgent(protocol: Protocol, importPath: string): FilePlan | undefined {
  const { binding } = protocol;
  const unsupported = binding?.errorRoles.unsupported;
  if (binding === undefined || unsupported === undefined) return undefined;
  const imports = new Imports();
  imports.value("errors", unsupported);
  imports.type("models", binding.card.type);
  imports.type("server/index", "A2AService");
  imports.type("server/index", "CallContext");
  imports.value("server/index", "createAgent");
  imports.value("server/node", "nodeListener");
  const methods = protocol.operations.map((operation) => methodView(operation, unsupported, imports));
  const statements = imports
    .statements("agent.ts")
    .map((statement) => statement.replace(' from "./', ` from "${importPath}/`));
  const refuses =
    binding.errorRoles.versionNotSupported !== undefined && binding.assumedVersion !== binding.wireVersion;
  const view = {
    refuses,
    imports: statements,
    card: binding.card.type,
    sample: literal(binding.card.sample ?? {}, 0).replaceAll(/(\burl): "\{url\}"/g, "$1"),
    methods,
  };
  return { path: "agent.ts", template: "agent/agent", view, runtime: [] };
}

/** A method of the skeleton, with what it does. */
interface SkeletonView extends MethodView {
  readonly body: string;
}

function methodView(operation: OperationDef, unsupported: string, imports: Imports): SkeletonView {
  const isAsync = !streamsResponses(operation) && operation.sample === undefined;
  const parameters = [`_request: ${requestType(operation, imports)}`, "_context: CallContext"];
  const response = streamsResponses(operation) ? streamType(operation, imports) : responseType(operation, imports);
  const result = isAsync ? `Promise<${response}>` : response;
  const throws = `throw new ${unsupported}();`;
  return {
    docs: operationDocs(operation, 2),
    head: signature(`${isAsync ? "async " : ""}${operation.method}`, parameters, `: ${result} {`),
    body: operation.sample === undefined ? throws : `return ${literal(operation.sample, 4)};`,
  };
}
