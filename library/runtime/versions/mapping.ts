import type { ExpectedMembers } from "../base/json.js";
import type { ClientFacts } from "../protocol/operation.js";
import type { Conversion, ConversionFacts, Side, TypeConversions } from "./conversion.js";
import { convert } from "./convert.js";

/** Conversions between another version of the protocol and the application's version. */
export interface VersionMapping {
  /** Facts about the other version, for every client. */
  readonly protocol: ClientFacts;
  /** The names of the service parameters in the application's version. */
  readonly ownHeaders: ClientFacts["headers"];
  /** The side of the application's version: 0 if it is the earlier version. */
  readonly own: Side;
  readonly types: TypeConversions;
  /** The operations that both versions have, by their names in the application's version. */
  readonly operations: Readonly<Record<string, OperationMapping>>;
  /**
   * The classes of the errors that both versions have, by their names in the application's version.
   */
  readonly errors: Readonly<Record<string, string>>;
  readonly card: Conversion;
  /** The body of requests to webhooks. Absent if the other version does not define it. */
  readonly webhook?: WebhookMapping;
}

/** An operation of the other version. */
export interface OperationMapping {
  readonly name: string;
  /** The JSON-RPC method. Absent if JSON-RPC does not support the operation. */
  readonly jsonRpc?: string;
  readonly request: Conversion;
  readonly response: Conversion;
  /**
   * Members of the event that ends a stream. Absent if the other version does not mark this event.
   */
  readonly last?: ExpectedMembers;
}

/** Conversion of the requests to webhooks. */
export interface WebhookMapping {
  /** The type in the application's version from which the body is created. */
  readonly type: string;
  readonly body: Conversion;
}

/** Direction of a conversion: to the application's version, or to the other version. */
export type Direction = "own" | "other";

/**
 * Converts a value from one version to the other.
 *
 * @throws {ValidationError} if the target version cannot represent the value
 */
export function mapped(
  { own, types }: Pick<VersionMapping, "own" | "types">,
  conversion: Conversion,
  value: unknown,
  to: Direction,
  facts?: ConversionFacts,
): unknown {
  const other = own === 0 ? 1 : 0;
  return convert(types, conversion, value, to === "own" ? own : other, facts);
}

/** Converter between the models of the application's version and another version. */
export interface Converter<Own, Other> {
  /**
   * Converts a value to the application's version.
   *
   * @throws {ValidationError} if that version cannot represent the value
   */
  toOwn(value: Other): Own;
  /**
   * Converts a value to the other version.
   *
   * @throws {ValidationError} if that version cannot represent the value
   */
  toOther(value: Own): Other;
}

/** The converters of all types; `Pairs` maps each name to its types in both versions. */
export type Converters<Pairs> = {
  readonly [Name in keyof Pairs]: Pairs[Name] extends readonly [infer Own, infer Other]
    ? Converter<Own, Other>
    : never;
};

/** Returns converters for the types with these names. */
export function convertersOf<Pairs>(
  mapping: VersionMapping,
  names: Readonly<Record<keyof Pairs, string>>,
): Converters<Pairs> {
  const entries = Object.entries<string>(names).map(
    ([own, name]) => [own, converterOf(mapping, name)] as const,
  );
  // Each name has an entry, which the compiler cannot infer.
  return Object.fromEntries(entries) as unknown as Converters<Pairs>;
}

function converterOf(mapping: VersionMapping, name: string): Converter<unknown, unknown> {
  const conversion: Conversion = { kind: "type", name };
  return {
    toOwn: (value) => mapped(mapping, conversion, value, "own"),
    toOther: (value) => mapped(mapping, conversion, value, "other"),
  };
}
