import { describe, expect, it } from "vitest";
import { head, problemsOf } from "../../unit/generator/input/proto/reading.js";
import { fromFile, fromSource } from "../../oracle/subjects.js";
import { findSource, generateFrom, libraryOptions, sourceOf } from "../../support/output.js";
import { typeProblems } from "../../product/types/compile.js";
import { errorWith } from "../../support/errors.js";

// Failures that fuzzing has found, with one example each.

describe("a decoder refuses data without a form in JSON", () => {
  const subject = fromFile("everything", "test", "fixtures", "everything", "everything.proto");

  it.each([
    ["a type URL without a slash", "ea01030a0178"],
    ["an empty path in a field mask", "42080a000a0462325f63"],
    ["a path with an invalid character in a field mask", "42040a026101"],
  ])("the decoder refuses %s", async (_, bytes) => {
    const decode = (await subject.load("protobuf"))("decodeWellKnown");
    expect(() => decode(Buffer.from(bytes, "hex"))).toThrow(errorWith({ name: "DecodeError" }));
  });
});

it("a required field that is always null is restored when its message is read", async () => {
  const imports = ["protobuf/struct", "api/field_behavior"]
    .map((name) => `import "google/${name}.proto";\n`)
    .join("");
  const field = "google.protobuf.NullValue n = 1 [(google.api.field_behavior) = REQUIRED];";
  const { load } = fromSource("required-null", sourceOf(`${head}${imports}message A { ${field} }`));
  const codec = await load("protobuf");
  expect(codec("decodeA")(codec("encodeA")({ n: null }))).toEqual({ n: null });
});

it("the output compiles with unusual names and types", async () => {
  const protos = [
    "message A { oneof class { string x = 1; int32 y = 2; } }",
    "message A { oneof is_b_at { B x = 1; int32 y = 2; } }\nmessage B { A a = 1; }",
    "message A { oneof o { string constructor = 1; double y = 2; } }",
    "message A { string x = 1 [(google.api.field_behavior) = REQUIRED]; A constructor = 2; }",
    "message A { map<bool, google.protobuf.Empty> m = 1; }",
    "message A { repeated google.protobuf.Empty l = 1; }",
    "message A { repeated google.protobuf.NullValue l = 1; }",
  ];
  const imports = ["empty", "struct"]
    .map((name) => `import "google/protobuf/${name}.proto";\n`)
    .join("");
  const outputs = await Promise.all(
    protos.map((text) => generateFrom(sourceOf(head + imports + text), libraryOptions)),
  );
  expect(await typeProblems(...outputs), protos.join("\n")).toEqual([]);
});

describe("a manifest", () => {
  it("a manifest may have the key `__proto__`, which changes no object", () => {
    const { manifests, ...source } = findSource("1.0");
    const changed = manifests.map(({ file, text }) => ({
      file,
      text: text.replace("  GetTask:", "  __proto__: {}\n  GetTask:"),
    }));
    const [found] = problemsOf({ ...source, manifests: changed });
    expect(found).toMatch(
      /^spec\/1\.0\/manifest\.yaml:\d+:\d+: the specification has no operation "__proto__"/,
    );
  });

  it("the error for a manifest without a key that the schema's errors require names the manifest", () => {
    const { schema, ...source } = findSource("0.2.1");
    const text = schema?.text.replaceAll("InternalError", "index") ?? "";
    const found = problemsOf({ ...source, schema: { file: "a2a.json", text } });
    expect(found).toContainEqual(
      expect.stringMatching(/^[\w./-]+:\d+:\d+: index requires http and grpc/),
    );
  });
});
