import { withoutCard } from "../errors/errors.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol } from "../../protocol/model/types.js";
import { Imports, type NameSource } from "../../emit/imports.js";
import { MarkedNames } from "../../emit/marked-names.js";
import { errorRef, kitApi, modelRef, serverApi, taskServiceType } from "../../emit/output-modules.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  valueType,
  type MethodView,
} from "../../emit/operation-views.js";
import { literal } from "../../emit/text.js";
import type { FilePlan } from "../../emit/plan.js";
import type { ValueRef } from "../../emit/symbols.js";

/** What a skeleton depends on besides its protocol. */
export interface AgentParts {
  /** Whether it is written with the task kit. */
  readonly hasKit: boolean;
  /** The adapters for other versions, which the agent serves as well. */
  readonly served: readonly ValueRef[];
}

/**
 * The agent skeleton: what the agent does, a card, and a server that runs at once. What it does is a class with every
 * operation, or a service of the task kit where there is one. It is created once and then belongs to the user, so it is
 * no target of the output folder. Returns `undefined` where the protocol lacks what a server needs.
 */
export function planAgent(protocol: Protocol, { hasKit, served }: AgentParts): FilePlan | undefined {
  const { binding } = protocol;
  const unsupported = binding?.errorRoles.unsupported;
  if (binding === undefined || unsupported === undefined || withoutCard("agent", protocol)) return undefined;
  const imports = new Imports("agent.ts", ["Agent", "agent", "card", "host", "port", "service", "url"]);
  for (const used of [serverApi.createServer, serverApi.createAgent, serverApi.nodeListener]) imports.value(used);
  const versions = served.map((version) => imports.value(version)).join(", ");
  const view = { refuses: refusesUnnamed(binding, served), versions, card: imports.type(modelRef(binding.card.type)) };
  const sample = (more: object = {}): string =>
    literal({ ...binding.card.sample, ...more }).replaceAll(/(\burl): "\{url\}"/g, "$1");
  if (hasKit) {
    for (const used of Object.values(kitApi)) imports.value(used);
    const service = imports.type(taskServiceType);
    return imports.plan("tasks/agent", { ...view, service, sample: sample(binding.tasks?.sample) });
  }
  imports.type(serverApi.A2AService);
  const methods = protocol.operations.map((operation) => methodView(operation, unsupported, imports));
  return imports.plan("agent/agent", { ...view, sample: sample(), methods });
}

/** Returns whether calls are refused that name no version. */
function refusesUnnamed(
  { errorRoles, assumedVersion, wireVersion }: BindingDef,
  served: AgentParts["served"],
): boolean {
  const isServed = served.some(({ module }) => module.split("/").includes(assumedVersion));
  return errorRoles.versionNotSupported !== undefined && assumedVersion !== wireVersion && !isServed;
}

const newId = "crypto.randomUUID()";

/** A method of the skeleton, with what it does. */
interface SkeletonView extends MethodView {
  readonly body: readonly string[];
}

function methodView(operation: OperationDef, unsupported: string, imports: NameSource): SkeletonView {
  const { sample } = operation;
  const isLater = !streamsResponses(operation) && sample === undefined;
  const body = bodyOf(operation, unsupported, imports);
  const uses = (name: string): boolean => body.some((line) => line.includes(`${name}.`));
  const request = (): string => `${uses("request") ? "" : "_"}request: ${requestType(operation, imports)}`;
  const context = (): string => `context: ${imports.type(serverApi.CallContext)}`;
  // A parameter that the body does not use stands only in front of one that it does.
  const needed = uses("context") ? [request, context] : uses("request") ? [request] : [];
  const parameters = needed.map((parameter) => parameter());
  const response = streamsResponses(operation) ? streamType(operation, imports) : responseType(operation, imports);
  const result = isLater ? `Promise<${response}>` : response;
  return {
    docs: operationDocs(operation, 2),
    head: signature(operation.method, parameters, `: ${result} {`),
    body,
  };
}

/** What a method of an agent that keeps nothing does: nothing that the request names is known to it. */
function bodyOf({ sample, lookups = [] }: OperationDef, unsupported: string, imports: NameSource): string[] {
  const errorOf = (name: string): string => imports.value(errorRef(name));
  const [lookup] = lookups;
  if (sample !== undefined) {
    const unknown = lookups.map(
      ({ path, error }) => `if (${["request", ...path].join(".")} !== undefined) throw new ${errorOf(error)}();`,
    );
    return ["context.signal.throwIfAborted();", ...unknown, ...`return ${sampleOf(sample)};`.split("\n")];
  }
  if (lookup !== undefined) return [`throw new ${errorOf(lookup.error)}();`];
  return [`throw new ${errorOf(unsupported)}(\`\${context.operation.method} is not implemented\`);`];
}

/** The response of a sample, with the expressions that its strings in braces stand for. */
function sampleOf(sample: NonNullable<OperationDef["sample"]>): string {
  return literal(sample)
    .replaceAll(/"\{(request(?:\.[A-Za-z_$][\w$]*)+)(?: (\?\? )uuid)?\}"/g, (_, path: string, or?: string) =>
      or === undefined ? path : `${path} ${or}${newId}`,
    )
    .replaceAll('"{uuid}"', newId);
}

/** The service that the skeleton implements, for files that implement it already. */
export interface AgentServicePlan {
  readonly name: string;
  readonly factory: { readonly name: string; readonly property: string };
  readonly methods: readonly AgentMethodPlan[];
  /** Functions of the output that return a service with all methods. */
  readonly makers: readonly string[];
}

/** A method of the service, and how it is written for an operation that does nothing yet. */
export interface AgentMethodPlan {
  readonly name: string;
  readonly request: ValuePlan;
  readonly response: ValuePlan;
  /** The template of one method, and its view. */
  readonly template: string;
  readonly view: object;
  /** The names in the view that the file of the method has to import. */
  readonly names: MarkedNames;
}

/** A type that goes into a method or comes out of it. */
export interface ValuePlan {
  readonly shown: string;
  /** The names of the types that fit: the type itself, and the members of a union. */
  readonly names: readonly string[];
  readonly streams: boolean;
}

/**
 * The methods of the service, each as in the skeleton, but without samples and lookups: what is added to an agent that
 * works responds with nothing made up. Returns `undefined` where the protocol lacks what a server needs.
 */
export function planAgentService(protocol: Protocol): AgentServicePlan | undefined {
  const unsupported = protocol.binding?.errorRoles.unsupported;
  if (unsupported === undefined) return undefined;
  const methods = protocol.operations.map(({ sample: _, lookups: __, ...operation }): AgentMethodPlan => {
    const streams = streamsResponses(operation);
    const [request, response] = [
      requestType(operation, plain),
      (streams ? streamType : responseType)(operation, plain),
    ];
    const names = new MarkedNames();
    const accepted = streams ? valueType(operation.response, plain) : response;
    return {
      name: operation.method,
      request: {
        shown: request,
        names: operation.request.kind === "named" ? [operation.request.name] : [request],
        streams: streamsRequests(operation),
      },
      response: { shown: response, names: [...membersOf(accepted, protocol)], streams },
      template: "partials/method",
      view: methodView(operation, unsupported, names),
      names,
    };
  });
  const makers = [kitApi.taskService.name];
  return { name: "A2AService", factory: { name: "createAgent", property: "service" }, methods, makers };
}

const plain: NameSource = { value: ({ name }) => name, type: ({ name }) => name, ownType: (name) => name };

/** A type and all that it may be: the members of a union, and what aliases stand for. */
function membersOf(name: string, { types }: Pick<Protocol, "types">, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const type = types.find((one) => one.name === name);
  const members = type?.kind === "union" ? type.members : type?.kind === "alias" ? [type.type] : [];
  for (const member of members) if ("name" in member) membersOf(member.name, { types }, found);
  return found;
}
