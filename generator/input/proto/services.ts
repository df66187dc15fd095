import protobuf from "protobufjs";
import type { Diagnostics } from "../../support/diagnostics.js";
import { camelCase, isIdentifier, jsonName } from "../../support/names.js";
import type { HttpRouteDef, Omission, OperationDef, TypeRef } from "../../protocol/model/types.js";
import { fullNameOf, isDeprecated, optionsOf } from "./build.js";
import { commentText } from "./comments.js";
import { nameOf, originalName } from "./inherited-name.js";
import { findWellKnown } from "./known.js";
import type { ProtoFiles } from "./parse.js";
import type { TypeNames } from "./type-names.js";

/** The operations of a specification, and the routes that cannot be used. */
export interface BuiltOperations {
  readonly operations: readonly OperationDef[];
  readonly omissions: readonly Omission[];
}

/** Builds the operations from the services of parsed protos, with their gRPC and HTTP bindings. */
export function buildOperations(files: ProtoFiles, names: TypeNames, diagnostics: Diagnostics): BuiltOperations {
  const routes = new Map<string, string>();
  const omissions: Omission[] = [];
  const taken = new Set<string>();
  const build = (method: protobuf.Method, service: protobuf.Service): OperationDef => {
    const name = operationName(method, service, taken);
    const report: Report = (message, hint) => diagnostics.add(files.locationOf(fullNameOf(method)), message, hint);
    const http = rulesOf(method, report).flatMap(({ route, lacks }) => {
      const reason = `${route.verb} ${route.path} names ${lacks}`;
      if (lacks !== undefined) omissions.push({ target: "rest", subject: name, reason });
      return lacks === undefined ? [route] : [];
    });
    for (const { verb, path } of http) checkTwice(`${verb} ${path}`, name, routes, report);
    const request = refTo(method.requestType, method, names, report);
    const response = refTo(method.responseType, method, names, report);
    return {
      name,
      method: methodOf(name, nameOf(method)),
      docs: commentText(method.comment),
      deprecated: isDeprecated(method.options),
      streaming: streamingOf(method),
      request,
      response,
      rpc: {
        service: fullNameOf(service),
        method: nameOf(method),
        ...(request.kind === "named" && { request: request.name }),
        ...(response.kind === "named" && { response: response.name }),
      },
      http,
    };
  };
  const operations = allServices(files.root).flatMap((service) =>
    service.methodsArray.map((method) => build(method, service)),
  );
  return { operations, omissions };
}

/** The name of an rpc: its own, or that of its service and its own where an earlier one is called so. */
function operationName(method: protobuf.Method, service: protobuf.Service, taken: Set<string>): string {
  const name = nameOf(method);
  const candidates = [name, `${nameOf(service)}.${name}`];
  const free = candidates.find((candidate) => !taken.has(candidate)) ?? `${fullNameOf(service)}.${name}`;
  taken.add(free);
  return free;
}

/** The method in TypeScript: the words of the name, or what the proto says where these are no identifier. */
function methodOf(name: string, fallback: string): string {
  const method = camelCase(name);
  return isIdentifier(method) ? method : fallback;
}

/** Reports a route that an earlier rpc has, too; the names of its variables do not tell them apart. */
function checkTwice(route: string, name: string, routes: Map<string, string>, report: Report): void {
  const key = route.replace(/\{[^{}=]+(=[^{}]*)?\}/g, (_, pattern: string | undefined) => `{${pattern ?? ""}}`);
  const earlier = routes.get(key);
  if (earlier !== undefined)
    report(`rpc "${name}" has the route ${route}, which "${earlier}" has too`, "Change one of them");
  routes.set(key, name);
}

function allServices(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (nested instanceof protobuf.Service) return [nested];
    return nested instanceof protobuf.Namespace && !(nested instanceof protobuf.Type) ? allServices(nested) : [];
  });
}

function streamingOf({ requestStream, responseStream }: protobuf.Method): OperationDef["streaming"] {
  if (requestStream === true) return responseStream === true ? "both" : "client";
  return responseStream === true ? "server" : "none";
}

const empty: TypeRef = { kind: "empty", json: "object" };

function refTo(type: string, method: protobuf.Method, names: TypeNames, report: Report): TypeRef {
  const known = findWellKnown(type);
  if (known?.kind === "wellKnown" && known.wellKnown === "Empty") return empty;
  const found = known === undefined ? messageOf(type, method) : undefined;
  if (found !== undefined) return { kind: "named", name: names.of(found) };
  if (known !== undefined)
    report(`rpc "${nameOf(method)}" uses "${originalName(type)}" directly`, "Wrap it in a message of its own");
  else
    report(
      `rpc "${nameOf(method)}" uses "${originalName(type)}", which is no declared message`,
      "Correct the name, or import its file",
    );
  return empty;
}

/** Returns the message of the specification that the declaration of `user` names. */
function messageOf(type: string, user: protobuf.Method | protobuf.Field): protobuf.Type | undefined {
  const found = user.parent?.lookup(type, [protobuf.Type]);
  return found instanceof protobuf.Type ? found : undefined;
}

const verbs = ["get", "put", "post", "delete", "patch"] as const;

type Report = (message: string, hint: string) => void;

/** A route, and the fields that it names and its messages do not have. */
interface Rule {
  readonly route: HttpRouteDef;
  readonly lacks: string | undefined;
}

function rulesOf(method: protobuf.Method, report: Report): Rule[] {
  return optionsOf(method.parsedOptions, "google.api.http").flatMap((rule: unknown) => {
    const additional = [field(rule, "additional_bindings") ?? []].flat();
    return [rule, ...additional].flatMap((binding) => ruleOf(binding, method, report) ?? []);
  });
}

function ruleOf(rule: unknown, method: protobuf.Method, report: Report): Rule | undefined {
  const custom = field(rule, "custom");
  const verb = verbs.find((name) => field(rule, name) !== undefined);
  const path = verb === undefined ? field(custom, "path") : field(rule, verb);
  const kind = verb ?? field(custom, "kind");
  if (typeof path !== "string" || typeof kind !== "string" || !/^[a-z]+$/i.test(kind) || !path.startsWith("/")) {
    const message = `rpc "${nameOf(method)}" has an HTTP rule without a usable path`;
    report(message, "Give it one verb with a path that starts with a slash");
    return undefined;
  }
  if (/[{}]/.test(path.replace(variable, "")))
    report(`the path "${path}" has a brace without its counterpart`, "Write variables as {field} or {field=pattern}");
  const [body, responseBody] = [textField(rule, "body"), textField(rule, "response_body")];
  const route = {
    verb: kind.toUpperCase(),
    path: jsonPath(path),
    ...(body !== undefined && { body: body === "*" ? body : jsonName(body) }),
    ...(responseBody !== undefined && { responseBody: jsonName(responseBody) }),
  };
  return { route, lacks: lacksOf({ path, body, responseBody }, method) };
}

const variable = /\{([^{}=]+)(?:=([^{}]*))?\}/g;

interface RuleTexts {
  readonly path: string;
  readonly body: string | undefined;
  readonly responseBody: string | undefined;
}

/** Returns the fields that a route names, and that the messages of its rpc do not have as single values. */
function lacksOf({ path, body, responseBody }: RuleTexts, method: protobuf.Method): string | undefined {
  const { requestType, responseType } = method;
  const request = messageOf(requestType, method);
  for (const [, text = ""] of path.matchAll(variable)) {
    const found = fieldAt(request, text.trim().split("."));
    if (found === undefined) return `"${text}", which is not a field of ${requestType}`;
    if (found.repeated || found.map || messageOf(found.type, found) !== undefined)
      return `"${text}", which is not a single value`;
  }
  if (body !== undefined && body !== "*" && fieldAt(request, [body]) === undefined)
    return `"${body}", which is not a field of ${requestType}`;
  if (responseBody !== undefined && fieldAt(messageOf(responseType, method), [responseBody]) === undefined)
    return `"${responseBody}", which is not a field of ${responseType}`;
  return undefined;
}

/** Finds a field by its path through messages. */
function fieldAt(type: protobuf.Type | undefined, [name, ...rest]: readonly string[]): protobuf.Field | undefined {
  const found = type?.fieldsArray.find((candidate) => nameOf(candidate) === name);
  if (found === undefined || rest.length === 0) return found;
  return found.repeated || found.map ? undefined : fieldAt(messageOf(found.type, found), rest);
}

/** Returns a path whose variables have JSON names, without the pattern of a single segment. */
export function jsonPath(path: string): string {
  return path.replace(variable, (_, name: string, pattern: string | undefined) => {
    const key = name.trim().split(".").map(jsonName).join(".");
    return pattern === undefined || pattern === "*" ? `{${key}}` : `{${key}=${pattern}}`;
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? found : undefined;
}
