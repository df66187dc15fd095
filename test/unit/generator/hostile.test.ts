import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findSource, generateFrom, sourceOf, textOf, writeTo } from "../../support/output.js";
import { hostileProto, hostileText } from "../../product/types/hostile.js";
import { head } from "./input/proto/reading.js";

type Functions = Readonly<Record<string, (value: unknown) => unknown>>;

const source = sourceOf(hostileProto);
const names = [
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "then",
  "class",
];

describe("hostile comments", () => {
  const escaped = hostileText.replaceAll("*/", "*\\/");

  it.each(["models.ts", "operations.ts"])(
    "a hostile comment appears in %s unchanged and does not end the comment",
    async (path) => {
      const text = textOf(await generateFrom(source), path);
      expect(text).toContain(escaped);
      for (const line of text
        .split("\n")
        .filter((candidate) => candidate.includes("process.exit"))) {
        expect(line).toMatch(/^\s*\* |^\s*\/\*\* .* \*\/$/);
      }
    },
  );

  it.each(["client/client.ts", "server/service.ts"])(
    "a hostile comment appears in %s",
    async (path) => {
      const docs = `// ${hostileText}\n  rpc GetTask(GetTaskRequest)`;
      const { proto = { file: "", text: "" }, ...rest } = findSource("1.0");
      const text = proto.text.replace(/rpc GetTask\(GetTaskRequest\)/, docs);
      const output = textOf(await generateFrom({ ...rest, proto: { ...proto, text } }), path);
      expect(output.replaceAll("\n   * ", " ")).toContain(escaped);
    },
  );

  it("a hostile comment is not interpreted as a template", async () => {
    const proto = `${head}// {{header}} {{{this}}} {{> doc}} {{#each x}}\nmessage A {}`;
    expect(textOf(await generateFrom(sourceOf(proto)), "models.ts")).toContain(
      "{{header}} {{{this}}} {{> doc}} {{#each x}}",
    );
  });

  it("a comment may be long, empty or consist of stars", async () => {
    const proto = `${head}// ${"long ".repeat(100)}\nmessage A {\n  //\n  string a = 1;\n  /***/\n  string b = 2;\n  /* **** */\n  string c = 3;\n}`;
    const text = textOf(await generateFrom(sourceOf(proto)), "models.ts");
    expect(text).toContain("long long");
    expect(text).toContain("  a?: string;\n");
  });
});

describe("a hostile title", () => {
  it("a hostile title does not end the comment of the header", async () => {
    const text = textOf(
      await generateFrom({ ...source, title: "a\nprocess.exit()\u2028b.proto" }),
      "models.ts",
    );
    expect(text.split(/[\n\u2028]/)[0]).toContain("a?process.exit()?b.proto");
  });
});

describe("hostile names", () => {
  let codec: Functions;
  let validators: Functions;

  beforeAll(async () => {
    const folder = writeTo("hostile-names", await generateFrom(source));
    codec = (await import(join(folder, "protobuf.ts"))) as Functions;
    validators = (await import(join(folder, "validators.ts"))) as Functions;
  });

  const roundTrip = (type: string, value: unknown) =>
    codec[`decode${type}`]?.(codec[`encode${type}`]?.(value));
  const whole = Object.fromEntries(
    [...names, "await", "default"].map((name) => [name, `the ${name}`]),
  );

  it.each(["Names", "Needed"])("a field with a hostile name keeps its value (%s)", (type) => {
    expect(validators[`validate${type}`]?.(whole)).toEqual({ value: whole });
    expect(roundTrip(type, whole)).toEqual(whole);
  });

  it.each(names)(
    "a field with a hostile name is absent if the object only inherits it (%s)",
    (name) => {
      expect(validators["isNames"]?.({})).toBe(true);
      expect(codec["encodeNames"]?.({})).toHaveLength(0);
      expect(codec["decodeNames"]?.(new Uint8Array())).toEqual({});
      expect(
        validators["isNeeded"]?.(
          Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)),
        ),
      ).toBe(false);
    },
  );

  it("oneofs and members with hostile names distinguish the members", () => {
    expect(validators["isChoice"]?.({ aClass: "x", aThen: "y" })).toBe(false);
    expect(validators["isChoice"]?.({ aClass: "x", names: {} })).toBe(true);
    expect(validators["isChoice"]?.({ names: {}, choice: {} })).toBe(false);
    expect(roundTrip("Choice", { aClass: "x", choice: { names: {} } })).toEqual({
      aClass: "x",
      choice: { names: {} },
    });
  });

  it("a JSON property may contain any character", () => {
    const value = Object.fromEntries(
      [
        'a"b',
        "back\\slash",
        "`${c}`",
        "*/ d",
        "",
        "line\nbreak",
        "{{g}}",
        "é\u2028😀",
        "'single'",
        "0",
        "with space",
        "@type",
      ].map((key, index) => [key, `value ${index}`]),
    );
    expect(validators["validateStrings"]?.(value)).toEqual({ value });
    expect(validators["parseStrings"]?.({ a: "by the name of the proto" })).toEqual({
      'a"b': "by the name of the proto",
    });
    expect(roundTrip("Strings", value)).toEqual(value);
  });

  it("enum values and map keys with hostile names keep their values", () => {
    const value = { bare: "constructor", constructor: { toString: "toString", __proto: "class" } };
    expect(roundTrip("Uses", value)).toEqual(value);
    expect(validators["isBare"]?.("hasOwnProperty")).toBe(false);
    expect(() => validators["parseBare"]?.("valueOf")).toThrow();
  });

  it("a hostile key of a map does not pollute the prototype", () => {
    const value: unknown = JSON.parse(
      '{ "constructor": { "__proto__": "class", "constructor": "zero" } }',
    );
    const again = roundTrip("Uses", validators["parseUses"]?.(value));
    expect(JSON.parse(JSON.stringify(again))).toEqual(value);
    expect(({} as Record<string, unknown>)["class"]).toBeUndefined();
  });
});
