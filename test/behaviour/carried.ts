import { routeFields } from "../../library/runtime/bindings/rest/route.js";
import { nonEmptyPaths, trueIfAbsent } from "../../generator/targets/operations/non-empty.js";
import { spelledOut } from "../../library/runtime/protocol/transport.js";
import { Shapes } from "../../generator/protocol/correlate/shape.js";
import { readProtocol } from "../../generator/core/read.js";
import type {
  OperationDef,
  Protocol,
  TypeRef,
  ValueType,
} from "../../generator/protocol/model/types.js";
import { findSource } from "../support/output.js";
import { text } from "../support/random/json.js";
import type { Random } from "../support/random/random.js";
import { valueAt, Values } from "../support/random/values.js";
import type { Binding } from "../support/scripted.js";
import { needed } from "./fidelity/forms.js";
import { readVersion } from "./fidelity/versions.js";

/** Fields that the transports of a version carry, and the values that arrive. */
export interface Carried {
  readonly protocol: Protocol;
  readonly operations: readonly OperationDef[];
  readonly shapes: Shapes;
  /**
   * Creates a request that a server of the version accepts, unless {@link lacks} names a transport
   * that cannot send it.
   */
  readonly request: (operation: OperationDef, random: Random) => unknown;
  /** Makes a response, or an event of a stream. */
  readonly response: (operation: OperationDef, random: Random) => unknown;
  /**
   * Returns a request as a client sends it: with explicit values if agents differ in the meaning of
   * an absent field.
   */
  readonly sends: (operation: OperationDef, request: unknown, over: Binding) => unknown;
  /** Returns a value as it arrives. */
  readonly arrives: (type: TypeRef, value: unknown, over: Binding) => unknown;
  /** Returns whether a request has no id for the path of HTTP+JSON. */
  readonly lacks: (operation: OperationDef, request: unknown, over: Binding) => boolean;
}

const reported = { JSONRPC: "jsonrpc", "HTTP+JSON": "rest", GRPC: "grpc" } as const;

/** Reads what a version carries. */
export function carriedBy(version: string): Carried {
  const source = findSource(version);
  const protocol = readProtocol(source);
  const isMapped = protocol.wire?.isProtoJson === false;
  const { values, expected } = isMapped
    ? readVersion(source)
    : { values: new Values(protocol), expected: (_: ValueType, value: unknown) => value };
  const shapes = new Shapes(protocol.types);
  const typeOf = (ref: TypeRef) => (ref.kind === "named" ? shapes.reference(ref.name) : undefined);
  const make = (ref: TypeRef, random: Random) => {
    const type = typeOf(ref);
    return type === undefined ? undefined : values.of(type, random);
  };
  return {
    protocol,
    operations: protocol.operations,
    shapes,
    request(operation, random) {
      const nonEmpty = nonEmptyPaths(operation, protocol);
      return fitting(
        { ...operation, nonEmpty },
        () => make(operation.request, random) ?? {},
        isMapped,
        random,
      );
    },
    response: ({ response }, random) => make(response, random),
    sends: (operation, value, over) =>
      over === "JSONRPC"
        ? value
        : spelledOut(value, { trueIfAbsent: trueIfAbsent(operation, protocol) }),
    arrives(ref, value, over) {
      const type = typeOf(ref);
      return type === undefined ? value : expected(type, value, reported[over]);
    },
    lacks(operation, request, over) {
      const type = typeOf(operation.request);
      const names =
        type === undefined ? [] : shapes.alternatives(type).map((one) => shapes.message(one)?.name);
      const paths = protocol.losses.filter(
        (loss) => names.includes(loss.type) && loss.text === needed,
      );
      return (
        over === "HTTP+JSON" &&
        paths.some(({ field }) => (valueAt(request, field.split(".")) ?? "") === "")
      );
    },
  };
}

/**
 * Creates requests until the constraints of the operation are met, with ids that fit its paths and
 * ranges.
 */
function fitting(
  operation: OperationDef,
  make: () => unknown,
  isMapped: boolean,
  random: Random,
): unknown {
  const { nonEmpty = [], ranges = [], urls = [], http } = operation;
  for (;;) {
    const request = { ...(make() as object) };
    const set = (path: readonly string[], value: unknown) => {
      const holder = valueAt(request, path.slice(0, -1));
      if (valueAt(request, path) !== undefined)
        Reflect.set(holder as object, path.at(-1) ?? "", value);
    };
    for (const path of urls) set(path, `https://example.org/${String(random.below(1000))}`);
    for (const path of nonEmpty) if (valueAt(request, path) === "") set(path, "id");
    for (const { path, least, most = least + 100 } of ranges)
      set(path, Math.max(1, least + random.below(most - least + 1)));
    const route = isMapped ? undefined : http.find(({ use }) => use === undefined);
    for (const field of routeFields(route?.path ?? "")) {
      const pattern = /[{]\w+=([^}]+)[}]/.exec(route?.path ?? "")?.[1] ?? "*";
      Reflect.set(
        request,
        field,
        pattern.replaceAll("*", () => segment(random)),
      );
    }
    const ids = ["id", "taskId", "pushNotificationConfigId"].map((name) =>
      valueAt(request, [name]),
    );
    const isWhole = nonEmpty.every(
      (path) =>
        valueAt(request, path.slice(0, -1)) === undefined || isThere(valueAt(request, path)),
    );
    if (isWhole && !ids.some((id) => id === "." || id === "..")) return request;
  }
}

/**
 * Creates a segment of a path. URLs have no empty segments, and normalization removes `.` and `..`.
 */
function segment(random: Random) {
  const made = text(random).replaceAll("/", "");
  return ["", ".", ".."].includes(made) ? "id" : made;
}

/** Returns whether a value says more than its absence. */
function isThere(value: unknown) {
  return Array.isArray(value)
    ? value.length > 0
    : value !== undefined && !(typeof value === "string" && /^$|_UNSPECIFIED$/.test(value));
}
