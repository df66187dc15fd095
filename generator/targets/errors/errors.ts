import { pascalCase } from "../../../support/names.js";
import {
  errorRoles,
  type AgentBinding,
  type BindingDef,
  type ErrorDef,
  type ErrorRole,
  type Protocol,
} from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { errorRef, output } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { literalOf, memberLayout } from "../../emit/expressions.js";
import { print } from "../../emit/layout.js";
import { docOf, encloseObject, quote, type DocView } from "../../emit/text.js";
import { emptyPlan, type FilePlan, type Target, type TargetPlan } from "../../emit/plan.js";

/**
 * Target of the errors: a class for each protocol error, and the table that maps the classes to
 * every transport.
 */
export const errors: Target = {
  name: "errors",
  summary: "one class per protocol error, with its codes on every transport (errors.ts)",
  needs: [],
  plan: (protocol) => {
    const { binding } = protocol;
    if (binding === undefined) return withoutManifest("errors", "the error codes", protocol);
    return { ...emptyPlan, files: [errorsFile(binding)], exports: ["errors"] };
  },
};

/** Errors that a library already provides for all outputs. */
export interface SharedErrors {
  /** Format of the output, which the library checks. */
  readonly form: string;
  /** Whether the whole file comes from the library. */
  readonly all: boolean;
  /** Names of the library's classes that have the same codes. */
  readonly same: ReadonlySet<string>;
  /** Names of the classes that extend a class of the library because their codes differ. */
  readonly extended: ReadonlySet<string>;
}

/**
 * Plans the file with the errors. If a library provides some of the classes, the file imports them
 * from the library.
 */
export function errorsFile(binding: BindingDef, shared?: SharedErrors): FilePlan {
  return shared?.all === true ? sharedFile(shared) : classesFile(binding, shared);
}

/** Plans a file that only reexports the errors of the library. */
function sharedFile({ form }: SharedErrors): FilePlan {
  const imports = new Imports("errors.ts");
  imports.use(runtime.checkLibrary);
  imports.reexportAll("errors");
  return imports.plan("errors/shared", { form });
}

function classesFile(binding: BindingDef, shared?: SharedErrors): FilePlan {
  const { A2AError, A2AErrorOptions, ErrorDetail, ErrorRow, GrpcStatus } = runtime;
  const isShared = ({ name }: ErrorDef): boolean => shared?.same.has(name) === true;
  const own = binding.errors.filter((error) => !isShared(error));
  const fromLibrary = binding.errors.filter(isShared).map(({ name }) => errorRef(name));
  const imports = new Imports("errors.ts", [...own, output.clientErrors, output.errors]);
  imports.use(...fromLibrary);
  imports.reexport(ErrorDetail, ErrorRow, GrpcStatus, ...fromLibrary);
  if (isOfAgents(binding)) imports.reexport(A2AError, A2AErrorOptions);
  else {
    imports.reexportAs(A2AError, "RpcError");
    imports.reexportAs(A2AErrorOptions, "RpcErrorOptions");
    imports.value(A2AError, "RpcError");
    imports.reexport(runtime.ErrorDetails, runtime.errorDetail, runtime.errorDetailsOf);
  }
  const classes = own.map((error) => {
    const isExtended = shared?.extended.has(error.name) === true;
    const base = imports.value(isExtended ? errorRef(error.name) : A2AError);
    return { ...errorView(error, imports.type(ErrorRow)), base };
  });
  return imports.plan("errors/errors", {
    clientType: imports.type(runtime.ClientErrors),
    tableType: imports.type(runtime.ErrorTable),
    classes,
    table: tableOf(binding, imports),
    check: shared !== undefined && { call: imports.value(runtime.checkLibrary), form: shared.form },
  });
}

/**
 * Returns the plan for a target that is omitted because it requires a proto. The plan only contains
 * the reason.
 */
export function withoutProto(target: string, what: string): TargetPlan {
  const reason = `the version has no proto, which defines ${what}`;
  return { ...emptyPlan, omissions: [{ target, subject: "everything", reason }] };
}

/**
 * Returns the plan for a target that is omitted because it requires a manifest. The plan only
 * contains the reason.
 */
export function withoutManifest(target: string, what: string, { sources }: Protocol): TargetPlan {
  const kinds = { proto: "proto", schema: "JSON Schema", manifest: "manifest" };
  const names = sources.map((source) => kinds[source]);
  const subject =
    names.length === 1 ? `a ${names.join("")} alone does` : `${names.join(" and ")} do`;
  const hint = sources.includes("manifest")
    ? "extend the manifest of a version"
    : "for a variant of A2A, use the manifest of a version with --manifest";
  const reason = `${subject} not define ${what}; ${hint}, see \`a2a-codegen list\``;
  return { ...emptyPlan, omissions: [{ target, subject: "everything", reason }] };
}

/**
 * Returns the facts about the agents that a protocol describes. Returns `undefined` if it describes
 * no agents, or has no message for their cards.
 */
export function agentBinding({ types, binding }: Protocol): AgentBinding | undefined {
  return isOfAgents(binding) && types.some(({ name }) => name === binding.card.type)
    ? binding
    : undefined;
}

/** Returns whether the services of a protocol are agents. */
export function isOfAgents(binding: BindingDef | undefined): binding is AgentBinding {
  return binding?.card !== undefined;
}

/**
 * Returns the plan for a target that is omitted because the protocol has no {@link agentBinding}.
 * The plan only contains the reason. `what` names the missing facts if the manifest is missing.
 */
export function withoutAgents(target: string, what: string, protocol: Protocol): TargetPlan {
  const { binding } = protocol;
  if (binding === undefined) return withoutManifest(target, what, protocol);
  const card = binding.card?.type;
  if (card === undefined) {
    const reason = "only agents have it, and the manifest does not describe an agent card";
    return { ...emptyPlan, omissions: [{ target, subject: "everything", reason }] };
  }
  const message = `the specification has no message "${card}", which the manifest defines as the agent card`;
  const hint =
    'clients and servers require an agent card: declare a message, and set it under "card" in ' +
    "your manifest";
  const reason = `${message}; ${hint}`;
  return { ...emptyPlan, omissions: [{ target, subject: "everything", reason }] };
}

function errorView(
  error: ErrorDef,
  rowType: string,
): { name: string; docs: DocView; row: readonly string[] } {
  const { name, docs, reason, message, jsonRpc, http, grpc } = error;
  const row = [
    `reason: ${quote(reason)}`,
    // The runtime derives this name from the reason.
    ...(name === `${pascalCase(reason)}Error` ? [] : [`name: ${quote(name)}`]),
    ...(message === undefined ? [] : [`message: ${quote(message)}`]),
    ...(jsonRpc === undefined ? [] : [`jsonRpc: ${jsonRpc}`]),
    `http: ${http}`,
    `grpc: ${quote(grpc)}`,
  ];
  return {
    name,
    docs: docOf(docs),
    row: encloseObject(`static override readonly row: ${rowType} = `, row, ";", 2),
  };
}

/**
 * Roles of the errors that the client uses. Only servers use the other roles, so the bundle of a
 * client can omit them.
 */
const clientRoles: readonly ErrorRole[] = [
  "invalidRequest",
  "internal",
  "unauthenticated",
  "permissionDenied",
  "invalidResponse",
];

/** View of the table that maps the roles of errors to their classes. */
interface TableView {
  readonly domain: string;
  readonly classes: readonly string[];
  readonly client: readonly string[];
  readonly server: readonly string[];
}

function tableOf(
  { errors, errorRoles: names, errorVariants = {}, errorDomain }: BindingDef,
  imports: Imports,
): TableView {
  const lines = (roles: readonly ErrorRole[]): string[] =>
    roles.flatMap((role) => {
      const name = names[role];
      if (name === undefined) return [];
      const variant = errorVariants[role];
      if (variant === undefined) return [`${role}: ${name},`];
      const call = { call: imports.value(runtime.variantOf), args: [name, literalOf(variant)] };
      return print(memberLayout(role, call), 2);
    });
  const isClient = (role: ErrorRole): boolean => clientRoles.includes(role);
  return {
    domain: errorDomain === undefined ? "" : quote(errorDomain),
    classes: errors.map(({ name }) => `${name},`),
    client: lines(errorRoles.filter(isClient)),
    server: lines(errorRoles.filter((role) => !isClient(role))),
  };
}
