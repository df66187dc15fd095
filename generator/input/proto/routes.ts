import protobuf from "protobufjs";
import { jsonName } from "../../../support/names.js";
import type { HttpRouteDef } from "../../protocol/model/types.js";
import { nameOf } from "./parsed-names.js";
import { optionsOf } from "./options.js";
import { parseTemplate, variable } from "./path-template.js";
import type { TypeResolver } from "./resolve.js";

/** An HTTP rule of an rpc: its route, or the reason why the rule has no route, with a hint. */
export type Rule =
  { readonly route: HttpRouteDef } | { readonly message: string; readonly hint: string };

/** Reads the HTTP rules of rpcs. */
export class RuleReader {
  readonly #resolver: TypeResolver;
  /**
   * The rpc of each route, by HTTP method and shape of the path, because the names of variables do
   * not distinguish routes.
   */
  readonly #owners = new Map<string, string>();

  constructor(resolver: TypeResolver) {
    this.#resolver = resolver;
  }

  /**
   * Returns the rules of an rpc, including additional bindings. `owner` is the name of its
   * operation.
   */
  rulesOf(method: protobuf.Method, owner: string): Rule[] {
    return optionsOf(method.parsedOptions, "google.api.http").flatMap((rule: unknown) => {
      const additional = [member(rule, "additional_bindings") ?? []].flat();
      return [rule, ...additional].map((binding) => this.#ruleOf(binding, method, owner));
    });
  }

  #ruleOf(rule: unknown, method: protobuf.Method, owner: string): Rule {
    const custom = member(rule, "custom");
    const httpMethod = httpMethods.find((name) => member(rule, name) !== undefined);
    const path = httpMethod === undefined ? member(custom, "path") : member(rule, httpMethod);
    const kind = httpMethod ?? member(custom, "kind");
    if (
      typeof path !== "string" ||
      typeof kind !== "string" ||
      !/^[a-z]+$/i.test(kind) ||
      !path.startsWith("/")
    )
      return {
        message: "the HTTP rule has no valid path",
        hint: "use one HTTP method with a path that starts with a slash",
      };
    const shown = `${kind.toUpperCase()} ${path}`;
    const template = parseTemplate(path);
    if ("message" in template) return { ...template, message: `${shown} ${template.message}` };
    const [body, responseBody] = [stringMember(rule, "body"), stringMember(rule, "response_body")];
    const { fields, shape } = template;
    const problem = this.#problemOf({ fields, body, responseBody }, method);
    if (problem !== undefined)
      return { message: `${shown} refers to ${problem}`, hint: "use a field with a single value" };
    const route = {
      httpMethod: kind.toUpperCase(),
      path: jsonPath(path),
      ...(body !== undefined && { body: body === "*" ? body : jsonName(body) }),
      ...(responseBody !== undefined && { responseBody: jsonName(responseBody) }),
    };
    return this.#claim(route, shape, owner);
  }

  #claim(route: HttpRouteDef, shape: string, owner: string): Rule {
    const key = `${route.httpMethod} ${shape}`;
    const earlier = this.#owners.get(key);
    if (earlier !== undefined)
      return {
        message: `${route.httpMethod} ${route.path} is already the route of ${earlier}`,
        hint: "change one of the two routes",
      };
    this.#owners.set(key, owner);
    return { route };
  }

  /**
   * Describes the first name in a route that does not refer to a single-valued field in the
   * messages of the rpc.
   */
  #problemOf(
    { fields, body, responseBody }: RuleParts,
    method: protobuf.Method,
  ): string | undefined {
    const { requestType, responseType } = method;
    const request = this.#messageOf(requestType, method);
    for (const text of fields) {
      const found = this.#fieldAt(request, text.split("."));
      if (found === undefined) return `"${text}", which is not a field of ${requestType}`;
      if (found.repeated || found.map || this.#messageOf(found.type, found) !== undefined)
        return `"${text}", which is not a single value`;
    }
    if (body !== undefined && body !== "*" && this.#fieldAt(request, [body]) === undefined)
      return `"${body}", which is not a field of ${requestType}`;
    const response = this.#messageOf(responseType, method);
    if (responseBody !== undefined && this.#fieldAt(response, [responseBody]) === undefined)
      return `"${responseBody}", which is not a field of ${responseType}`;
    return undefined;
  }

  #messageOf(name: string, user: protobuf.Method | protobuf.Field): protobuf.Type | undefined {
    const found = this.#resolver.find(name, user);
    return found instanceof protobuf.Type ? found : undefined;
  }

  /** Finds a field by its path through messages. */
  #fieldAt(
    type: protobuf.Type | undefined,
    [name, ...rest]: readonly string[],
  ): protobuf.Field | undefined {
    const found = type?.fieldsArray.find((candidate) => nameOf(candidate) === name);
    if (found === undefined || rest.length === 0) return found;
    return found.repeated || found.map
      ? undefined
      : this.#fieldAt(this.#messageOf(found.type, found), rest);
  }
}

const httpMethods = ["get", "put", "post", "delete", "patch"] as const;

/** The parts of a rule that refer to fields. */
interface RuleParts {
  readonly fields: readonly string[];
  readonly body: string | undefined;
  readonly responseBody: string | undefined;
}

/**
 * Returns a path with the JSON names of its variables. Removes patterns that match a single
 * segment.
 */
export function jsonPath(path: string): string {
  return path.replace(variable, (_, name: string, pattern: string | undefined) => {
    const key = name.trim().split(".").map(jsonName).join(".");
    return pattern === undefined || pattern === "*" ? `{${key}}` : `{${key}=${pattern}}`;
  });
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function stringMember(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}
