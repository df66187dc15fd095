import type protobuf from "protobufjs";
import { camelCase, isIdentifier } from "../../../support/names.js";
import { formatLocation, type Diagnostics } from "../../../support/diagnostics.js";
import type {
  HttpRouteDef,
  Omission,
  OperationDef,
  ServiceDef,
  TypeRef,
} from "../../protocol/model/types.js";
import { commentText } from "./comments.js";
import { fullNameOf, nameOf, originalName } from "./parsed-names.js";
import { isDeprecated } from "./options.js";
import type { ProtoFiles } from "./parse.js";
import { RuleReader } from "./routes.js";
import type { TypeNames } from "./type-names.js";

/** The services and operations of a specification, and its unusable routes. */
export interface BuiltOperations {
  readonly services: readonly ServiceDef[];
  readonly operations: readonly OperationDef[];
  readonly omissions: readonly Omission[];
}

/** Builds the operations from the services of parsed protos, with their gRPC and HTTP bindings. */
export function buildOperations(
  files: ProtoFiles,
  names: TypeNames,
  diagnostics: Diagnostics,
): BuiltOperations {
  const builder = new OperationBuilder(files, names, diagnostics);
  const operations = files.services.flatMap((service) =>
    service.methodsArray.map((method) => builder.operation(method, service)),
  );
  const services = files.services.map(serviceOf);
  return { services, operations, omissions: builder.omissions };
}

function serviceOf(service: protobuf.Service): ServiceDef {
  return {
    fullName: fullNameOf(service),
    name: nameOf(service),
    docs: commentText(service.comment),
    deprecated: isDeprecated(service.options),
  };
}

class OperationBuilder {
  readonly omissions: Omission[] = [];
  readonly #files: ProtoFiles;
  readonly #names: TypeNames;
  readonly #diagnostics: Diagnostics;
  readonly #rules: RuleReader;
  readonly #taken = new Set<string>();

  constructor(files: ProtoFiles, names: TypeNames, diagnostics: Diagnostics) {
    this.#files = files;
    this.#names = names;
    this.#diagnostics = diagnostics;
    this.#rules = new RuleReader(files.resolver);
  }

  operation(method: protobuf.Method, service: protobuf.Service): OperationDef {
    const name = this.#nameOf(method, service);
    const request = this.#refTo(method.requestType, method);
    const response = this.#refTo(method.responseType, method);
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
      http: this.#routesOf(method, name),
    };
  }

  /**
   * Returns the name of an rpc. If an earlier rpc has the same name, the name includes the service.
   */
  #nameOf(method: protobuf.Method, service: protobuf.Service): string {
    const name = nameOf(method);
    const candidates = [name, `${nameOf(service)}.${name}`];
    const free =
      candidates.find((candidate) => !this.#taken.has(candidate)) ??
      `${fullNameOf(service)}.${name}`;
    this.#taken.add(free);
    return free;
  }

  /**
   * Returns the routes of the usable HTTP rules. Records all other rules as omissions, with
   * reasons.
   */
  #routesOf(method: protobuf.Method, name: string): HttpRouteDef[] {
    return this.#rules.rulesOf(method, name).flatMap((rule) => {
      if ("route" in rule) return [rule.route];
      const location = this.#files.locationOf(fullNameOf(method));
      const reason =
        `${location === undefined ? "" : `${formatLocation(location)}: `}${rule.message}; ` +
        rule.hint;
      this.omissions.push({ target: "rest", subject: fullNameOf(method), reason });
      return [];
    });
  }

  #refTo(type: string, method: protobuf.Method): TypeRef {
    const found = this.#files.resolver.find(type, method);
    if (found !== undefined && fullNameOf(found) === "google.protobuf.Empty") return empty;
    if (found !== undefined && "fieldsArray" in found)
      return { kind: "named", name: this.#names.of(found) };
    const message =
      `rpc "${nameOf(method)}" uses "${originalName(type)}", which is not a ` + "declared message";
    this.#diagnostics.add(
      this.#files.locationOf(fullNameOf(method)),
      message,
      "Correct the name, or import the file that declares it",
    );
    return empty;
  }
}

const empty: TypeRef = { kind: "empty", json: "object" };

/**
 * Returns the name of the TypeScript method: the words of `name`, or `fallback` if they do not form
 * an identifier.
 */
function methodOf(name: string, fallback: string): string {
  const method = camelCase(name);
  return isIdentifier(method) ? method : fallback;
}

function streamingOf({
  requestStream,
  responseStream,
}: protobuf.Method): OperationDef["streaming"] {
  if (requestStream === true) return responseStream === true ? "both" : "client";
  return responseStream === true ? "server" : "none";
}
