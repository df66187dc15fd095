import { valueSchema } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type {
  BindingDef,
  FieldDef,
  HttpRouteDef,
  MessageDef,
  OperationDef,
  ValueType,
} from "../../protocol/model/types.js";
import { openApiDialect } from "./components.js";
import type { HttpJson } from "./http-json.js";
import type { Parameter, Reference } from "./openapi-types.js";
import { pathTemplate, type PathTemplate, type PathVariable } from "./path-template.js";
import { docsAt } from "./proto-json-types.js";
import { withRange } from "./ranges.js";

/**
 * Describes the variables of a path. The field `tenant` may be absent from a message, but is
 * required in the path, because requests without a tenant have a separate route.
 */
export function pathParameters(
  http: HttpJson,
  operation: OperationDef,
  { variables }: PathTemplate,
  tenant?: string,
): Parameter[] {
  return variables.map((variable) => {
    const { name, isOpen, field } = variable;
    const docs =
      (field === tenant ? tenantDocs(operation, field) : undefined) ??
      variableDocs(http, operation, variable);
    const about = [docs, isOpen ? "It may contain slashes." : ""].filter(Boolean);
    return {
      name,
      in: "path",
      ...(about.length > 0 && { description: about.join("\n\n") }),
      required: true,
      schema: variableSchema(http, operation, variable),
    };
  });
}

/**
 * Describes the tenant in a path, which is required in the path although it is optional in the
 * message.
 */
function tenantDocs({ http: routes }: OperationDef, tenant: string): string | undefined {
  const template = ({ path }: HttpRouteDef): PathTemplate => pathTemplate(path);
  const other = routes.find((route) =>
    template(route).variables.every(({ field }) => field !== tenant),
  );
  if (other === undefined) return undefined;
  return (
    `The \`${tenant}\` of the called interface in the agent card. Requests without a tenant use ` +
    `\`${other.httpMethod} ${template(other).path}\`.`
  );
}

function variableSchema(
  http: HttpJson,
  operation: OperationDef,
  { field, pattern }: PathVariable,
): JsonSchema {
  const type = pattern === undefined ? http.field(http.request(operation), field)?.type : undefined;
  return type === undefined ? { type: "string" } : valueSchema(type, openApiDialect);
}

function variableDocs(http: HttpJson, operation: OperationDef, variable: PathVariable): string {
  const path = http.isModel ? undefined : http.modelPath(operation, variable);
  if (path === undefined) return http.field(http.request(operation), variable.field)?.docs ?? "";
  const { request } = operation;
  return request.kind === "named"
    ? docsAt(http.model, http.model.reference(request.name), path)
    : "";
}

/**
 * Describes the query parameters: the fields of a message that are neither in the path nor in the
 * body.
 */
export function queryParameters(
  http: HttpJson,
  { ranges }: OperationDef,
  message: MessageDef | undefined,
  elsewhere: ReadonlySet<string>,
): Parameter[] {
  const parent = { prefix: "", isRequired: true, outer: [] };
  const parameters = message === undefined ? [] : fieldsOf(http, message, parent, elsewhere);
  return parameters.map((parameter) => ({
    ...parameter,
    schema: withRange(parameter.schema, parameter.name, ranges),
  }));
}

interface ParentField {
  readonly prefix: string;
  /** Whether all enclosing fields are required. */
  readonly isRequired: boolean;
  readonly outer: readonly string[];
}

function fieldsOf(
  http: HttpJson,
  message: MessageDef,
  parent: ParentField,
  elsewhere: ReadonlySet<string>,
): Parameter[] {
  return message.fields.flatMap((field): Parameter[] => {
    const name = parent.prefix + field.name;
    if (elsewhere.has(name)) return [];
    const isRequired =
      parent.isRequired && field.presence === "required" && field.oneof === undefined;
    const inner = field.type.kind === "message" ? http.message(field.type.name) : undefined;
    if (inner === undefined)
      return isText(field.type) ? [queryParameter(name, field, isRequired)] : [];
    if (parent.outer.includes(inner.name)) return [];
    return fieldsOf(
      http,
      inner,
      { prefix: `${name}.`, isRequired, outer: [...parent.outer, inner.name] },
      elsewhere,
    );
  });
}

function queryParameter(
  name: string,
  { docs, deprecated, type, nonEmpty }: FieldDef,
  required: boolean,
): Parameter {
  return {
    name,
    in: "query",
    ...(docs !== "" && { description: docs }),
    ...(required && { required }),
    ...(deprecated && { deprecated }),
    ...(type.kind === "list" && { style: "form", explode: true }),
    schema: { ...valueSchema(type, openApiDialect), ...(nonEmpty && { minItems: 1 }) },
  };
}

/**
 * Returns whether a query parameter can represent the values of a type, as a string or as a list of
 * strings.
 */
function isText(type: ValueType): boolean {
  switch (type.kind) {
    case "scalar":
    case "wrapper":
    case "enum":
      return true;
    case "wellKnown":
      return ["Timestamp", "Duration", "FieldMask"].includes(type.wellKnown);
    case "list":
      return type.element.kind !== "list" && isText(type.element);
    default:
      return false;
  }
}

/** Returns the parameters of every operation, by their names below `components.parameters`. */
export function headerParameters(binding: BindingDef): Record<string, Parameter> {
  const { headers, wireVersion, assumedVersion, errorRoles } = binding;
  if (headers === undefined) return {};
  const isChecked = errorRoles.versionNotSupported !== undefined;
  const isNeeded = isChecked && assumedVersion !== wireVersion;
  const version: Parameter = {
    name: headers.version,
    in: "header",
    description:
      `The protocol version of the request. The default is ${assumedVersion}. The query ` +
      "parameter with the same name is equivalent.",
    ...(isNeeded && { required: true }),
    schema: { type: "string" },
    example: wireVersion,
  };
  const extensions: Parameter = {
    name: headers.extensions,
    in: "header",
    description: "The URIs of the extensions to activate, separated by commas.",
    style: "simple",
    schema: { type: "array", items: { type: "string" } },
  };
  return { Version: version, Extensions: extensions };
}

/** References to {@link headerParameters}. */
export const headerReferences: readonly Reference[] = ["Version", "Extensions"].map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));
