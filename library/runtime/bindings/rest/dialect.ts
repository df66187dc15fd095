import { isObject } from "../../base/json.js";
import {
  CountingRun,
  type JsonCodec,
  type JsonCodecs,
  type Mapping,
  type MessageMapping,
} from "../../protobuf/mapping.js";
import type { ClientOperation } from "../../protocol/operation.js";
import { setAt } from "../../protobuf/resource.js";
import type { RequestParts, RestJson } from "../../protocol/rest-json.js";
import { strictFirst } from "../../schema/attempt.js";
import { ValidationContext, type Issue, type Type } from "../../schema/schema.js";

/**
 * Returns the JSON conversion of HTTP+JSON for versions that use ProtoJSON over HTTP+JSON, and
 * whose implementations also send the JSON of the model.
 */
export function protoJson(codecs: JsonCodecs): RestJson {
  const codec = ({ name }: Pick<ClientOperation, "name">): JsonCodec => {
    const found = Object.hasOwn(codecs, name) ? codecs[name] : undefined;
    if (found === undefined) throw new Error(`HTTP+JSON does not support ${name}`);
    return found;
  };
  return {
    request(operation) {
      const { request } = codec(operation);
      const carry = request.hasNames() ? (value: unknown) => request.write(value) : undefined;
      return { type: requestOf(request, operation.request), ...(carry && { carry }) };
    },
    fields: (operation) => codec(operation).request,
    writeRequest: (operation, request) => codec(operation).request.write(request),
    writeResponse: (operation, response) => codec(operation).response.write(response),
    modelBody(operation, request, { body = "*" }) {
      const path = body === "*" ? [] : (codec(operation).request.pathOf(body) ?? []);
      return path.reduce((value, key) => (isObject(value) ? value[key] : undefined), request);
    },
    response: (operation) => responseOf(codec(operation).response, operation.response),
  };
}

/**
 * Reads a request that is either ProtoJSON or, from some implementations, the JSON of the model.
 * Tries both, and uses the valid result with fewer unread members. If both are invalid, reports the
 * issues of the closer result.
 */
function requestOf(mapping: MessageMapping, model: Type<unknown>): Type<unknown> {
  return {
    name: model.name,
    check(value, context) {
      return strictFirst(context, () => {
        const request = value as RequestParts;
        const urlContext = new ValidationContext(context.mode);
        const known = mapping.part(request.fromUrl, urlContext);
        const candidate = modelOf(request, mapping, isObject(known) ? known : {}, context);
        const mapped = map(mapping, request.whole, context);
        // Issues of path and query apply to both candidates.
        return choose(context, { mapped, model, candidate, issues: urlContext.issues });
      });
    },
  };
}

/**
 * Reads a response that is either ProtoJSON or the JSON of the model. If the response is clearly
 * ProtoJSON, only converts it, because the client checks every response against the model later.
 */
function responseOf(mapping: Mapping, model: Type<unknown>): Type<unknown> {
  return {
    name: model.name,
    check(value, context) {
      return strictFirst(context, () => {
        const mapped = map(mapping, value, context);
        const isPlain = mapped.state.issues.length === 0 && mapped.state.dropped === 0;
        return isPlain ? mapped.value : choose(context, { mapped, model, candidate: value });
      });
    },
  };
}

/** A value that was read as ProtoJSON, with its issues and the number of unread members. */
interface Mapped {
  readonly value: unknown;
  readonly state: CountingRun;
}

function map(mapping: Mapping, proto: unknown, { mode, forgiver }: ValidationContext): Mapped {
  const state = new CountingRun(mode, forgiver);
  return { value: mapping.check(proto, state), state };
}

interface Candidates {
  readonly mapped: Mapped;
  readonly model: Type<unknown>;
  readonly candidate: unknown;
  /** Known issues of the candidate. */
  readonly issues?: readonly Issue[];
}

function choose(
  context: ValidationContext,
  { mapped: { value: proto, state: protoState }, model, candidate, issues = [] }: Candidates,
): unknown {
  // The model has constraints that the proto does not have.
  if (protoState.issues.length === 0) model.check(proto, protoState);
  // If the value is valid ProtoJSON without unread members, do not read it as the model.
  if (protoState.issues.length === 0 && protoState.dropped === 0) {
    context.accept(protoState.deviations);
    return proto;
  }
  const modelState = new ValidationContext("json", context.forgiver);
  modelState.issues.push(...issues);
  const checked = model.check(candidate, modelState);
  const isModel = prefersModel(
    { issues: protoState.issues.length, unread: protoState.dropped },
    { issues: modelState.issues.length, unread: sizeOf(candidate) - sizeOf(checked) },
  );
  const better = isModel ? modelState : protoState;
  context.issues.push(...better.issues);
  context.accept(better.deviations);
  if (better.issues.length > 0) return undefined;
  return isModel ? checked : proto;
}

/** Numbers of issues and of unread members of a value. */
interface Distance {
  readonly issues: number;
  readonly unread: number;
}

/** Returns whether a value is closer to the model than to ProtoJSON. */
function prefersModel(proto: Distance, model: Distance): boolean {
  const isProto = proto.issues === 0;
  const isModel = model.issues === 0;
  if (isProto && isModel) return model.unread < proto.unread;
  if (isProto) return false;
  // Invalid ProtoJSON without unread members is only the model if the model reads all members.
  if (isModel) return proto.unread > 0 || model.unread === 0;
  return model.issues < proto.issues + proto.unread;
}

/**
 * Returns the request in the JSON of the model: the body, with the fields from the path and the
 * query added.
 */
function modelOf(
  { body, field }: RequestParts,
  mapping: MessageMapping,
  known: Readonly<Record<string, unknown>>,
  context: ValidationContext,
): unknown {
  const path = field === undefined || field === "*" ? [] : (mapping.pathOf(field) ?? []);
  const result: Record<string, unknown> = {};
  if (path.length > 0) setAt(result, path, body);
  else if (isObject(body)) Object.assign(result, body);
  for (const [key, text] of Object.entries(known)) {
    if (typeof text !== "string" || (result[key] ?? text) === text) continue;
    context.reportAt(key, "the same value as in the path", result[key]);
  }
  return { ...result, ...known };
}

/**
 * Returns the number of members of a value at any depth. Uses a loop, because the value may be too
 * deep for recursion.
 */
function sizeOf(value: unknown): number {
  let size = 0;
  for (const rest = [value]; rest.length > 0;) {
    const next = rest.pop();
    if (typeof next !== "object" || next === null) continue;
    const members: unknown[] = Object.values(next);
    if (!Array.isArray(next)) size += members.length;
    for (const member of members) rest.push(member);
  }
  return size;
}
