import { withoutCard } from "../errors/errors.js";
import { streamsRequests, streamsResponses } from "../../protocol/model/streaming.js";
import type { BindingDef, OperationDef, Protocol } from "../../protocol/model/types.js";
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
import { literal } from "../../emit/text.js";
import type { FilePlan } from "../../emit/plan.js";
import type { ValueRef } from "../../emit/symbols.js";

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
  const { binding } = protocol;
  const unsupported = binding?.errorRoles.unsupported;
  if (binding === undefined || unsupported === undefined || withoutCard("agent", protocol))
    return undefined;
  const imports = new Imports("agent.ts", [
    "Agent",
    "agent",
    "card",
    "host",
    "port",
    "service",
    "url",
  ]);
  for (const used of [serverApi.createServer, serverApi.createAgent, serverApi.nodeListener])
    imports.value(used);
  const versions = served.map((version) => imports.value(version)).join(", ");
  const view = {
    refuses: refusesUnnamed(binding, served),
    versions,
    card: imports.type(modelRef(binding.card.type)),
  };
  const sample = (more: object = {}): string =>
    literal({ ...binding.card.sample, ...more }).replaceAll(/(\burl): "\{url\}"/g, "$1");
  if (hasKit) {
    for (const used of Object.values(kitApi)) imports.value(used);
    const service = imports.type(taskServiceType);
    return imports.plan("tasks/agent", { ...view, service, sample: sample(binding.tasks?.sample) });
  }
  imports.type(serverApi.A2AService);
  const methods = protocol.operations.map((operation) =>
    methodView(operation, unsupported, imports),
  );
  return imports.plan("agent/agent", { ...view, sample: sample(), methods });
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

const newId = "crypto.randomUUID()";

/** View of a skeleton method, with its body. */
interface SkeletonView extends MethodView {
  readonly body: readonly string[];
}

function methodView(
  operation: OperationDef,
  unsupported: string,
  imports: NameSource,
): SkeletonView {
  const { sample } = operation;
  const isLater = !streamsResponses(operation) && sample === undefined;
  const body = bodyOf(operation, unsupported, imports);
  const uses = (name: string): boolean => body.some((line) => line.includes(`${name}.`));
  const request = (): string =>
    `${uses("request") ? "" : "_"}request: ${requestType(operation, imports)}`;
  const context = (): string => `context: ${imports.type(serverApi.CallContext)}`;
  // An unused parameter is only declared if a used parameter follows it.
  const needed = uses("context") ? [request, context] : uses("request") ? [request] : [];
  const parameters = needed.map((parameter) => parameter());
  const response = streamsResponses(operation)
    ? streamType(operation, imports)
    : responseType(operation, imports);
  const result = isLater ? `Promise<${response}>` : response;
  return {
    docs: operationDocs(operation, 2),
    head: signature(operation.method, parameters, `: ${result} {`),
    body,
  };
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
  const [lookup] = lookups;
  if (sample !== undefined) {
    const unknown = lookups.map(
      ({ path, error }) =>
        `if (${["request", ...path].join(".")} !== undefined) throw new ${errorOf(error)}();`,
    );
    return [
      "context.signal.throwIfAborted();",
      ...unknown,
      ...`return ${sampleOf(sample)};`.split("\n"),
    ];
  }
  if (lookup !== undefined) return [`throw new ${errorOf(lookup.error)}();`];
  return [
    `throw new ${errorOf(unsupported)}(\`\${context.operation.method} is not implemented\`);`,
  ];
}

/** Returns the expression for a sample response. Strings in braces represent expressions. */
function sampleOf(sample: NonNullable<OperationDef["sample"]>): string {
  return literal(sample)
    .replaceAll(
      /"\{(request(?:\.[A-Za-z_$][\w$]*)+)(?: (\?\? )uuid)?\}"/g,
      (_, path: string, or?: string) => (or === undefined ? path : `${path} ${or}${newId}`),
    )
    .replaceAll('"{uuid}"', newId);
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
  const unsupported = protocol.binding?.errorRoles.unsupported;
  if (unsupported === undefined) return undefined;
  const methods = protocol.operations.map(
    ({ sample: _, lookups: __, ...operation }): AgentMethodPlan => {
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
    },
  );
  const serviceFactories = [kitApi.taskService.name];
  return {
    name: "A2AService",
    factory: { name: "createAgent", property: "service" },
    methods,
    serviceFactories,
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
  const type = types.find((one) => one.name === name);
  const members = type?.kind === "union" ? type.members : type?.kind === "alias" ? [type.type] : [];
  for (const member of members) if ("name" in member) membersOf(member.name, { types }, found);
  return found;
}
