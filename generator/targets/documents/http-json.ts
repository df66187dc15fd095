import { pathsIn } from "../../protocol/correlate/paths.js";
import { Shapes } from "../../protocol/correlate/shape.js";
import type {
  FieldDef,
  MessageDef,
  OperationDef,
  Protocol,
  TypeDef,
  TypeRef,
  WireDef,
  WireFieldDef,
  WireMessageDef,
} from "../../protocol/model/types.js";
import type { PathVariable } from "./path-template.js";
import { neededIds, protoJsonTypes } from "./proto-json-types.js";

/**
 * The types that are sent over HTTP+JSON, and each operation's request and response in these types.
 */
export class HttpJson {
  /**
   * Types of requests and responses. If HTTP+JSON uses the JSON of the model, these are the types
   * of the model.
   */
  readonly types: readonly TypeDef[];
  /** Types of the model. */
  readonly model: Shapes;
  /** Prefix of the type names; empty if the types are the types of the model. */
  readonly prefix: string;
  readonly #shapes: Shapes;
  readonly #wire: WireDef;

  constructor(protocol: Protocol, wire: WireDef) {
    this.model = new Shapes(protocol.types);
    this.prefix = wire.isProtoJson ? "" : prefixFor(protocol.types, wire);
    this.types = wire.isProtoJson
      ? protocol.types
      : protoJsonTypes(protocol, wire, (name) => `${this.prefix}${name}`);
    this.#shapes = new Shapes(this.types);
    this.#wire = wire;
  }

  /** Whether HTTP+JSON uses the JSON of the model. */
  get isModel(): boolean {
    return this.prefix === "";
  }

  /** Returns the message of a request; `undefined` if the request has no fields. */
  request({ request, rpc }: OperationDef): MessageDef | undefined {
    if (this.isModel) return request.kind === "named" ? this.message(request.name) : undefined;
    return rpc?.request === undefined ? undefined : this.message(this.prefix + rpc.request);
  }

  /** Returns the type of a response. */
  response({ response, rpc }: OperationDef): TypeRef {
    if (this.isModel) return response;
    if (rpc?.response === undefined) return { kind: "empty", json: "object" };
    return { kind: "named", name: this.prefix + rpc.response };
  }

  /** Finds a message by name. */
  message(name: string): MessageDef | undefined {
    return this.#shapes.message(this.#shapes.reference(name));
  }

  /** Finds the field at a path of a message. */
  field(message: MessageDef | undefined, path: string): FieldDef | undefined {
    const [name, ...rest] = path.split(".");
    const field = message?.fields.find((candidate) => candidate.name === name);
    if (field === undefined || rest.length === 0) return field;
    return this.field(this.#shapes.message(field.type), rest.join("."));
  }

  /** Returns the part of the model that a field of the operation's request represents. */
  mapping({ rpc }: OperationDef, field: string): WireFieldDef["mapping"] | undefined {
    return this.#wireMessage(rpc?.request)?.fields.find(({ jsonName }) => jsonName === field)
      ?.mapping;
  }

  /** Converts a path in the model to a path in the operation's requests. */
  pathOf({ rpc }: OperationDef, path: readonly string[]): readonly string[] {
    return this.isModel ? path : (this.#pathFrom(rpc?.request, path) ?? path);
  }

  #pathFrom(message: string | undefined, path: readonly string[]): string[] | undefined {
    if (path.length === 0) return [];
    for (const { jsonName, mapping, type } of this.#wireMessage(message)?.fields ?? []) {
      if (
        mapping.kind !== "path" ||
        mapping.path.length === 0 ||
        !mapping.path.every((name, at) => name === path[at])
      )
        continue;
      const inner = this.#pathFrom(
        "name" in type ? type.name : undefined,
        path.slice(mapping.path.length),
      );
      if (inner !== undefined) return [jsonName, ...inner];
    }
    return undefined;
  }

  /** Returns the path in the model for a variable of the route. */
  modelPath(
    operation: OperationDef,
    { field, pattern, index }: PathVariable,
  ): readonly string[] | undefined {
    const mapping = this.mapping(operation, field);
    if (mapping?.kind === "path") return mapping.path;
    if (mapping?.kind !== "resource" || pattern === undefined) return undefined;
    const same = mapping.patterns.find(
      (candidate) => candidate.replaceAll(/\{[^{}]*\}/g, "*") === pattern,
    );
    return pathsIn(same ?? "")[index];
  }

  /**
   * Returns the fields that may be absent from a route's body because the path contains their
   * values.
   */
  filled(
    operation: OperationDef,
    body: string,
    variables: readonly PathVariable[],
  ): ReadonlySet<string> {
    const known = variables.map((variable) => this.modelPath(operation, variable)?.join("."));
    const request = this.#wireMessage(operation.rpc?.request);
    const { type, mapping } = request?.fields.find(({ jsonName }) => jsonName === body) ?? {};
    const message = this.#wireMessage(type !== undefined && "name" in type ? type.name : undefined);
    const base = mapping?.kind === "path" ? mapping.path.map((name) => `${name}.`).join("") : "";
    const fields = (message?.fields ?? []).filter((field) => {
      const ids = message === undefined ? [] : neededIds(this.model, message.model, field.mapping);
      return ids.length > 0 && ids.every((id) => known.includes(base + id));
    });
    return new Set(fields.map(({ jsonName }) => jsonName));
  }

  #wireMessage(name: string | undefined): WireMessageDef | undefined {
    return this.#wire.messages.find((message) => message.name === name);
  }
}

/**
 * Returns a prefix for the names of messages, so that they differ from the names of the model's
 * types.
 */
function prefixFor(types: readonly TypeDef[], { messages, enums }: WireDef): string {
  const taken = new Set(types.map(({ name }) => name));
  const isFree = (prefix: string): boolean =>
    [...messages, ...enums].every(({ name }) => !taken.has(prefix + name));
  let prefix = "Proto";
  while (!isFree(prefix)) prefix += "Json";
  return prefix;
}
