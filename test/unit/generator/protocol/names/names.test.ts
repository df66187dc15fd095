import { describe, expect, it } from "vitest";
import { nameProtocol } from "../../../../../generator/protocol/names/names.js";
import { outputNames, reservedNames } from "../../../../../generator/protocol/names/reserved.js";
import type { Protocol } from "../../../../../generator/protocol/model/types.js";
import { keywords } from "../../../../../support/names.js";
import { typeProblems } from "../../../../product/types/compile.js";
import {
  findSource,
  generateFrom,
  libraryOptions,
  sourceOf,
  textOf,
} from "../../../../support/output.js";
import { readProtocol } from "../../../../../generator/core/read.js";
import { head, read } from "../../input/proto/reading.js";

/** The names of the types of a proto, in the order of its declarations. */
const typeNames = (proto: string, files: Readonly<Record<string, string>> = {}) =>
  read(proto, files).types.map(({ name }) => name);

/** The names of operations and methods. */
const methodsOf = (proto: string) =>
  read(proto).operations.map(({ name, method }) => `${name} ${method}`);

describe("the escaped name of a type", () => {
  it.each([
    ["class", "a word of the language"],
    ["string", "a type of TypeScript"],
    ["Promise", "a global"],
    ["__proto__", "a member that every object inherits"],
    ["constructor", "a member that every object inherits"],
  ])("a type gets a trailing underscore if its name is %s, which is %s", (name) => {
    expect(typeNames(`message ${name} {} message Other { ${name} a = 1; }`)).toEqual([
      `${name}_`,
      "Other",
    ]);
  });

  it.each(["Issue", "Agent", "A2AClient", "connect"])(
    "a type with the name of the export %s keeps its name, unless the specification describes agents",
    (name) => {
      const message = `message ${name} {}`;
      expect(typeNames(message)).toEqual([name]);
      const { proto, ...source } = findSource("1.0");
      const text = `${proto?.text ?? ""}\n${message}`;
      const { types } = readProtocol({ ...source, proto: { file: "own.proto", text } });
      expect(types.map((type) => type.name)).toContain(`${name}_`);
    },
  );

  it("a type gets a trailing underscore if a declaration derived from it has the name of another type", () => {
    expect(typeNames("message Task {} message isTask {} message TaskSchema {}")).toEqual([
      "Task",
      "isTask_",
      "TaskSchema_",
    ]);
  });

  it("the output compiles if fields have the names of inherited members next to deprecated fields", async () => {
    const fields =
      "string to_string = 1; string old = 2 [deprecated = true]; oneof o { int32 value_of = 3; }";
    expect(
      await typeProblems(
        await generateFrom(sourceOf(`${head}message A { ${fields} }`), libraryOptions),
      ),
    ).toEqual([]);
  });

  it("a type gets as many trailing underscores as necessary", () => {
    expect(typeNames("message Date_ {} message Date__ {} message Date {}")).toEqual([
      "Date_",
      "Date__",
      "Date___",
    ]);
  });

  it("a type gets no trailing underscore if only its own file declares the name", () => {
    expect(
      typeNames(
        "message AnyObject {} message wire {} message Entry {} message value {} message er {}",
      ),
    ).toEqual(["AnyObject", "wire", "Entry", "value", "er"]);
  });
});

describe("a type with a name that is already in use", () => {
  it("a nested type is named by the path to it", () => {
    expect(typeNames("message A { message B { message C {} } } message AB {}")).toEqual([
      "A",
      "A_B",
      "A_BC",
      "AB",
    ]);
  });

  it("a type outside of the main package is named by its package", () => {
    const files = { "q.proto": 'syntax = "proto3"; package q.v1; message A { enum E { X = 0; } }' };
    expect(typeNames('import "q.proto"; message A { q.v1.A a = 1; }', files)).toEqual([
      "A",
      "q_v1_A",
      "q_v1_AE",
    ]);
  });

  it("a type has the name that the manifest gives it", () => {
    const manifest = "names: { p.A.B: Inner, p.Agent: Worker }";
    const { types } = nameProtocol(read("message X {}"));
    expect(types.map(({ name }) => name)).toEqual(["X"]);
    const source = sourceOf(
      `${head}message A { message B {} } message AB {} message Agent {} message Inner {}`,
      {},
      manifest,
    );
    return generateFrom(source).then((output) => {
      const text = textOf(output, "models.ts");
      for (const name of ["A", "Inner", "AB", "Worker", "p_Inner"])
        expect(text).toContain(`export type ${name} =`);
    });
  });
});

describe("the union of a oneof", () => {
  it("the union is renamed if a type has its name", () => {
    const [a] = read(
      "message A { string x = 1; oneof kind { string b = 2; } } message AKind {}",
    ).types;
    expect(a?.kind === "message" && a.oneofs[0]?.typeName).toBe("AKind_");
  });
});

describe("the keys of an enum", () => {
  it("the key is the original spelling of the value if an earlier value has the same words", () => {
    const [type] = read(
      "enum E { E_FOO_BAR = 0; E_FooBar = 1; E_FOO__BAR = 2; _ = 3; __ = 4; }",
    ).types;
    expect(type?.kind === "enum" && type.values.map(({ key }) => key)).toEqual([
      "EFooBar",
      "E_FooBar",
      "E_FOO__BAR",
      "_",
      "__",
    ]);
  });
});

describe("a method", () => {
  it("a method gets a trailing underscore if a client or a service cannot have its name", () => {
    const rpcs = [
      "Delete",
      "New",
      "Constructor",
      "Then",
      "Close",
      "ToString",
      "Card",
      "Operations",
      "__proto__",
      "_",
      "__1",
    ];
    const service = `service S { ${rpcs.map((name) => `rpc ${name}(A) returns (A);`).join(" ")} } message A {}`;
    expect(methodsOf(service).map((line) => line.split(" ")[1])).toEqual([
      "delete",
      "new",
      "constructor_",
      "then_",
      "close_",
      "toString_",
      "card_",
      "operations_",
      "proto",
      "_",
      "__1",
    ]);
  });

  it("a method may have the name of a keyword, and its request may have fields with the names of members of objects", async () => {
    const { proto = { file: "", text: "" }, ...rest } = findSource("1.0");
    const inherited = Object.getOwnPropertyNames(Object.prototype).filter(
      (name) => !name.startsWith("__"),
    );
    const fields = inherited.map((name, index) => `string ${name} = ${index + 1};`);
    const rpcs = [...keywords, "delete_"].map((name) => `rpc ${name}(Odd) returns (Odd);`);
    const service = proto.text.replace("service A2AService {", `$& ${rpcs.join(" ")}`);
    const text = `${service}\nmessage Odd { ${fields.join(" ")} }`;
    const output = await generateFrom({ ...rest, proto: { ...proto, text } });
    expect(await typeProblems(output)).toEqual([]);
    expect(textOf(output, "client/client.ts")).toContain(
      "  delete(request: Odd, options?: CallOptions): Promise<Odd> {",
    );
    expect(textOf(output, "server/service.ts")).toContain("  delete__?(request: Odd,");
  });

  it("a method gets its service as prefix if an earlier service has a method of its name", () => {
    expect(
      methodsOf(
        "service S { rpc Go(A) returns (A); } service T { rpc Go(A) returns (A); } message A {}",
      ),
    ).toEqual(["Go go", "T.Go tGo"]);
  });

  it("a method gets a trailing underscore if its name differs from an earlier name only in case", () => {
    expect(
      methodsOf(
        "service S { rpc GetTask(A) returns (A); rpc get_task(A) returns (A); } message A {}",
      ),
    ).toEqual(["GetTask getTask", "get_task getTask_"]);
  });
});

describe("the names that the output exports itself", () => {
  it("the reserved names are exactly the exported names", async () => {
    const source = findSource("1.0");
    const output = await generateFrom(source);
    const textIn = (module: string) => textOf(output, `${module}.ts`);
    const fixed = ["client/index", "server/index", "index"].flatMap((module) => [
      ...reexportsIn(textIn(module)),
    ]);
    const errors = [...reexportsIn(textIn("errors")), "clientErrors", "errors"];
    expect([...new Set([...fixed, ...errors])].sort()).toEqual([...outputNames].sort());
    for (const name of outputNames) expect(reservedNames).toContain(name);
  });
});

/** The names in the braces of statements that export from other modules. */
function* reexportsIn(text: string): Generator<string> {
  for (const [, names = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm))
    for (const name of names.split(","))
      if (name.trim() !== "") yield name.trim().replace("type ", "");
}

/**
 * Messages, enums and rpcs that would clash with everything that the output has, were they not
 * escaped.
 */
const hostile = () => {
  const types = [
    "do delete constructor then __proto__ Issue Agent Call Operation Task isTask TaskSchema wire value reader er r",
    "Map Promise Error Object string number any JsonValue AnyObject JsonNumber suesOf Schema registry message enumeration",
    "parse is t s place codecs operations protocol options errors A2AService connect Entry Any _ __ __1 toString name",
  ].flatMap((line) => line.split(" "));
  const shapes = types.map((name, index) => {
    const fields = `  repeated ${types[(index + 1) % types.length] ?? ""} next = 1;\n  map<string, .p.${name}> more = 2;\n`;
    const oneof =
      "  oneof value { string schema = 3; .p.Kind sort = 4; }\n  oneof delete { bool class = 5; }\n";
    return `message ${name} {\n${fields}${oneof}  enum Kind { KIND_A = 0; kind_a = 1; }\n  message Inner {}\n  string taskSchema = 6;\n  Inner __proto__ = 7;\n}`;
  });
  const enums =
    "enum Kind { ZERO = 0; zero = 1; __proto__ = 2; constructor = 3; }\nenum KindNumbers { A = 0; }\nmessage IssueInner {}";
  const rpcs = [...types, "Close", "Then", "Card"].map(
    (name, index) =>
      `  rpc ${name}(.p.${types[index % types.length] ?? ""}) returns (stream .p.${name in { Close: 1, Then: 1, Card: 1 } ? "do" : name});`,
  );
  return [
    head,
    ...shapes,
    enums,
    "service Service {",
    ...rpcs,
    "}",
    "service Other {",
    ...rpcs,
    "}",
  ].join("\n");
};

describe("an output whose names collide with everything", () => {
  it("the output compiles without a manifest", async () => {
    expect(await typeProblems(await generateFrom(sourceOf(hostile()), libraryOptions))).toEqual([]);
  });

  it("the output compiles with clients and servers", async () => {
    const source = findSource("1.0");
    const { proto = { file: "", text: "" } } = source;
    // The specification declares these names itself, together with types that refer to them.
    const further = hostile()
      .slice(head.length)
      .replaceAll(/\b(Task|A2AService)\b/g, "$1Too")
      .replaceAll(".p.", ".lf.a2a.v1.");
    const output = await generateFrom(
      { ...source, proto: { ...proto, text: `${proto.text}\n${further}` } },
      libraryOptions,
    );
    expect(await typeProblems(output)).toEqual([]);
  });
});

describe("naming a protocol", () => {
  it("a protocol without collisions is not changed", () => {
    const protocol: Protocol = read(
      "message A { string a = 1; } service S { rpc Go(A) returns (A); }",
    );
    expect(nameProtocol(protocol)).toEqual(protocol);
  });
});
