import type { ServerUnaryCall } from "@grpc/grpc-js";
import { isObject } from "../../base/json.js";
import type { Codecs } from "../../protocol/codec.js";
import { invalidField } from "../../protocol/error.js";
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
 * Creates a gRPC service for several cores with the same paths. The tenant in a request selects the core. The core with
 * the empty tenant receives requests without a tenant. Requests with an unknown tenant are rejected.
 */
export function grpcServiceByTenant(cores: Readonly<Record<string, Core>>, codecs: Codecs): GrpcService {
  const byTenant = new Map(Object.entries(cores));
  const services = new Map([...byTenant].map(([tenant, core]) => [tenant, grpcService(core, codecs)]));
  const first = byTenant.values().next().value;
  if (first === undefined) throw new TypeError("A gRPC service requires at least one agent, by its tenant");
  const definition: Record<string, GrpcMethod> = Object.fromEntries(
    [...services.values()].flatMap((each) => Object.entries(each.definition)),
  );
  const served = new Map([...byTenant.values()].flatMap((core) => [...servedAt(core, codecs)]));
  const implementation: Record<string, GrpcHandler> = {};
  for (const [key, { path }] of Object.entries(definition)) {
    const handlers = new Map([...services].map(([tenant, each]) => [tenant, each.implementation[key]]));
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
  return (call, reply) => {
    const tenant = tenantOf(call, core, served);
    const handler = handlers.get(tenant);
    // The handlers for a key have the same form, because the operation streams in the same way in each core.
    if (handler !== undefined) (handler as Handler)(call, reply);
    else refuse(tenant, core, call, reply);
  };
}

/**
 * Returns the tenant in a request. If the request has no tenant or cannot be decoded, returns the empty tenant. The
 * agent decodes the request again and reports the error.
 */
function tenantOf(call: Call, { protocol }: Core, served: ServedAtPath | undefined): string {
  const bytes: unknown = call.request;
  if (protocol.tenant === undefined || served === undefined || !(bytes instanceof Uint8Array)) return "";
  try {
    const request = served[0].codec.request.decode(bytes);
    const tenant = isObject(request) ? request[protocol.tenant] : undefined;
    return typeof tenant === "string" ? tenant : "";
  } catch {
    return "";
  }
}

function refuse(tenant: string, core: Core, call: Call, reply: Reply | undefined): void {
  const [version] = core.versions;
  const field = core.protocol.tenant ?? "tenant";
  const named = tenant === "" ? "is required" : `is unknown: ${JSON.stringify(tenant.slice(0, maxShown))}`;
  const error = statusOf(invalidField(field, `\`${field}\` ${named}`, version.errors), version, core.challenge);
  if (reply === undefined) call.emit("error", error);
  else reply(error);
}
