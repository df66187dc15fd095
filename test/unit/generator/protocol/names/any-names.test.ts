import { describe, expect, it } from "vitest";
import { outputNames, reservedNames } from "../../../../../generator/protocol/names/reserved.js";
import { keywords } from "../../../../../support/names.js";
import { typeProblems } from "../../../../product/types/compile.js";
import { generateFrom, libraryOptions, sourceOf } from "../../../../support/output.js";
import fc from "../../../../support/properties.js";
import { seed } from "../../../../support/seed.js";
import { head } from "../../input/proto/reading.js";

/**
 * Names that something has already, and combinations of parts that names of functions are made of.
 */
const taken = fc.constantFrom(
  ...[...reservedNames, ...outputNames].filter((name) => /^[A-Za-z_]\w*$/.test(name)),
);
const parts = fc.constantFrom(
  "is",
  "assert",
  "parse",
  "search",
  "read",
  "write",
  "encode",
  "A",
  "B",
  "_",
  "a",
  "1",
);
const tails = fc.constantFrom("", "Schema", "At", "Json", "Numbers", "Names", "Too", "_", "__");
const made = fc
  .tuple(fc.array(parts, { minLength: 1, maxLength: 3 }), tails)
  .map(([begin, tail]) => begin.join("") + tail);
const name = fc.oneof(taken, made).filter((text) => /^[A-Za-z_]/.test(text));
const names = (least: number, most: number) =>
  fc.uniqueArray(name, { minLength: least, maxLength: most });

/** Fields of one message: protoc refuses names that only differ in case and underscores. */
const fields = fc.uniqueArray(name, {
  minLength: 1,
  maxLength: 5,
  selector: (text) => text.replaceAll("_", "").toLowerCase(),
});

const message = fc.record({
  name,
  fields,
  inner: names(0, 2),
  oneof: fc.constantFrom(
    "",
    ...["value", "kind_", "delete", "_", "__", "_1x", "_2", "__3_x", "_enum"],
  ),
});

/** A proto of messages that refer to one another, with enums and a service. */
const protos = fc
  .record({
    messages: fc.uniqueArray(message, { minLength: 2, maxLength: 8, selector: (one) => one.name }),
    enums: fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
    rpcs: names(1, 6),
  })
  .map(({ messages, enums, rpcs }) => {
    const known = messages.map((one) => one.name);
    const typeAt = (at: number) => `.p.${known[at % known.length] ?? ""}`;
    const blocks = messages.map((one, at) => {
      const own = new Set([...one.fields, ...one.inner, one.name]);
      const lines = one.fields.map(
        (field, index) => `  ${typeAt(at + index)} ${field} = ${index + 1};`,
      );
      const inner = one.inner
        .filter((each) => !one.fields.includes(each))
        .map((each) => `  message ${each} {}`);
      const isFree =
        one.oneof !== "" && !own.has(one.oneof) && !own.has("only") && !own.has("other");
      const oneof = isFree
        ? [`  oneof ${one.oneof} { string only = 99; ${typeAt(at)} other = 98; }`]
        : [];
      return [`message ${one.name} {`, ...lines, ...inner, ...oneof, "}"].join("\n");
    });
    const lists = enums.map((values, at) => {
      const lines = values.map((value, index) => `  ${value} = ${index};`);
      return [
        `message EnumHolder${at} {`,
        "  enum E {",
        ...lines,
        "  }",
        "  repeated E e = 1;",
        "}",
      ].join("\n");
    });
    const methods = rpcs.map(
      (rpc, at) => `  rpc ${rpc}(${typeAt(at)}) returns (${typeAt(at + 1)});`,
    );
    return [head, ...blocks, ...lists, "service Service {", ...methods, "}"].join("\n");
  });

/**
 * A message that is called like a word of the language, with oneofs whose names are not identifiers
 * in JSON.
 */
const messageOf = (word: string) => `
message ${word} {
  string z = 1;
  oneof _ { string a = 2; .p.${word} b = 3; }
  oneof _1x { string c = 4; .p.${word} d = 5; }
  oneof _2 { string membersTwo = 6; int32 members2 = 7; }
  map<string, .p.${word}> m = 8;
}
message Only_${word} { oneof ${word} { string c = 3; .p.${word} d = 4; } }`;

describe("a proto whose messages have the names of JavaScript keywords and globals", () => {
  it("the proto is generated, and the output compiles", async () => {
    const messages = [...keywords].filter((word) => /^[a-z]+$/.test(word)).map(messageOf);
    expect(
      await typeProblems(
        await generateFrom(sourceOf([head, ...messages].join("\n")), libraryOptions),
      ),
    ).toEqual([]);
  });
});

describe("a proto whose names collide with names that the output declares", () => {
  it("the proto is generated, and the output compiles", async () => {
    const texts = fc.sample(protos, { seed, numRuns: 12 });
    const outputs = await Promise.all(
      texts.map((text) => generateFrom(sourceOf(text), libraryOptions)),
    );
    expect(await typeProblems(...outputs), texts.join("\n\n")).toEqual([]);
  });
});
