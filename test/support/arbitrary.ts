import fc from "fast-check";
import type {
  FieldDef,
  MessageDef,
  Protocol,
  ScalarName,
  TypeDef,
  ValueType,
  WellKnownName,
} from "../../generator/protocol/types.js";

/** How the random values should be. */
export interface ArbitraryOptions {
  /** Leave out defaults of fields that do not tell them from absence, as canonical JSON does. */
  readonly canonical?: boolean;
}

/** Random values of every type of a specification, in their canonical JSON. */
export function arbitraries(
  protocol: Protocol,
  options: ArbitraryOptions = {},
): (name: string) => fc.Arbitrary<unknown> {
  const types = new Map(protocol.types.map((type) => [type.name, type]));
  const find = (name: string): TypeDef => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`There is no type ${name}`);
    return type;
  };
  return (name) => typeArbitrary(find(name), { find, depth: 2, canonical: options.canonical ?? true });
}

interface Context {
  readonly find: (name: string) => TypeDef;
  readonly depth: number;
  readonly canonical: boolean;
}

function typeArbitrary(type: TypeDef, context: Context): fc.Arbitrary<unknown> {
  if (type.kind === "enum") return fc.constantFrom(...firstNames(type).map(({ name }) => name));
  if (type.kind !== "message") throw new Error(`${type.name} is no type of a proto`);
  const plain = type.fields.filter((field) => field.oneof === undefined && isPossible(field, context));
  const entries = plain.map((field) => [field.name, fieldArbitrary(field, context)] as const);
  const requiredKeys = plain.filter(({ presence }) => presence === "required").map(({ name }) => name);
  const record = fc.record(safeRecord(entries), { requiredKeys });
  const choices = type.oneofs.map((oneof) => choiceArbitrary(type, oneof.name, oneof.required, context));
  return fc.tuple(record, ...choices).map(([base, ...members]) => Object.assign({}, base, ...members) as unknown);
}

/** At the end of the depth, only what is required and single values are left: an optional list would have to be empty. */
function isPossible(field: FieldDef, context: Context): boolean {
  if (field.presence === "implicit" && field.type.kind === "wellKnown") return false;
  return context.depth > 0 || field.presence === "required" || !["list", "map", "message"].includes(field.type.kind);
}

/** Of several names for one number, only the first comes back from bytes. */
function firstNames(type: TypeDef & { kind: "enum" }) {
  return type.values.filter((value, index) => type.values.findIndex(({ number }) => number === value.number) === index);
}

function safeRecord(
  entries: readonly (readonly [string, fc.Arbitrary<unknown>])[],
): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(entries);
}

function choiceArbitrary(type: MessageDef, oneof: string, required: boolean, context: Context): fc.Arbitrary<object> {
  const fields = type.fields.filter((field) => field.oneof === oneof);
  const simple = fields.filter((field) => context.depth > 0 || field.type.kind !== "message");
  const usable = simple.length > 0 || !required ? simple : fields.slice(-1);
  const members = usable.map((field) =>
    valueArbitrary(field.type, context).map((value) => Object.fromEntries([[field.name, value]])),
  );
  return fc.oneof(...members, ...(required ? [] : [fc.constant({})]));
}

function fieldArbitrary(field: FieldDef, context: Context): fc.Arbitrary<unknown> {
  const value = valueArbitrary(field.type, context, field.nonEmpty ? 1 : 0);
  return context.canonical && field.presence === "implicit"
    ? value.filter((given) => !isDefault(field.type, given, context))
    : value;
}

function isDefault(type: ValueType, value: unknown, context: Context): boolean {
  if (type.kind === "enum") {
    const found = context.find(type.name);
    return found.kind === "enum" && found.values.find(({ name }) => name === value)?.number === 0;
  }
  if (Array.isArray(value)) return value.length === 0;
  if (type.kind === "map") return Object.keys(value as object).length === 0;
  return (
    value === "" ||
    value === 0 ||
    value === false ||
    (value === "0" && type.kind === "scalar" && type.scalar.endsWith("64"))
  );
}

function valueArbitrary(type: ValueType, context: Context, minLength = 0): fc.Arbitrary<unknown> {
  const within = { ...context, depth: context.depth - 1 };
  switch (type.kind) {
    case "scalar":
    case "wrapper":
      return scalars[type.scalar];
    case "wellKnown":
      return wellKnown[type.wellKnown];
    case "enum":
      return typeArbitrary(context.find(type.name), within);
    case "message":
      return context.depth > 0
        ? typeArbitrary(context.find(type.name), within)
        : smallest(context.find(type.name), context);
    case "list":
      return fc.array(valueArbitrary(type.element, context), {
        minLength,
        maxLength: context.depth > 0 ? 2 : minLength,
      });
    case "map":
      return fc
        .array(fc.tuple(keys(type.key), valueArbitrary(type.value, context)), { maxLength: context.depth > 0 ? 2 : 0 })
        .map((entries) => Object.fromEntries(entries) as unknown);
    default:
      throw new Error(`${type.kind} is no type of a proto`);
  }
}

/** A value with nothing but what is required, where recursion has to end. */
function smallest(type: TypeDef, context: Context): fc.Arbitrary<unknown> {
  if (type.kind !== "message") return typeArbitrary(type, context);
  const required = type.fields.filter((field) => field.presence === "required" && field.oneof === undefined);
  const record = fc.record(
    safeRecord(required.map((field) => [field.name, fieldArbitrary(field, { ...context, depth: 0 })])),
  );
  const needed = type.oneofs
    .filter((oneof) => oneof.required)
    .map(({ name }) => choiceArbitrary(type, name, true, { ...context, depth: 0 }));
  return fc.tuple(record, ...needed).map(([base, ...members]) => Object.assign({}, base, ...members) as unknown);
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).filter(isWellFormed),
  fc.constantFrom("", "__proto__", "constructor", "é€😀"),
);
const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, -2_147_483_648, 2_147_483_647));
const uint32 = fc.oneof(fc.integer({ min: 0, max: 4_294_967_295 }), fc.constantFrom(0, 4_294_967_295));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const special = fc.constantFrom("NaN", "Infinity", "-Infinity", 0, 1.5);
const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  special,
);
const float = fc.oneof(fc.float({ noNaN: true, noDefaultInfinity: true }).map(shortFloat), special);
const bytes = fc.uint8Array({ maxLength: 12 }).map((value) => Buffer.from(value).toString("base64"));
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const struct = fc.dictionary(text, json, { maxKeys: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function isWellFormed(value: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(value);
}

/** A 32-bit number as the output writes it: whole ones exactly, others as the shortest decimal that means the same. */
function shortFloat(value: number): number {
  if (Number.isInteger(value)) return value + 0;
  const digits = Array.from({ length: 9 }, (_, index) => Number(value.toPrecision(index + 1)));
  return (digits.find((candidate) => Math.fround(candidate) === value) ?? value) + 0;
}

const scalars: Readonly<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  double,
  float,
  int32,
  int64,
  uint32,
  uint64,
  sint32: int32,
  sint64: int64,
  fixed32: uint32,
  fixed64: uint64,
  sfixed32: int32,
  sfixed64: int64,
  bool: fc.boolean(),
  string: text,
  bytes,
};

const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
const fraction = fc.constantFrom("", ".500", ".000001", ".123456789");

const wellKnown: Readonly<Record<WellKnownName, fc.Arbitrary<unknown>>> = {
  Timestamp: fc
    .tuple(seconds, fraction)
    .map(([at, rest]) => `${new Date(at * 1000).toISOString().slice(0, 19)}${rest}Z`),
  Duration: fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fraction)
    .map(([whole, rest]) => `${whole}${rest}s`),
  Struct: struct,
  Value: json,
  ListValue: fc.array(json, { maxLength: 3 }),
  NullValue: fc.constant(null),
  Empty: fc.constant({}),
  FieldMask: fc.constantFrom("", "a", "a,b.cD", "fooBar"),
  Any: fc.record({ "@type": fc.constant("type.googleapis.com/google.protobuf.Value"), value: json }),
};

function keys(type: ScalarName): fc.Arbitrary<string> {
  if (type === "bool") return fc.boolean().map(String);
  return scalars[type].map(String);
}
