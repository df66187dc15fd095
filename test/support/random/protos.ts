import type { Random } from "./random.js";

/**
 * Names that the language, the output, protobufjs or the grammar of protos has another meaning for.
 */
const nasty = [
  ...[
    "__proto__",
    "constructor",
    "then",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "prototype",
    "name",
    "length",
  ],
  ...[
    "delete",
    "class",
    "do",
    "await",
    "arguments",
    "eval",
    "let",
    "default",
    "function",
    "undefined",
    "Infinity",
  ],
  ...[
    "Promise",
    "Record",
    "Object",
    "Array",
    "Error",
    "Issue",
    "Agent",
    "Schema",
    "Call",
    "Operation",
    "JsonValue",
  ],
  ...[
    "Timestamp",
    "Struct",
    "Any",
    "Empty",
    "Value",
    "Type",
    "google",
    "local",
    "export",
    "edition",
    "string_",
    "a",
  ],
  ...[
    "A",
    "AB",
    "A_B",
    "isA",
    "encodeA",
    "ASchema",
    "parse",
    "value",
    "writer",
    "reader",
    "tag",
    "wire",
    "models",
  ],
  ...[
    "enum_",
    "x1_y2",
    "_x",
    "x_",
    "aB",
    "a_b_",
    "CON",
    "stand_in_for_a",
    "inf",
    "nan",
    "syntax",
    "stream",
    "rpc",
  ],
  ...["enum", "catch", "super", "this", "_", "_1x", "_2", "_3_x", "_enum"],
];
const scalars = [
  ...[
    "double",
    "float",
    "int32",
    "int64",
    "uint32",
    "uint64",
    "sint32",
    "sint64",
    "fixed32",
    "fixed64",
    "sfixed32",
  ],
  ...["sfixed64", "bool", "string", "bytes"],
];
const keys = scalars.filter((name) => !["double", "float", "bytes"].includes(name));
const wellKnown = [
  ...[
    "Timestamp",
    "Duration",
    "Struct",
    "Value",
    "ListValue",
    "NullValue",
    "FieldMask",
    "Empty",
    "DoubleValue",
  ],
  ...["Int64Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue", "FloatValue"],
].map((name) => `.google.protobuf.${name}`);
const google = ["Mixin", "Option", "SourceContext", "Method"].map(
  (name) => `.google.protobuf.${name}`,
);
const jsonNames = ["__proto__", "constructor", "it's", "\u{1F4A5}", "0", "@type", "a-b", "*/"];
const files = [
  ...[
    "any",
    "api",
    "descriptor",
    "duration",
    "empty",
    "field_mask",
    "source_context",
    "struct",
    "timestamp",
    "type",
  ],
  "wrappers",
].map((name) => `google/protobuf/${name}.proto`);
const comments = [
  "// Ends */ and {@link x}.\n",
  "/* `a` ${b} \\ {{c}} */",
  "/** @deprecated */\n",
  "// \u65E5\u672C\n",
  "",
];

/** Imports of a random proto other than the files of Google. */
export const protoImports: Readonly<Record<string, string>> = {
  "other.proto":
    'syntax = "proto3"; package other.v1; message Shared { Shared shared = 1; string text = 2; }',
  "old.proto": `syntax = "proto2"; package old;
    message Message {
      required string must = 1; optional int32 may = 2 [default = 7]; repeated sint32 plain = 3;
      repeated fixed32 packed = 4 [packed = true]; optional Kind kind = 5; map<string, Message> map = 6;
      optional group Group = 7 { optional string inner = 1; } extensions 100 to 200;
      enum Kind { ONE = 1; TWO = 2; }
    }`,
};

/**
 * Returns a random proto with all that proto3 has and names that are hard to take; it needs
 * {@link protoImports}.
 */
export function randomProto(random: Random): string {
  return new ProtoMaker(random).text();
}

/**
 * Creates protos. Names within a message differ in more than case and underscores, because protoc
 * requires it.
 */
class ProtoMaker {
  readonly #random: Random;
  readonly #package: string;
  /** The full names of messages and enums that fields may have. */
  readonly #types = [".other.v1.Shared", ".old.Message"];

  constructor(random: Random) {
    this.#random = random;
    this.#package = random.pick(["p", "a.b.v1", "google.shop", "constructor.then", "export", ""]);
  }

  text(): string {
    const random = this.#random;
    const taken = new Set<string>([
      "options",
      "other",
      "old",
      ...this.#package.toLowerCase().split("."),
    ]);
    const names = this.#names(2 + random.below(4), taken);
    const enums = this.#names(1 + random.below(2), taken);
    this.#types.push(...[...names, ...enums].map((name) => this.#full(name)));
    const blocks = [
      ...names.map((name) => this.#message(name, this.#full(name), 2)),
      ...enums.map((name) => this.#enum(name, taken)),
      ...this.#names(random.below(3), taken).map((name) => this.#service(name, names)),
    ];
    const imports = [
      ...files,
      "google/api/annotations.proto",
      "google/api/field_behavior.proto",
      "other.proto",
      "old.proto",
    ];
    const head = [
      'syntax = "proto3";',
      ...(this.#package === "" ? [] : [`package ${this.#spaced(this.#package)};`]),
      ...imports.map((file) => `import "${file}";`),
      "extend .google.protobuf.FieldOptions { string options = 50001; }",
    ];
    return [...head, ...blocks].join("\n");
  }

  #full(name: string): string {
    return this.#package === "" ? `.${name}` : `.${this.#package}.${name}`;
  }

  /** Names that nothing in a scope has, which is told what they are. */
  #names(count: number, taken: Set<string>): string[] {
    const free = (name: string) => !taken.has(plain(name));
    return Array.from({ length: count }, () => {
      const usual = `Name${taken.size}`;
      const picked = this.#random.pick(nasty);
      const name = free(picked) ? picked : usual;
      taken.add(plain(name));
      return name;
    });
  }

  #message(name: string, fullName: string, depth: number): string {
    const random = this.#random;
    const taken = new Set<string>();
    const nested = depth > 0 ? this.#names(random.below(3), taken) : [];
    this.#types.push(...nested.map((one) => `${fullName}.${one}`));
    const inner = nested.map((one) => this.#message(one, `${fullName}.${one}`, depth - 1));
    let number = 0;
    const next = () => String((number += 1 + random.below(3)));
    const fields = this.#names(random.below(6), taken).map((field) => {
      const type = this.#labelled();
      return `${type} ${field} = ${next()}${this.#fieldOptions(type)};`;
    });
    const oneofs = this.#names(random.below(3), taken).map((oneof) => {
      const members = this.#names(1 + random.below(3), taken).map(
        (field) => `${this.#single()} ${field} = ${next()};`,
      );
      return [`oneof ${oneof} {`, ...members, "}"].join(" ");
    });
    const kinds = random.oneIn(3) ? [this.#enum("Kinds", taken)] : [];
    return [
      `${random.pick(comments)} message ${name} {`,
      ...[...inner, ...kinds, ...fields, ...oneofs],
      ...(random.oneIn(4) ? ['reserved 9000, 9002 to 9010, 10000 to max; reserved "gone";'] : []),
      "}",
    ].join("\n");
  }

  #enum(name: string, taken: Set<string>): string {
    const [first = "", second = "", third = ""] = this.#names(3, taken);
    const isAliased = this.#random.oneIn(3);
    const alias = isAliased
      ? `option allow_alias = true; ${first} = 0; ${third} = 0;`
      : `${first} = 0; ${third} = -0X7;`;
    return `enum ${name} { ${alias} ${second} = ${this.#random.pick(["1", "2147483647", "017"])} [deprecated = true]; }`;
  }

  #labelled(): string {
    switch (this.#random.below(6)) {
      case 0:
        return `repeated ${this.#single()}`;
      case 1:
        return "repeated sint64";
      case 2:
        return `map<${this.#random.pick(keys)}, ${this.#single()}>`;
      case 3:
        return `optional ${this.#single()}`;
      default:
        return this.#single();
    }
  }

  #single(): string {
    const random = this.#random;
    const pools = [scalars, scalars, this.#types, this.#types, wellKnown, google];
    const name = random.pick(random.pick(pools));
    if (!name.startsWith(".")) return name;
    return random.oneIn(12) ? name.slice(1) : this.#spaced(name);
  }

  /** A name with white space around some of its dots. */
  #spaced(name: string): string {
    return this.#random.oneIn(6) ? name.replace(/(?<=\w)\./, " .\n ") : name;
  }

  #fieldOptions(type: string): string {
    const random = this.#random;
    // A message that requires a value of its own type has no finite value.
    const mayRequire = /^(?:optional )?(?:\w+|\.google\.protobuf\.\w+)$/.test(type);
    const options = [
      ...(mayRequire && random.oneIn(5) ? ["(.google.api.field_behavior) = REQUIRED"] : []),
      ...(random.oneIn(6)
        ? [`json_name = "${random.pick(jsonNames)}${random.pick(["", String(random.below(1e6))])}"`]
        : []),
      ...(random.oneIn(9) ? ["deprecated = true"] : []),
      ...(type === "repeated sint64" && random.oneIn(2) ? ["packed = false"] : []),
    ];
    return options.length === 0 ? "" : ` [${options.join(", ")}]`;
  }

  #service(name: string, messages: readonly string[]): string {
    const random = this.#random;
    const type = () =>
      random.pick([...messages.map((one) => this.#full(one)), ...wellKnown, ...google]);
    const rpcs = this.#names(random.below(4), new Set()).map((rpc) => {
      const [request, response] = [type(), type()].map((one) =>
        one.endsWith(".NullValue") ? ".other.v1.Shared" : one,
      );
      const path = random.pick(["/a", "/a/{id}", "nope", "/{", "/{text=x/*}:do", ""]);
      const rule = `{ option (google.api.http) = { ${random.pick(["get", "post"])}: "${path}" body: "*" }; }`;
      const streams = [random.oneIn(4) ? "stream " : "", random.oneIn(3) ? "stream " : ""];
      return `rpc ${rpc}(${streams[0]}${request}) returns (${streams[1]}${response})${random.oneIn(2) ? rule : ";"}`;
    });
    return [`service ${name} {`, ...rpcs, "}"].join("\n");
  }
}

/** Returns a name without case and underscores. */
function plain(name: string) {
  return name.replaceAll("_", "").toLowerCase();
}
