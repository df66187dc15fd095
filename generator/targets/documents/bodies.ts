import { schemaOf, valueSchema } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import type {
  BindingDef,
  HttpRouteDef,
  MessageDef,
  OperationDef,
  ValueType,
} from "../../protocol/model/types.js";
import { openApiDialect, type Schemas } from "./components.js";
import type { HttpJson } from "./http-json.js";
import type { RequestBody } from "./openapi-types.js";
import type { PathTemplate } from "./path-template.js";

/**
 * Returns the request field that is the body of a route: `*` for the whole request, `undefined` if
 * the route has no body.
 */
export function bodyField({ body, use, httpMethod }: HttpRouteDef): string | undefined {
  return body ?? (use === "fallback" && httpMethod === "POST" ? "*" : undefined);
}

/** A route of an operation, and the template of its path. */
interface BodyRoute {
  readonly operation: OperationDef;
  readonly route: HttpRouteDef;
  readonly template: PathTemplate;
}

/** The parts of the document that a body refers to. */
interface BodyParts {
  readonly http: HttpJson;
  readonly schemas: Schemas;
  readonly binding: BindingDef;
}

/** Describes the body of a route, and adds the schemas that the description refers to. */
export function requestBody(
  { operation, route, template }: BodyRoute,
  { http, schemas, binding }: BodyParts,
): RequestBody | undefined {
  const field = bodyField(route);
  if (field === undefined) return undefined;
  const writer = new BodyWriter(http, operation, template, schemas);
  const main = field === "*" ? writer.whole() : writer.field(field);
  const model = http.isModel ? undefined : writer.model(field);
  const schema = model === undefined ? main.schema : unionOf(main.schema, model);
  const types = new Set([binding.mediaTypes.http, ...binding.mediaTypes.accept]);
  return {
    required: main.isRequired || writer.hasNonEmpty,
    content: Object.fromEntries([...types].map((type) => [type, { schema }])),
  };
}

/**
 * Returns the schema of a body in the form of HTTP+JSON or of the model. A main schema without
 * `$ref` has no constraints, so it is omitted.
 */
function unionOf(main: JsonSchema, model: JsonSchema): JsonSchema {
  return main.$ref === undefined ? model : { anyOf: [main, model] };
}

class BodyWriter {
  readonly #http: HttpJson;
  readonly #operation: OperationDef;
  readonly #template: PathTemplate;
  readonly #schemas: Schemas;

  constructor(http: HttpJson, operation: OperationDef, template: PathTemplate, schemas: Schemas) {
    this.#http = http;
    this.#operation = operation;
    this.#template = template;
    this.#schemas = schemas;
  }

  /** Whether the manifest requires that a field of the request is not empty. */
  get hasNonEmpty(): boolean {
    return (this.#operation.nonEmpty ?? []).length > 0;
  }

  /** Describes a body that is a field of the request, in the JSON of the HTTP+JSON messages. */
  field(name: string): { schema: JsonSchema; isRequired: boolean } {
    const field = this.#http.field(this.#http.request(this.#operation), name);
    if (field === undefined) return { schema: {}, isRequired: false };
    const isRequired = field.presence === "required";
    return { schema: this.#fieldSchema(name, field.type), isRequired };
  }

  /** Describes a body that is the whole request, in the JSON of the HTTP+JSON messages. */
  whole(): { schema: JsonSchema; isRequired: boolean } {
    const request = this.#http.request(this.#operation);
    if (request === undefined) return { schema: { type: "object" }, isRequired: false };
    const rest = without(request, this.#inPath(request));
    const isRequired =
      rest.fields.some(({ presence }) => presence === "required") ||
      rest.oneofs.some(({ required }) => required);
    return { schema: this.#schemaOf(request, rest, this.#http.prefix), isRequired };
  }

  /** Describes the body in the JSON of the model, which some implementations also send. */
  model(field: string): JsonSchema | undefined {
    const { request } = this.#operation;
    const { model } = this.#http;
    if (request.kind === "empty") return undefined;
    const mapping = field === "*" ? undefined : this.#http.mapping(this.#operation, field);
    const path = mapping?.kind === "path" ? mapping.path : [];
    const type = model.at(model.reference(request.name), path)?.type;
    if (type === undefined) return undefined;
    const message = model.message(type);
    if (message === undefined || path.length > 0) return valueSchema(type, openApiDialect);
    const inPath = this.#template.variables.map((variable) =>
      (this.#http.modelPath(this.#operation, variable) ?? []).join("."),
    );
    return this.#schemaOf(message, without(message, new Set(inPath)), "");
  }

  /**
   * Returns the schema of a body that is a single field. Its members that the path provides are
   * optional.
   */
  #fieldSchema(field: string, type: ValueType): JsonSchema {
    const message = type.kind === "message" ? this.#http.message(type.name) : undefined;
    const filled = this.#http.filled(this.#operation, field, this.#template.variables);
    if (message === undefined || filled.size === 0) return valueSchema(type, openApiDialect);
    const fields = message.fields.map((member) => {
      return filled.has(member.name) ? { ...member, presence: "optional" as const } : member;
    });
    return this.#add({ ...message, fields }, this.#http.prefix);
  }

  /** Returns the fields that the body may omit because the path contains them. */
  #inPath({ fields }: MessageDef): Set<string> {
    const required = new Set(
      fields.filter(({ presence }) => presence === "required").map(({ name }) => name),
    );
    const variables = this.#template.variables.filter(
      ({ field, pattern }) => pattern !== undefined || required.has(field),
    );
    return new Set(variables.map(({ field }) => field));
  }

  /** Returns the schema of a message without the fields that the path provides. */
  #schemaOf(message: MessageDef, rest: MessageDef, prefix: string): JsonSchema {
    if (rest.fields.length === message.fields.length)
      return { $ref: openApiDialect.refTo(message.name) };
    if (rest.fields.length === 0) return { type: "object" };
    return this.#add(rest, prefix);
  }

  #add(body: MessageDef, prefix: string): JsonSchema {
    const name = `${prefix}${this.#operation.name}Body`;
    return this.#schemas.add(name, schemaOf(body, openApiDialect));
  }
}

/** Returns a message without the named fields. */
function without(message: MessageDef, names: ReadonlySet<string>): MessageDef {
  return { ...message, fields: message.fields.filter(({ name }) => !names.has(name)) };
}
