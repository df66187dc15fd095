import protobuf from "protobufjs";
import type { Diagnostics, Place } from "../../diagnostics.js";
import { camelCase, jsonName } from "../../protocol/names.js";
import type { HttpRouteDef, MessageRef, OperationDef } from "../../protocol/types.js";
import { fullNameOf, isDeprecated, typeNameOf, type TypeHints } from "./build.js";
import { findWellKnown } from "./known.js";
import type { ProtoFiles } from "./parse.js";

/** Builds the operations from the services of parsed protos, with their gRPC and HTTP bindings. */
export function buildOperations(files: ProtoFiles, hints: TypeHints, diagnostics: Diagnostics): OperationDef[] {
  return allServices(files.root).flatMap((service) =>
    service.methodsArray.map((method): OperationDef => {
      const place = files.placeOf(fullNameOf(method));
      const refer = (type: string): MessageRef =>
        refTo(type, method, hints, (problem, remedy) => diagnostics.add(place, problem, remedy));
      return {
        name: method.name,
        method: camelCase(method.name),
        docs: method.comment ?? "",
        deprecated: isDeprecated(method.options),
        streaming: streamingOf(method),
        request: refer(method.requestType),
        response: refer(method.responseType),
        service: fullNameOf(service),
        http: routesOf(method, place, diagnostics),
      };
    }),
  );
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

function refTo(
  type: string,
  method: protobuf.Method,
  hints: TypeHints,
  report: (problem: string, remedy: string) => void,
): MessageRef {
  const known = findWellKnown(type);
  if (known?.kind === "wellKnown" && known.wellKnown === "Empty") return { kind: "empty" };
  const found = known === undefined ? method.parent?.lookup(type, [protobuf.Type]) : undefined;
  if (found instanceof protobuf.Type) return { kind: "message", name: typeNameOf(found, hints) };
  if (known !== undefined) report(`rpc "${method.name}" uses "${type}" directly`, "Wrap it in a message of its own");
  else
    report(`rpc "${method.name}" uses "${type}", which is no declared message`, "Correct the name, or import its file");
  return { kind: "empty" };
}

const verbs = ["get", "put", "post", "delete", "patch"] as const;

function routesOf(method: protobuf.Method, place: Place | undefined, diagnostics: Diagnostics): HttpRouteDef[] {
  const options: unknown = method.parsedOptions;
  const rules = (Array.isArray(options) ? options : []).flatMap(
    (option: unknown) => field(option, "(google.api.http)") ?? [],
  );
  return rules.flatMap((rule: unknown) => {
    const additional = [field(rule, "additional_bindings") ?? []].flat();
    return [rule, ...additional].flatMap((binding) => routeOf(binding) ?? unusable(method.name, place, diagnostics));
  });
}

function routeOf(rule: unknown): HttpRouteDef | undefined {
  const custom = field(rule, "custom");
  const verb = verbs.find((name) => field(rule, name) !== undefined);
  const path = verb === undefined ? field(custom, "path") : field(rule, verb);
  const kind = verb ?? field(custom, "kind");
  if (typeof path !== "string" || typeof kind !== "string" || !path.startsWith("/")) return undefined;
  const body = field(rule, "body");
  const responseBody = field(rule, "response_body");
  return {
    verb: kind.toUpperCase(),
    path: jsonPath(path),
    ...(typeof body === "string" && body !== "" ? { body: body === "*" ? body : jsonName(body) } : {}),
    ...(typeof responseBody === "string" && responseBody !== "" ? { responseBody: jsonName(responseBody) } : {}),
  };
}

function unusable(name: string, place: Place | undefined, diagnostics: Diagnostics): [] {
  const remedy = "Give it one verb with a path that starts with a slash";
  diagnostics.add(place, `rpc "${name}" has an HTTP rule without a usable path`, remedy);
  return [];
}

/** Writes the variables of a path with JSON names, and leaves out the pattern of a single segment. */
export function jsonPath(path: string): string {
  return path.replace(/\{([^}=]+)(?:=([^}]*))?\}/g, (_, name: string, pattern: string | undefined) => {
    const key = name.trim().split(".").map(jsonName).join(".");
    return pattern === undefined || pattern === "*" ? `{${key}}` : `{${key}=${pattern}}`;
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
