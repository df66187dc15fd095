import type { ClientFacts } from "../protocol/operation.js";
import type { Conversion, ConversionFacts, Side, TypeConversions } from "./conversion.js";
import { convert } from "./convert.js";

/** How another version of the protocol and that of the application follow from each other. */
export interface VersionMapping {
  /** What everybody needs to know who speaks the other version. */
  readonly protocol: ClientFacts;
  /** The names of the service parameters in the version of the application. */
  readonly ownHeaders: ClientFacts["headers"];
  /** Which of the two is that of the application: 0 where it is the earlier one. */
  readonly own: Side;
  readonly types: TypeConversions;
  /** The operations that both have, by their names in the version of the application. */
  readonly operations: Readonly<Record<string, OperationMapping>>;
  /** The classes of the errors that both have, by their names in the version of the application. */
  readonly errors: Readonly<Record<string, string>>;
  readonly card: Conversion;
  /** What is posted to webhooks; absent where the other version does not say. */
  readonly webhook?: WebhookMapping;
}

/** An operation of the other version. */
export interface OperationMapping {
  readonly name: string;
  /** Its method on JSON-RPC; absent where that does not carry it. */
  readonly jsonRpc?: string;
  readonly request: Conversion;
  readonly response: Conversion;
}

/** What the other version posts to webhooks. */
export interface WebhookMapping {
  /** The type in the version of the application that it follows from. */
  readonly type: string;
  readonly body: Conversion;
}

/** Which way a value goes: to the version of the application, or from it to the other one. */
export type Direction = "own" | "other";

/**
 * Returns a value of one version as one of the other.
 *
 * @throws {ValidationError} for what the version that it is to be in does not have
 */
export function mapped(
  { own, types }: Pick<VersionMapping, "own" | "types">,
  conversion: Conversion,
  value: unknown,
  to: Direction,
  facts?: ConversionFacts,
): unknown {
  return convert(types, conversion, value, to === "own" ? own : own === 0 ? 1 : 0, facts);
}

/** Converts between the models of the application's version and of another one. */
export interface Converter<Own, Other> {
  /**
   * Returns a value as one of the application's version.
   *
   * @throws {ValidationError} for what that version does not have
   */
  toOwn(value: Other): Own;
  /**
   * Returns a value as one of the other version.
   *
   * @throws {ValidationError} for what that version does not have
   */
  toOther(value: Own): Other;
}

/** The converters of the types of both versions; `Pairs` has those of each. */
export type Converters<Pairs> = {
  readonly [Name in keyof Pairs]: Pairs[Name] extends readonly [infer Own, infer Other] ? Converter<Own, Other> : never;
};

/** Makes converters, by the names that the conversions of their types have. */
export function convertersOf<Pairs>(
  mapping: VersionMapping,
  names: Readonly<Record<keyof Pairs, string>>,
): Converters<Pairs> {
  const entries = Object.entries<string>(names).map(([own, name]) => [own, converterOf(mapping, name)] as const);
  // One for each of the names.
  return Object.fromEntries(entries) as unknown as Converters<Pairs>;
}

function converterOf(mapping: VersionMapping, name: string): Converter<unknown, unknown> {
  const conversion: Conversion = { kind: "type", name };
  return {
    toOwn: (value) => mapped(mapping, conversion, value, "own"),
    toOther: (value) => mapped(mapping, conversion, value, "other"),
  };
}
