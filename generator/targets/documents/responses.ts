import { valueSchema } from "../../protocol/json-schema/json-schema.js";
import type { JsonSchema } from "../../protocol/json-schema/types.js";
import { streamsResponses } from "../../protocol/model/streaming.js";
import type {
  BindingDef,
  ErrorDef,
  HttpRouteDef,
  OperationDef,
  TypeRef,
} from "../../protocol/model/types.js";
import { openApiDialect, type Schemas } from "./components.js";
import { errorBody, errorSchema } from "./error-format.js";
import type { HttpJson } from "./http-json.js";
import type { Example, Header, Reference, Response } from "./openapi-types.js";
import { summaryOf } from "./words.js";

/** Describes the responses of operations. Adds the schemas that the descriptions refer to. */
export class Responses {
  readonly #http: HttpJson;
  readonly #binding: BindingDef;
  readonly #schemas: Schemas;
  readonly #error: JsonSchema;

  constructor(http: HttpJson, binding: BindingDef, schemas: Schemas) {
    this.#http = http;
    this.#binding = binding;
    this.#schemas = schemas;
    this.#error = schemas.add(schemas.unused("ErrorBody"), errorSchema(binding));
  }

  /** Describes the responses of an operation, by status. */
  of(operation: OperationDef, route: HttpRouteDef): Record<string, Response | Reference> {
    const answers: Record<string, Response | Reference> = {
      200: streamsResponses(operation)
        ? this.#stream(operation, route)
        : this.#single(operation, route),
    };
    for (const status of this.#byStatus().keys()) answers[status] = referenceTo(`Error${status}`);
    return { ...answers, default: referenceTo("Error") };
  }

  /** Describes the error responses, by their names below `components.responses`. */
  errors(): Record<string, Response> {
    const { unauthenticated } = this.#binding.errorRoles;
    const entries = [...this.#byStatus()].map(([status, errors]): [string, Response] => {
      const names = errors.map(({ name }) => `\`${name}\``);
      const headers = errors.some(({ name }) => name === unauthenticated)
        ? { "WWW-Authenticate": this.#binding.card === undefined ? scheme : challenge }
        : {};
      return [`Error${status}`, this.#errorResponse(`${names.join(" or ")}.`, errors, headers)];
    });
    return Object.fromEntries([
      ...entries,
      ["Error", this.#errorResponse("Any other error.", [], {})],
    ]);
  }

  #errorResponse(
    description: string,
    errors: readonly ErrorDef[],
    headers: Record<string, Header>,
  ): Response {
    const examples = Object.fromEntries(
      errors.map((error): [string, Example] => {
        const summary = summaryOf(error.docs);
        return [
          error.name,
          { ...(summary !== "" && { summary }), value: errorBody(error, this.#binding) },
        ];
      }),
    );
    const media = { schema: this.#error, ...(errors.length > 0 && { examples }) };
    return {
      description,
      ...(Object.keys(headers).length > 0 && { headers }),
      content: { [this.#binding.mediaTypes.http]: media },
    };
  }

  #byStatus(): Map<number, ErrorDef[]> {
    const statuses = new Map<number, ErrorDef[]>();
    for (const error of this.#binding.errors.toSorted((a, b) => a.http - b.http)) {
      const same = statuses.get(error.http);
      if (same === undefined) statuses.set(error.http, [error]);
      else same.push(error);
    }
    return statuses;
  }

  #single(operation: OperationDef, { responseBody }: HttpRouteDef): Response {
    const response = this.#http.response(operation);
    const description =
      response.kind === "empty" ? "Done. The body is an empty object." : "The response.";
    const content = {
      [this.#binding.mediaTypes.http]: { schema: this.#schemaOf(response, responseBody) },
    };
    return { description, ...this.#headers(), content };
  }

  #stream(operation: OperationDef, { responseBody }: HttpRouteDef): Response {
    const response = this.#http.response(operation);
    const schema = this.#schemaOf(response, responseBody);
    const name = response.kind === "named" ? response.name : operation.name;
    const event = this.#schemas.add(`${name}Event`, {
      description: "The JSON in the `data` of an event. An error is the last event of its stream.",
      anyOf: [schema, this.#error],
    });
    const { lines } = this.#binding.mediaTypes;
    const description =
      "A stream of server-sent events. The schema describes the JSON in the `data` of each event" +
      (lines === undefined ? "." : ", or in each line.");
    const media = { schema: event };
    const content = { "text/event-stream": media, ...(lines !== undefined && { [lines]: media }) };
    return { description, ...this.#headers(), content };
  }

  #schemaOf(response: TypeRef, responseBody: string | undefined): JsonSchema {
    if (response.kind === "empty") return { type: "object" };
    if (responseBody === undefined) return { $ref: openApiDialect.refTo(response.name) };
    const field = this.#http.field(this.#http.message(response.name), responseBody);
    if (field === undefined) return {};
    const schema = valueSchema(field.type, openApiDialect);
    return field.presence === "required" ? schema : { anyOf: [schema, { type: "null" }] };
  }

  #headers(): Pick<Response, "headers"> {
    const { headers } = this.#binding;
    return headers === undefined ? {} : { headers: { [headers.extensions]: extensions } };
  }
}

const extensions: Header = {
  description:
    "The URIs of the extensions that the agent has activated for the call, separated by commas.",
  schema: { type: "string" },
};

const challenge: Header = {
  description: "The credentials that the agent requires.",
  schema: { type: "string" },
};

const scheme: Header = {
  description: "The schemes of the required credentials.",
  schema: { type: "string" },
};

function referenceTo(name: string): Reference {
  return { $ref: `#/components/responses/${name}` };
}
