import type { ServerUnaryCall } from "@grpc/grpc-js";
import { isObject } from "../../base/json.js";
import { decodeWithin, Reader } from "../../protobuf/bytes-reader.js";
import { ExcessError } from "../../protobuf/wire-errors.js";
import { Writer } from "../../protobuf/bytes-writer.js";
import { skip } from "../../protobuf/unknown-fields.js";
import type { Codec, Codecs } from "../../protocol/codec.js";
import { invalidField } from "../../protocol/field-violations.js";
import type { Core } from "../../server/core.js";
import { statusOf } from "./server-status.js";
import { grpcService, servedAt, type GrpcService, type ServedAtPath } from "./server.js";
import type { GrpcHandler, GrpcMethod } from "./types.js";

type Call = ServerUnaryCall<Uint8Array, Uint8Array>;
type Reply = (error: unknown, response?: unknown) => void;
type Handler = (call: Call, reply?: Reply) => void;

/** Maximum length of a tenant in an error message. */
const maxShown = 100;

/**
 * Creates a gRPC service for several cores with the same paths. The tenant in a request selects the
 * core. The core with the empty tenant receives requests without a tenant. Requests with an unknown
 * tenant are rejected.
 */
export function grpcServiceByTenant(
  cores: Readonly<Record<string, Core>>,
  codecs: Codecs,
): GrpcService {
  const byTenant = new Map(Object.entries(cores));
  const services = new Map(
    [...byTenant].map(([tenant, core]) => [tenant, grpcService(core, codecs)]),
  );
  const first = byTenant.values().next().value;
  if (first === undefined)
    throw new TypeError("A gRPC service requires at least one agent, by its tenant");
  const definition: Record<string, GrpcMethod> = Object.fromEntries(
    [...services.values()].flatMap((service) => Object.entries(service.definition)),
  );
  const served = new Map([...byTenant.values()].flatMap((core) => [...servedAt(core, codecs)]));
  const implementation: Record<string, GrpcHandler> = {};
  for (const [key, { path }] of Object.entries(definition)) {
    const handlers = new Map(
      [...services].map(([tenant, service]) => [tenant, service.implementation[key]]),
    );
    implementation[key] = selecting(handlers, first, served.get(path)) as GrpcHandler;
  }
  return { definition, implementation };
}

/** Returns a handler that passes a call to the handler of its tenant. */
function selecting(
  handlers: ReadonlyMap<string, GrpcHandler | undefined>,
  core: Core,
  served: ServedAtPath | undefined,
): Handler {
  const tenantOf = tenantReader(core, served);
  return (call, reply) => {
    const tenant = tenantOf(call);
    const handler = tenant === undefined ? undefined : handlers.get(tenant);
    // The handlers for a key have the same form, because the operation streams in the same way in
    // each core.
    if (handler !== undefined) (handler as Handler)(call, reply);
    else refuse(tenant, core, call, reply);
  };
}

/** Maximum number of fields of a request in which the tenant is searched. */
const maxFields = 10_000;

/** Largest field number in the search for the field of the tenant. */
const maxNumber = 100;

/**
 * Returns a function that returns the tenant in a request, or the empty tenant. For a request with
 * too many fields, the function returns `undefined`. It only reads the field of the tenant, because
 * the caller has not been authenticated yet.
 */
function tenantReader(
  { protocol: { tenant: name } }: Core,
  served: ServedAtPath | undefined,
): (call: Call) => string | undefined {
  const tag =
    name === undefined || served === undefined ? undefined : tagOf(name, served[0].codec.request);
  return ({ request }) => {
    const bytes: unknown = request;
    if (tag === undefined || !(bytes instanceof Uint8Array)) return "";
    try {
      return decodeWithin({ objects: 0, values: maxFields }, () => textAt(bytes, tag));
    } catch (error) {
      // The agent decodes the request again and reports the error. It must not receive another
      // tenant's request.
      return error instanceof ExcessError ? undefined : "";
    }
  };
}

/** Returns the last string in a message with this tag. */
function textAt(bytes: Uint8Array, tag: number): string {
  const reader = new Reader(bytes);
  let text = "";
  while (reader.pos < reader.len) {
    const next = reader.uint32();
    if (next === tag) text = reader.string();
    else skip(reader, next, reader.len, 0);
  }
  return text;
}

/** Returns the tag of a string member of a request, which is found by decoding short messages. */
function tagOf(name: string, codec: Codec<unknown>): number | undefined {
  for (let number = 1; number <= maxNumber; number += 1) {
    const tag = (number << 3) | 2;
    const bytes = Writer.create().uint32(tag).string("x").finish();
    try {
      const request = codec.decode(bytes);
      if (isObject(request) && request[name] === "x") return tag;
    } catch {
      // The field with this number is not a string.
    }
  }
  return undefined;
}

function refuse(
  tenant: string | undefined,
  core: Core,
  call: Call,
  reply: Reply | undefined,
): void {
  const [version] = core.versions;
  const field = core.protocol.tenant ?? "tenant";
  const message = `\`${field}\` ${tenantProblem(tenant)}`;
  const error = invalidField(field, message, version.errors);
  const status = statusOf(error, version, core.challenge);
  if (reply === undefined) call.emit("error", status);
  else reply(status);
}

function tenantProblem(tenant: string | undefined): string {
  if (tenant === undefined) return `is not among the first ${String(maxFields)} fields`;
  if (tenant === "") return "is required";
  return `is unknown: ${JSON.stringify(tenant.slice(0, maxShown))}`;
}
