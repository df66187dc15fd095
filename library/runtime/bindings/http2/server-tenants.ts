import { isObject } from "../../base/json.js";
import { decodeWithin, Reader } from "../../protobuf/bytes-reader.js";
import { ExcessError } from "../../protobuf/wire-errors.js";
import { Writer } from "../../protobuf/bytes-writer.js";
import { skip } from "../../protobuf/unknown-fields.js";
import type { Codec, Codecs } from "../../protocol/codec.js";
import { grpcStatus } from "../../protocol/error.js";
import { invalidField } from "../../protocol/field-violations.js";
import type { Core } from "../../server/core.js";
import { WireError, type WireCall, type WireMethod, type WireMethods } from "./server-call.js";
import { grpcMethods, servedAt, type ServedAtPath } from "./server-methods.js";
import { statusOf } from "./server-status.js";

/** Maximum length of a tenant in an error message. */
const maxShown = 100;

/**
 * Returns the gRPC methods of several cores with the same paths. The tenant in a request selects
 * the core. The core with the empty tenant receives requests without a tenant, and streams of
 * requests. Requests with an unknown tenant are rejected.
 */
export function grpcMethodsByTenant(
  cores: Readonly<Record<string, Core>>,
  codecs: Codecs,
): WireMethods {
  const byTenant = new Map(Object.entries(cores));
  const core = byTenant.values().next().value;
  if (core === undefined)
    throw new TypeError("A gRPC service requires at least one agent, by its tenant");
  const served = new Map([...byTenant.values()].flatMap((each) => [...servedAt(each, codecs)]));
  const methods = [...byTenant].map(
    ([tenant, each]) => [tenant, grpcMethods(each, codecs)] as const,
  );
  return new Map(
    methods.flatMap(([, found]) =>
      [...found].map(([path, method]) => {
        const byName = new Map(methods.map(([tenant, all]) => [tenant, all.get(path)]));
        return [path, selecting(method, byName, core, served.get(path))] as const;
      }),
    ),
  );
}

/** Returns a method that passes a call to the method of its tenant. */
function selecting(
  method: WireMethod,
  byTenant: ReadonlyMap<string, WireMethod | undefined>,
  core: Core,
  served: ServedAtPath | undefined,
): WireMethod {
  const tenantOf = tenantReader(core, served);
  const pass = (call: WireCall, request?: Uint8Array): void => {
    const tenant = request === undefined ? "" : tenantOf(request);
    const selected = tenant === undefined ? undefined : byTenant.get(tenant);
    if (selected === undefined) refuse(tenant, core, call);
    else selected.handle(call);
  };
  const handle = (call: WireCall): void => {
    if (method.requestStream) pass(call);
    else
      withRequest(call, (request) => {
        pass(call, request);
      });
  };
  return { ...method, handle };
}

/** Passes the request of a call to `use`. The transport returns it again when it is read again. */
function withRequest(call: WireCall, use: (request: Uint8Array) => void): void {
  const request = call.one();
  if (request instanceof Uint8Array) use(request);
  else
    request.then(use, (thrown: unknown) => {
      const [status, details] =
        thrown instanceof WireError ? [thrown.status, thrown.message] : ["INTERNAL" as const, ""];
      call.fail({ code: grpcStatus[status], details });
    });
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
): (request: Uint8Array) => string | undefined {
  const tag =
    name === undefined || served === undefined ? undefined : tagOf(name, served[0].codec.request);
  return (bytes) => {
    if (tag === undefined) return "";
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

function refuse(tenant: string | undefined, core: Core, call: WireCall): void {
  const [version] = core.versions;
  const field = core.protocol.tenant ?? "tenant";
  const message = `\`${field}\` ${tenantProblem(tenant)}`;
  const error = invalidField(field, message, version.errors);
  call.fail(statusOf(error, version, core.challenge));
}

function tenantProblem(tenant: string | undefined): string {
  if (tenant === undefined) return `is not among the first ${String(maxFields)} fields`;
  if (tenant === "") return "is required";
  return `is unknown: ${JSON.stringify(tenant.slice(0, maxShown))}`;
}
