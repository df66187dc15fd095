import { describe, expect, it } from "vitest";
import { enumOf, fieldOf, messageOf, operationOf, read } from "./reading.js";

describe("a comment", () => {
  it.each([
    ["a line above", "// The text.\nmessage A {}"],
    ["a block above", "/* The text. */\nmessage A {}"],
    ["a block with stars above", "/**\n * The text.\n */\nmessage A {}"],
    ["an indented line above", "   // The text.\n   message A {}"],
  ])("a message has the comment from %s", (_, proto) => {
    expect(messageOf(read(proto), "A").docs).toBe("The text.");
  });

  it("a comment keeps its lines and paragraphs", () => {
    expect(messageOf(read("// One\n// two.\n//\n// Three.\nmessage A {}"), "A").docs).toBe(
      "One\ntwo.\n\nThree.",
    );
  });

  it.each([
    ["line comments", "// * one\n//   * two\n//\n//     code();\n// */ three"],
    ["a block with stars", "/**\n * * one\n *   * two\n *\n *     code();\n * *\\/ three\n */"],
  ])("a comment keeps its bullets and indentation in %s", (_, comment) => {
    const { docs } = messageOf(read(`${comment}\nmessage A {}`), "A");
    expect(docs.replace("*\\/", "*/")).toBe("* one\n  * two\n\n    code();\n*/ three");
  });

  it.each([
    ["three slashes", "/// The text.", "The text."],
    ["no space", "//The text.", "The text."],
    ["a frame", "/****************\n * The text.\n ****************/", "The text."],
    ["no stars in a block", "/* The\n   text. */", "The\ntext."],
    ["a block on one line", "/** The text. */", "The text."],
  ])("a comment may have %s", (_, comment, docs) => {
    expect(messageOf(read(`${comment}\nmessage A {}`), "A").docs).toBe(docs);
  });

  it("a field has the comment above or after it", () => {
    const protocol = read(
      "message A {\n  // Above.\n  string f = 1;\n  string g = 2; // Behind.\n  string h = 3;\n}",
    );
    expect(messageOf(protocol, "A").fields.map(({ docs }) => docs)).toEqual([
      "Above.",
      "Behind.",
      "",
    ]);
  });

  it("a oneof and its members have comments", () => {
    const protocol = read(
      "message A {\n  // The choice.\n  oneof o {\n    // The member.\n    string f = 1;\n  }\n}",
    );
    expect(messageOf(protocol, "A").oneofs[0]?.docs).toBe("The choice.");
    expect(fieldOf(protocol, "A", "f").docs).toBe("The member.");
  });

  it("an enum and its values have comments", () => {
    const { docs, values } = enumOf(
      read("// All.\nenum E {\n  // Above.\n  A = 0;\n  B = 1; // Behind.\n  C = 2;\n}"),
      "E",
    );
    expect([docs, ...values.map((value) => value.docs)]).toEqual(["All.", "Above.", "Behind.", ""]);
  });

  it("an rpc has a comment, with and without a body", () => {
    const body = "{ option deprecated = true; }";
    const proto = `service S {\n  // One.\n  rpc One(A) returns (A);\n  // Two.\n  rpc Two(A) returns (A) ${body}\n}\nmessage A {}`;
    expect(operationOf(read(proto), "One").docs).toBe("One.");
    expect(operationOf(read(proto), "Two").docs).toBe("Two.");
  });

  it.each(["{ not: a block }", "string f = 1;", '"quoted"', "a /* b", "semi; colon", "}"])(
    "a comment may contain proto syntax: %s",
    (text) => {
      expect(messageOf(read(`// ${text}\nmessage A { string f = 1; }`), "A").docs).toBe(text);
    },
  );

  it("a comment may be between any two tokens", () => {
    const proto =
      "message /* a */ A /* b */ { /* c */ string /* d */ f /* e */ = /* g */ 1 /* h */ ; /* i */ }";
    expect(fieldOf(read(proto), "A", "f").proto?.number).toBe(1);
  });
});
