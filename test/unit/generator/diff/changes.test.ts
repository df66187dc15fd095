import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../../support/package-folder.js";
import { compareProtocols } from "../../../../generator/diff/compare.js";
import { lineOf } from "../../../../generator/diff/report.js";
import type { Change } from "../../../../generator/diff/types.js";
import { specRegistry } from "../../../../generator/input/registry.js";
import { head, readSource } from "../input/proto/reading.js";
import { findSource, sourceOf } from "../../../support/output.js";

const body = `
import "google/api/field_behavior.proto";
import "google/api/annotations.proto";
message Box { string id = 1 [(google.api.field_behavior) = REQUIRED]; int32 size = 2; Mood mood = 3; repeated string tags = 4; }
message Lid { string id = 1; oneof kind { string round = 2; string square = 3; } }
enum Mood { MOOD_UNSPECIFIED = 0; MOOD_GOOD = 1; MOOD_BAD = 2; }
service S {
  rpc Open(Box) returns (Lid) { option (google.api.http) = { post: "/open" body: "*" }; }
  rpc Shut(Box) returns (stream Lid);
}`;

/**
 * Returns the changes that an edit of the proto makes: a line for each, with the surfaces that it
 * breaks.
 */
function changesOf(edit: (text: string) => string) {
  const [from, to] = [body, edit(body)].map((text) => readSource(sourceOf(head + text)));
  if (from === undefined || to === undefined) throw new Error("There are two");
  expect(edit(body), "the edit finds its place").not.toBe(body);
  return compareProtocols(from, to).map(textOf);
}

function textOf(change: Change) {
  const broken = Object.keys(change.breaks).join(", ");
  return `${lineOf(change)}${broken === "" ? "" : ` [${broken}]`}`;
}

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);

describe("the comparison of a specification with itself", () => {
  it.each(versions)("the comparison finds no change in A2A %s", (version) => {
    const protocol = readSource(findSource(version));
    expect(compareProtocols(protocol, protocol)).toEqual([]);
  });

  it("the comparison finds no change if only the order of fields differs", () => {
    const edit = (text: string) =>
      text.replace(
        "string id = 1 [(google.api.field_behavior) = REQUIRED]; int32 size = 2;",
        "int32 size = 2; string id = 1 [(google.api.field_behavior) = REQUIRED];",
      );
    expect(changesOf(edit)).toEqual([]);
  });
});

describe("the comparison of two protos", () => {
  it.each<[string, [string, string], string[]]>([
    [
      "a field with another type",
      ["int32 size = 2;", "string size = 2;"],
      [
        "changed Box.size: int32 → string [source, json]",
        "changed Box.size: int32 = 2 → string = 2 [protobuf]",
      ],
    ],
    [
      "a field with another type that has the same bytes and another form in JSON",
      ["int32 size = 2;", "int64 size = 2;"],
      ["changed Box.size: int32 → int64 [source, json]", "changed Box.size: int32 = 2 → int64 = 2"],
    ],
    [
      "a field with the same number and another name",
      ["int32 size = 2;", "int32 width = 2;"],
      ["renamed Box.size → width [source, json]"],
    ],
    [
      "a reused field number",
      ["int32 size = 2;", "string name = 2;"],
      [
        "removed Box.size [source, json]",
        "added Box.name: optional string",
        "removed Box.size: int32 = 2 [protobuf]",
        "added Box.name: string = 2",
      ],
    ],
    [
      "a field that leaves a oneof",
      ["string square = 3; } }", "} string square = 3; }"],
      [
        "changed Lid.square: in the oneof kind → in no oneof [source, json]",
        "changed Lid.square: in kind → in no oneof [protobuf]",
      ],
    ],
    [
      "a renamed rpc with a route",
      ["rpc Open(Box)", "rpc Lift(Box)"],
      ["renamed open → lift [source]", "changed open rpc: /p.S/Open → /p.S/Lift [protobuf]"],
    ],
    [
      "a renamed field by its number, next to a new field,",
      ["int32 size = 2;", "int32 width = 2; int32 height = 9;"],
      [
        "renamed Box.size → width [source, json]",
        "added Box.height: optional int32",
        "added Box.height: int32 = 9",
      ],
    ],
  ])("the comparison finds %s and what it breaks", (_, [from, to], lines) => {
    expect(changesOf((text) => text.replace(from, to))).toEqual(lines);
  });

  it("the comparison treats an added type that resembles a removed type as renamed", () => {
    expect(changesOf((text) => text.replaceAll("Box", "Crate"))).toEqual([
      "renamed Box → Crate [source]",
      "renamed message Box → Crate",
    ]);
  });
});
