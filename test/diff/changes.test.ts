import { describe, expect, it } from "vitest";
import { packageFolder } from "../../generator/assets.js";
import { compareProtocols } from "../../generator/diff/compare.js";
import { lineOf } from "../../generator/diff/report.js";
import type { Change } from "../../generator/diff/types.js";
import { specRegistry } from "../../generator/project.js";
import { head, readSource } from "../generator/reading.js";
import { findSource, sourceOf } from "../support/output.js";

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

/** What an edit of the proto changes: a line for each change, with the surfaces that it breaks. */
function changesOf(edit: (text: string) => string): string[] {
  const [from, to] = [body, edit(body)].map((text) => readSource(sourceOf(head + text)));
  if (from === undefined || to === undefined) throw new Error("There are two");
  expect(edit(body), "the edit finds its place").not.toBe(body);
  return compareProtocols(from, to).map(textOf);
}

function textOf(change: Change): string {
  const broken = Object.keys(change.breaks).join(", ");
  return `${lineOf(change)}${broken === "" ? "" : ` [${broken}]`}`;
}

const versions = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);

describe("two equal specifications", () => {
  it.each(versions)("(%s) differ in nothing", (version) => {
    const protocol = readSource(findSource(version));
    expect(compareProtocols(protocol, protocol)).toEqual([]);
  });

  it("are equal in whatever order they are written", () => {
    const edit = (text: string) =>
      text.replace(
        "string id = 1 [(google.api.field_behavior) = REQUIRED]; int32 size = 2;",
        "int32 size = 2; string id = 1 [(google.api.field_behavior) = REQUIRED];",
      );
    expect(changesOf(edit)).toEqual([]);
  });
});

describe("a change of a proto", () => {
  it.each<[string, [string, string], string[]]>([
    [
      "a field that is added",
      ["int32 size = 2;", "int32 size = 2; bool open = 9;"],
      ["added Box.open: optional bool", "added Box.open: bool = 9"],
    ],
    [
      "a required field that is added",
      ["int32 size = 2;", "int32 size = 2; bool open = 9 [(google.api.field_behavior) = REQUIRED];"],
      ["added Box.open: required bool [source, json]", "added Box.open: bool = 9"],
    ],
    [
      "a field that is removed",
      ["int32 size = 2;", ""],
      ["removed Box.size [source, json]", "removed Box.size: int32 = 2 [protobuf]"],
    ],
    [
      "another number",
      ["int32 size = 2;", "int32 size = 7;"],
      ["changed Box.size: int32 = 2 → int32 = 7 [protobuf]", "added Box.size: int32 = 7"],
    ],
    [
      "another type",
      ["int32 size = 2;", "string size = 2;"],
      ["changed Box.size: int32 → string [source, json]", "changed Box.size: int32 = 2 → string = 2 [protobuf]"],
    ],
    [
      "another type of the same bytes, with another form in JSON",
      ["int32 size = 2;", "int64 size = 2;"],
      ["changed Box.size: int32 → int64 [source, json]", "changed Box.size: int32 = 2 → int64 = 2"],
    ],
    [
      "another type of the same form in JSON, with other bytes",
      ["int32 size = 2;", "sint32 size = 2;"],
      ["changed Box.size: int32 = 2 → sint32 = 2 [protobuf]"],
    ],
    [
      "a list in place of one",
      ["int32 size = 2;", "repeated int32 size = 2;"],
      [
        "changed Box.size: int32 → list of int32 [source, json]",
        "changed Box.size: int32 = 2 → list of int32 = 2 [protobuf]",
      ],
    ],
    [
      "another name for a number",
      ["int32 size = 2;", "int32 width = 2;"],
      ["removed Box.size [source, json]", "added Box.width: optional int32", "renamed Box.size → width"],
    ],
    [
      "a number that is used again",
      ["int32 size = 2;", "string name = 2;"],
      [
        "removed Box.size [source, json]",
        "added Box.name: optional string",
        "changed Box.size: int32 = 2 → name: string = 2 [protobuf]",
      ],
    ],
    [
      "another JSON name",
      ["int32 size = 2;", 'int32 size = 2 [json_name = "width"];'],
      ["removed Box.size [source, json]", "added Box.width: optional int32"],
    ],
    [
      "a field that becomes required",
      ["repeated string tags = 4;", "repeated string tags = 4 [(google.api.field_behavior) = REQUIRED];"],
      [
        "changed Box.tags: optional → required [source, json]",
        "changed Box.tags: any number of elements → at least one element [json]",
      ],
    ],
    [
      "a field that is no longer required",
      ["string id = 1 [(google.api.field_behavior) = REQUIRED];", "string id = 1;"],
      ["changed Box.id: required → optional [source, json]"],
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
      "an enum value that is added",
      ["MOOD_BAD = 2;", "MOOD_BAD = 2; MOOD_ODD = 3;"],
      ['added Mood.Odd: "MOOD_ODD"', "added Mood.MOOD_ODD: 3"],
    ],
    [
      "an enum value that is removed",
      ["MOOD_BAD = 2;", ""],
      ["removed Mood.Bad [source, json]", "removed Mood.MOOD_BAD: 2 [protobuf]"],
    ],
    [
      "enum values that change places",
      ["MOOD_GOOD = 1; MOOD_BAD = 2;", "MOOD_GOOD = 2; MOOD_BAD = 1;"],
      ["renamed Mood.MOOD_GOOD → MOOD_BAD [protobuf]", "renamed Mood.MOOD_BAD → MOOD_GOOD [protobuf]"],
    ],
    ["a message that is added", ["message Lid", "message New {} message Lid"], ["added New", "added p.New"]],
    ["an rpc that is removed", ["rpc Shut(Box) returns (stream Lid);", ""], ["removed shut [source, json, protobuf]"]],
    [
      "an rpc that streams no longer",
      ["returns (stream Lid)", "returns (Lid)"],
      ["changed shut streaming: server → none [source, json, protobuf]"],
    ],
    [
      "another route",
      ['post: "/open"', 'post: "/opened"'],
      ["removed route of open: POST /open [json]", "added route of open: POST /opened"],
    ],
    ["another request", ["rpc Shut(Box)", "rpc Shut(Lid)"], ["changed shut request: Box → Lid [source, json]"]],
  ])("(%s) is found and rated", (_, [from, to], lines) => {
    expect(changesOf((text) => text.replace(from, to))).toEqual(lines);
  });

  it("(a type that looks like one that is gone) is a rename", () => {
    expect(changesOf((text) => text.replaceAll("Box", "Crate"))).toEqual([
      "renamed Box → Crate [source]",
      "renamed p.Box → p.Crate",
    ]);
  });
});

describe("the differences of published versions", () => {
  const linesOf = (from: string, to: string) =>
    compareProtocols(readSource(findSource(from)), readSource(findSource(to))).map(textOf);

  it("from 0.2.6 to 0.3.0 are additions, but for what is said about the version", () => {
    const lines = linesOf("0.2.6", "0.3.0");
    expect(lines).toContain("added AgentCard.signatures: optional list of AgentCardSignature");
    expect(lines).toContain("added member of SecurityScheme: MutualTLSSecurityScheme");
    expect(lines.filter((line) => line.endsWith("]"))).toEqual([
      "changed version on the wire: 0.2 → 0.3 [json]",
      "changed path of the agent card: /.well-known/agent.json → /.well-known/agent-card.json [json]",
    ]);
  });

  it("from 1.0.0 to 1.0.1 are statuses and a media type", () => {
    expect(linesOf("1.0.0", "1.0").every((line) => /^changed (media type|\w+Error on (HTTP|gRPC))/.test(line))).toBe(
      true,
    );
  });

  it.each([
    "changed method of sendMessage: message/send → SendMessage [json]",
    "renamed AgentCard.security → securityRequirements [source, json]",
    "renamed MessageSendConfiguration → SendMessageConfiguration",
    'changed TaskState.InputRequired: "input-required" → "TASK_STATE_INPUT_REQUIRED" [json]',
    "renamed AuthenticatedExtendedCardNotConfiguredError → ExtendedAgentCardNotConfiguredError",
    "removed Task.kind [source, json]",
    "changed proto package: a2a.v1 → lf.a2a.v1 [protobuf]",
    "changed Artifact.name: string = 3 → description: string = 3 [protobuf]",
  ])("from 0.3.0 to 1.0 have: %s", (line) => {
    expect(linesOf("0.3.0", "1.0")).toContain(line);
  });
});
