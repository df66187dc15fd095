import { agentBinding } from "../errors/errors.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type {
  BindingDef,
  OperationDef,
  Protocol,
  TypeDef,
  ValueType,
} from "../../protocol/model/types.js";
import { Imports, type NameSource } from "../../emit/imports.js";
import { MarkedNames } from "../../emit/marked-names.js";
import {
  errorRef,
  kitApi,
  modelRef,
  serverApi,
  taskServiceType,
} from "../../emit/output-modules.js";
import {
  operationDocs,
  requestType,
  responseType,
  signature,
  streamType,
  valueType,
  type MethodView,
} from "../../emit/operation-views.js";
import { sampleLines } from "../../emit/sample.js";
import type { FilePlan } from "../../emit/plan.js";
import type { SymbolRef, ValueRef } from "../../emit/symbols.js";

/** Properties of a skeleton that do not follow from the protocol. */
export interface AgentParts {
  /** Whether the skeleton uses the task kit. */
  readonly hasKit: boolean;
  /** Adapters for the other versions that the agent serves. */
  readonly served: readonly ValueRef[];
}

/**
 * Plans the agent skeleton, which contains the agent's behavior, a card, and a working server. The
 * behavior is a class with a method for each operation or, with the task kit, a task service. The
 * skeleton is created once and is then edited by the user, so it is not a target of the output
 * folder. Returns `undefined` if the protocol does not contain the facts that a server requires.
 */
export function planAgent(
  protocol: Protocol,
  { hasKit, served }: AgentParts,
): FilePlan | undefined {
  const binding = agentBinding(protocol);
  const unsupported = binding?.errorRoles.unsupported;
  if (binding === undefined || unsupported === undefined) return undefined;
  const declared = ["Agent", "agent", "card", "host", "port", "service", "url"];
  const imports = new Imports("agent.ts", declared);
  imports.use(serverApi.createServer, serverApi.createAgent, serverApi.nodeListener);
  const { card, tasks } = binding;
  const view = {
    refuses: refusesUnnamed(binding, served),
    versions: served.map((version) => imports.value(version)).join(", "),
    card: imports.type(modelRef(card.type)),
  };
  if (hasKit) {
    imports.use(...Object.values(kitApi));
    const service = imports.type(taskServiceType);
    const sample = sampleLines({ ...card.sample, ...tasks?.sample });
    return imports.plan("tasks/agent", { ...view, service, sample: sample.join("\n") });
  }
  imports.use(serverApi.A2AService);
  const methods = protocol.operations.map((operation) =>
    methodView(operation, { unsupported }, imports),
  );
  const sample = sampleLines({ ...card.sample });
  return imports.plan("agent/agent", { ...view, sample: sample.join("\n"), methods });
}

/** Returns whether calls without a version are rejected. */
function refusesUnnamed(
  { errorRoles, assumedVersion, wireVersion }: BindingDef,
  served: AgentParts["served"],
): boolean {
  const isServed = served.some(({ module }) => module.split("/").includes(assumedVersion));
  return (
    errorRoles.versionNotSupported !== undefined && assumedVersion !== wireVersion && !isServed
  );
}

/** Names of the output that the methods of a skeleton use. */
export interface MethodParts {
  readonly unsupported: string;
  readonly context?: SymbolRef;
}

/** View of a skeleton method, with its body. */
export interface SkeletonView extends MethodView {
  readonly body: readonly string[];
}

/**
 * Plans a method of a skeleton. `unsupported` is the error of an operation without a sample, and
 * `context` the type of the call's context in the output.
 */
export function methodView(
  operation: OperationDef,
  { unsupported, context = serverApi.CallContext }: MethodParts,
  imports: NameSource,
): SkeletonView {
  const body = bodyOf(operation, unsupported, imports);
  const parameters = parametersFor(body, operation, context, imports);
  const streams = streamsResponses(operation);
  const response = (streams ? streamType : responseType)(operation, imports);
  const isAsync = !streams && operation.sample === undefined;
  const result = isAsync ? `Promise<${response}>` : response;
  return {
    docs: operationDocs(operation, 2),
    head: signature(operation.method, parameters, `: ${result} {`),
    body,
  };
}

/** Returns the parameters that a body uses. An unused parameter only precedes a used one. */
function parametersFor(
  body: readonly string[],
  operation: OperationDef,
  context: SymbolRef,
  imports: NameSource,
): string[] {
  const uses = (name: string): boolean => body.some((line) => line.includes(`${name}.`));
  if (!uses("request") && !uses("context")) return [];
  const name = uses("request") ? "request" : "_request";
  const request = `${name}: ${requestType(operation, imports)}`;
  return uses("context") ? [request, `context: ${imports.type(context)}`] : [request];
}

/**
 * Returns the body of a method for an agent without state. Such an agent treats every id in a
 * request as unknown.
 */
function bodyOf(
  { sample, lookups = [] }: OperationDef,
  unsupported: string,
  imports: NameSource,
): string[] {
  const errorOf = (name: string): string => imports.value(errorRef(name));
  if (sample !== undefined) {
    const unknownIds = lookups.map(({ path, error }) => {
      const id = ["request", ...path].join(".");
      return `if (${id} !== undefined) throw new ${errorOf(error)}();`;
    });
    const result = sampleLines(sample, { head: "return ", tail: ";" });
    return ["context.signal.throwIfAborted();", ...unknownIds, ...result];
  }
  const [lookup] = lookups;
  if (lookup !== undefined) return [`throw new ${errorOf(lookup.error)}();`];
  const message = "`${context.operation.method} is not implemented`";
  return [`throw new ${errorOf(unsupported)}(${message});`];
}

/**
 * Plan of the service that the skeleton implements, for merging its methods into files that already
 * implement it.
 */
export interface AgentServicePlan {
  readonly name: string;
  readonly factory: { readonly name: string; readonly property: string };
  readonly methods: readonly AgentMethodPlan[];
  /** Names of the output's functions that return a service with all methods. */
  readonly serviceFactories: readonly string[];
}

/** Plan of one method of the service, for an operation that is not implemented yet. */
export interface AgentMethodPlan {
  readonly name: string;
  readonly request: ValuePlan;
  readonly response: ValuePlan;
  /** Template of one method, and its view. */
  readonly template: string;
  readonly view: object;
  /** Names in the view that the method's file must import. */
  readonly names: MarkedNames;
}

/** Type of a method's request or response. */
export interface ValuePlan {
  readonly shown: string;
  /** Names of the matching types: the type itself and, for a union, its members. */
  readonly names: readonly string[];
  readonly streams: boolean;
}

/**
 * Plans the methods of the service as in the skeleton, but without samples and lookups, so that a
 * method that is added to a working agent never returns sample data. Returns `undefined` if the
 * protocol does not contain the facts that a server requires.
 */
export function planAgentService(protocol: Protocol): AgentServicePlan | undefined {
  const unsupported = agentBinding(protocol)?.errorRoles.unsupported;
  if (unsupported === undefined) return undefined;
  return {
    name: "A2AService",
    factory: { name: "createAgent", property: "service" },
    methods: protocol.operations.map((operation) =>
      methodPlan(operation, { unsupported }, protocol),
    ),
    serviceFactories: [kitApi.taskService.name],
  };
}

/** Plans a method for a merge: as in the skeleton, but without samples and lookups. */
export function methodPlan(
  { sample: _, lookups: __, ...operation }: OperationDef,
  parts: MethodParts,
  protocol: Protocol,
): AgentMethodPlan {
  const streams = streamsResponses(operation);
  const request = requestType(operation, plain);
  const response = (streams ? streamType : responseType)(operation, plain);
  const accepted = streams ? valueType(operation.response, plain) : response;
  const names = new MarkedNames();
  return {
    name: operation.method,
    request: {
      shown: request,
      names: operation.request.kind === "named" ? [operation.request.name] : [request],
      streams: streamsRequests(operation),
    },
    response: { shown: response, names: [...membersOf(accepted, protocol)], streams },
    template: "partials/method",
    view: methodView(operation, parts, names),
    names,
  };
}

const plain: NameSource = {
  value: ({ name }) => name,
  type: ({ name }) => name,
  ownType: (name) => name,
};

/** Returns the name of a type, and the names of the types in its unions and aliases. */
function membersOf(
  name: string,
  { types }: Pick<Protocol, "types">,
  found = new Set<string>(),
): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const type = types.find((candidate) => candidate.name === name);
  for (const member of alternativesOf(type))
    if ("name" in member) membersOf(member.name, { types }, found);
  return found;
}

function alternativesOf(type: TypeDef | undefined): readonly ValueType[] {
  if (type?.kind === "union") return type.members;
  return type?.kind === "alias" ? [type.type] : [];
}
