import { describe, expect, it } from "vitest";
import { readImports } from "../../../../generator/input/source.js";
import { sourceOf } from "../../../support/output.js";
import { fieldOf, head, problemsOf, read } from "../input/proto/reading.js";

const shared =
  'syntax = "proto3"; package q; message Shared { string id = 1; } enum Level { LEVEL_LOW = 0; }';

describe("an import", () => {
  it("an import provides the types of another package", () => {
    const protocol = read('import "q/shared.proto"; message A { q.Shared s = 1; q.Level l = 2; }', {
      "q/shared.proto": shared,
    });
    expect(fieldOf(protocol, "A", "s").type).toEqual({ kind: "message", name: "Shared" });
    expect(fieldOf(protocol, "A", "l").type).toEqual({ kind: "enum", name: "Level" });
    expect(protocol.types.map(({ fullName }) => fullName).sort()).toEqual([
      "p.A",
      "q.Level",
      "q.Shared",
    ]);
  });

  it("an imported file may import other files", () => {
    const files = {
      "b.proto": 'syntax = "proto3"; package p; import "q/shared.proto"; message B {}',
      "q/shared.proto": shared,
    };
    expect(
      read('import "b.proto"; message A { B b = 1; }', files)
        .types.map(({ name }) => name)
        .sort(),
    ).toEqual(["A", "B", "Level", "Shared"]);
  });

  it("imports may be circular", () => {
    const files = {
      "b.proto": `${head}import "c.proto"; message B { C c = 1; }`,
      "c.proto": `${head}import "b.proto"; import "c.proto"; message C { B b = 1; }`,
    };
    expect(read('import "b.proto"; message A { B b = 1; }', files).types).toHaveLength(3);
  });

  it("an import of well-known types or API options needs no file", () => {
    const proto = `
      import "google/protobuf/timestamp.proto";
      import "google/protobuf/descriptor.proto";
      import "google/api/annotations.proto";
      import "google/api/field_behavior.proto";
      import "google/api/client.proto";
      message A {}`;
    expect(read(proto).types).toHaveLength(1);
  });

  it("a missing import is reported with its location", () => {
    expect(problemsOf(sourceOf(`${head}import "nope.proto";\nmessage A {}`))).toEqual([
      'test.proto:3:8: the import "nope.proto" does not exist. Create the file nope.proto, or specify the folder that imports are relative to with --proto-path.',
    ]);
  });

  it("a copy of a file with well-known types is not read", () => {
    const files = {
      "google/protobuf/duration.proto":
        'syntax = "proto3"; package google.protobuf; message Duration { int64 seconds = 1; }',
      "google/protobuf/descriptor.proto":
        'syntax = "proto2"; package google.protobuf; message FieldOptions {}',
    };
    const imports = Object.keys(files)
      .map((path) => `import "${path}";`)
      .join(" ");
    const options = "google.protobuf.FieldOptions options = 2;";
    const protocol = read(
      `${imports} message A { google.protobuf.Duration wait = 1; ${options} }`,
      files,
    );
    expect(fieldOf(protocol, "A", "wait").type).toEqual({
      kind: "wellKnown",
      wellKnown: "Duration",
    });
    expect(
      problemsOf(
        sourceOf(`${head}${imports}\nmessage A { google.protobuf.Duraton wait = 1; }`, files),
      ),
    ).toEqual([expect.stringMatching(/^test\.proto:4:\d+: .*"google\.protobuf\.Duraton"/)]);
  });

  it("a mistake in an imported file is reported with the location in this file", () => {
    const files = { "b.proto": 'syntax = "proto3";\nmessage B {\n  string f = 1\n}' };
    expect(problemsOf(sourceOf(`${head}import "b.proto";`, files))).toEqual([
      'b.proto:3:15: ";" is missing before "}". Add it.',
    ]);
  });

  it("an imported file must not declare existing names", () => {
    const files = { "b.proto": `${head}message A {}` };
    expect(problemsOf(sourceOf(`${head}import "b.proto";\nmessage A {}`, files))).toEqual([
      'b.proto:3:9: "p.A" is already declared in test.proto:4:9. Rename or remove one of them.',
    ]);
  });

  it("a change of an imported file counts as a change at any distance", () => {
    const files = {
      "b.proto": `${head}import "c.proto";`,
      "c.proto": `${head}import "b.proto"; message C {}`,
    };
    expect(
      readImports(sourceOf(`${head}import "b.proto";`, files)).map(({ file }) => file),
    ).toEqual(["b.proto", "c.proto"]);
  });
});
