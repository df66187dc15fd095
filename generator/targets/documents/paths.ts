import { pascalCase } from "../../../support/names.js";
import { qualifiedName } from "../../protocol/model/qualified-name.js";
import type {
  BindingDef,
  HttpRouteDef,
  Omission,
  OperationDef,
} from "../../protocol/model/types.js";
import { bodyField, requestBody } from "./bodies.js";
import type { Schemas } from "./components.js";
import type { HttpJson } from "./http-json.js";
import { httpMethods, type ApiOperation, type PathItem, type HttpMethod } from "./openapi-types.js";
import { headerReferences, pathParameters, queryParameters } from "./parameters.js";
import { pathTemplate, withNamesOf, type PathTemplate } from "./path-template.js";
import type { Responses } from "./responses.js";
import { conditionsOf, paragraphs, summaryOf } from "./words.js";

/** Dependencies of {@link Paths}. */
export interface PathParts {
  readonly http: HttpJson;
  readonly binding: BindingDef;
  readonly schemas: Schemas;
  readonly responses: Responses;
}

/** Collects the routes of all operations, grouped by path. */
export class Paths {
  readonly items = new Map<string, PathItem>();
  readonly omissions: Omission[] = [];
  readonly tags = new Set<string>();
  readonly #parts: PathParts;
  readonly #templates = new Map<string, PathTemplate>();
  readonly #owners = new Map<string, OperationDef>();
  readonly #ids = new Set<string>();

  constructor(parts: PathParts) {
    this.#parts = parts;
  }

  /** Adds the routes of an operation. */
  add(operation: OperationDef): void {
    for (const route of operation.http) this.#route(operation, route);
  }

  /** Adds a path that does not belong to an operation. */
  addItem(path: string, id: string, make: (id: string) => PathItem): void {
    this.items.set(path, make(this.#unusedId([id], path)));
  }

  #route(operation: OperationDef, route: HttpRouteDef): void {
    const httpMethod = httpMethods.find((method) => method.toUpperCase() === route.httpMethod);
    if (httpMethod === undefined) return this.#omit(operation, route, "OpenAPI has no such method");
    const template = this.#template(route.path);
    const key = `${httpMethod} ${template.shape}`;
    const owner = this.#owners.get(key);
    // If several routes have the same shape, keep the first route, because servers also select the
    // first route.
    if (owner === operation) return;
    if (owner !== undefined)
      return this.#omit(operation, route, `${owner.name} has a route of the same shape`);
    this.#owners.set(key, operation);
    const described = this.#describe(operation, route, template);
    this.items.set(template.path, {
      ...this.items.get(template.path),
      [httpMethod satisfies HttpMethod]: described,
    });
  }

  #omit(operation: OperationDef, { httpMethod, path }: HttpRouteDef, why: string): void {
    this.omissions.push({
      target: "openapi",
      subject: qualifiedName(operation),
      reason: `the route ${httpMethod} ${path}: ${why}`,
    });
  }

  /**
   * Returns the template of a path. Paths that differ only in the names of their variables share
   * one entry of the document.
   */
  #template(path: string): PathTemplate {
    const template = pathTemplate(path);
    const same = this.#templates.get(template.shape);
    if (same !== undefined) return withNamesOf(template, same);
    this.#templates.set(template.shape, template);
    return template;
  }

  #describe(operation: OperationDef, route: HttpRouteDef, template: PathTemplate): ApiOperation {
    const summary = summaryOf(operation.docs);
    const description = paragraphs(operation.docs, ...this.#notes(operation, route));
    const isDeprecated = operation.deprecated || route.use === "accept";
    const body = requestBody({ operation, route, template }, this.#parts);
    const tag = template.collection ?? operation.name;
    this.tags.add(tag);
    return {
      operationId: this.#idOf(operation, route, template),
      tags: [tag],
      ...(summary !== "" && { summary }),
      ...(description !== "" && { description }),
      ...(isDeprecated && { deprecated: true }),
      parameters: this.#parameters(operation, route, template),
      ...(body !== undefined && { requestBody: body }),
      responses: this.#parts.responses.of(operation, route),
    };
  }

  #parameters(
    operation: OperationDef,
    route: HttpRouteDef,
    template: PathTemplate,
  ): ApiOperation["parameters"] {
    const { http, binding } = this.#parts;
    const inPath = pathParameters(http, operation, template, binding.tenant);
    const field = bodyField(route);
    const variables = template.variables.map((variable) => variable.field);
    const elsewhere = new Set(field === undefined ? variables : [...variables, field]);
    const inQuery =
      route.body === "*"
        ? []
        : queryParameters(http, operation, http.request(operation), elsewhere);
    // The body may contain the same fields, so they are optional in the query.
    const query =
      field === "*" ? inQuery.map((parameter) => ({ ...parameter, required: false })) : inQuery;
    return [...inPath, ...query, ...(binding.headers === undefined ? [] : headerReferences)];
  }

  #notes(operation: OperationDef, { path, use }: HttpRouteDef): string[] {
    const { http: routes } = operation;
    const first = routes.find((route) => route.path === path && route.use !== use) ?? routes[0];
    const usual = first && `\`${first.httpMethod} ${pathTemplate(first.path).path}\``;
    const conditions = conditionsOf(operation, (names) =>
      this.#parts.http.pathOf(operation, names),
    );
    return [...routeNote(use, usual ?? ""), ...conditions];
  }

  #idOf(
    { method, http: routes }: OperationDef,
    { httpMethod, use }: HttpRouteDef,
    template: PathTemplate,
  ): string {
    const { tenant } = this.#parts.binding;
    const isTenant = template.variables.some(({ field }) => field === tenant);
    const forTenant = isTenant && tenant !== undefined ? `For${pascalCase(tenant)}` : "";
    const isOtherMethod = use === "fallback" && httpMethod !== routes[0]?.httpMethod;
    const byMethod = isOtherMethod ? `By${pascalCase(httpMethod.toLowerCase())}` : "";
    const plain = method + forTenant;
    const precise = plain + byMethod;
    return this.#unusedId([plain, precise, `${precise}Alternative`], template.path);
  }

  /**
   * Returns the first id that is not in use. If all ids are in use, returns the last id with the
   * path appended.
   */
  #unusedId(ids: readonly string[], path: string): string {
    const all = [...ids, `${ids.at(-1) ?? ""}At${pascalCase(path)}`];
    const id = all.find((candidate) => !this.#ids.has(candidate)) ?? all.join("");
    this.#ids.add(id);
    return id;
  }
}

/** Returns the note on a route that is not the usual route of its operation. */
function routeNote(use: HttpRouteDef["use"], usual: string): string[] {
  if (use === "accept") return [`Servers also accept this route. Send requests to ${usual}.`];
  if (use !== "fallback") return [];
  return [`Equivalent to ${usual}, for callers and servers that use this HTTP method.`];
}
