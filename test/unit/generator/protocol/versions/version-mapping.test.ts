import { describe, expect, it } from "vitest";
import { InputError } from "../../../../../support/diagnostics.js";
import { mapVersions } from "../../../../../generator/protocol/versions/map-versions.js";
import { checkHints } from "../../../../support/unused-hints.js";
import type { Side } from "../../../../../library/runtime/versions/conversion.js";
import { convert } from "../../../../../library/runtime/versions/convert.js";
import { sourceOf } from "../../../../support/output.js";
import { readSource } from "../../input/proto/reading.js";

const roles =
  "parse invalidRequest methodNotFound invalidParams internal unauthenticated permissionDenied unsupported contentType";

/** A version with one call, `Ask`, whose request has some fields. */
function version(number: string, fields: string, more = "", manifest = "") {
  const proto = `syntax = "proto3";
package p;
import "google/protobuf/struct.proto";
import "google/api/field_behavior.proto";
service Letters { rpc Ask(Question) returns (Answer); }
message Answer {}
message Card { repeated Face faces = 1; }
message Face { string url = 1; string binding = 2; }
message Question { ${fields} }
${more}`;
  const facts = `version: ${number}.0
wireVersion: "${number}"
headers: { version: V, extensions: E }
mediaTypes: { http: application/json }
bindings: { jsonRpc: JSONRPC, http: HTTP+JSON, grpc: GRPC }
card: { type: Card, path: /card.json, interfaces: { list: faces, url: url, binding: binding } }
errorDomain: letters.example
errors: { BrokenError: { jsonRpc: -1, http: 500, grpc: INTERNAL } }
errorRoles: { ${[...roles.split(" "), "invalidResponse"].map((role) => `${role}: BrokenError`).join(", ")} }
${manifest}`;
  return readSource(sourceOf(proto, {}, facts));
}

const legacy = (kind: string, old: string, now: string, more = "") =>
  `legacy: { ${kind}: { ${old}: { now: ${now}, since: 2.0.0${more} } } }`;

interface Example {
  readonly what: string;
  /** Fields of the request, and other types. */
  readonly earlier: readonly [fields: string, more?: string];
  readonly later: readonly [fields: string, more?: string];
  readonly manifest?: string;
  /** A request in both versions. */
  readonly values: readonly [unknown, unknown];
}

const examples: readonly Example[] = [
  {
    what: "a renamed property",
    earlier: ["string colour = 1;"],
    later: ["string color = 1;"],
    manifest: legacy("properties", "Question.colour", "Question.color"),
    values: [{ colour: "red" }, { color: "red" }],
  },
  {
    what: "an inverted boolean, including its absence",
    earlier: ["bool wait = 1;"],
    later: ["bool hurry = 1;"],
    manifest: legacy("properties", "Question.wait", "Question.hurry", ", value: opposite"),
    values: [{ wait: false }, { hurry: true }],
  },
  {
    what: "a list that became its only element",
    earlier: ["repeated string names = 1;"],
    later: ["string name = 1;"],
    manifest: legacy("properties", "Question.names", "Question.name", ", value: only"),
    values: [{ names: ["a"] }, { name: "a" }],
  },
  {
    what: "a property of an object that was flattened",
    earlier: ["Ink ink = 1;", "message Ink { string color = 1; }"],
    later: ["string color = 1;"],
    manifest: legacy("properties", "Question.ink.color", "Question.color"),
    values: [{ ink: { color: "red" } }, { color: "red" }],
  },
  {
    what: "a property that was moved into another object",
    earlier: ["bool loud = 1;"],
    later: ["Voice voice = 1;", "message Voice { bool loud = 1; }"],
    manifest: legacy("properties", "Question.loud", "Voice.loud"),
    values: [{ loud: true }, { voice: { loud: true } }],
  },
  {
    what: "a list in an object",
    earlier: ["repeated Tag tags = 1;", "message Tag { repeated string words = 1; }"],
    later: [
      "repeated Tag tags = 1;",
      "message Tag { repeated string words = 1; string color = 2; }",
    ],
    values: [{ tags: [{ words: ["a"] }] }, { tags: [{ words: ["a"] }] }],
  },
  {
    what: "the first element of a list, which was in the object",
    earlier: ["string url = 1; repeated Place more = 2;", "message Place { string address = 1; }"],
    later: ["repeated Place places = 1;", "message Place { string url = 1; }"],
    manifest: `legacy:
  properties:
    Question.url: { now: Place.url, since: 2.0.0 }
    Question.more: { now: Question.places, since: 2.0.0 }
    Place.address: { now: Place.url, since: 2.0.0 }`,
    values: [{ url: "a", more: [{ address: "b" }] }, { places: [{ url: "a" }, { url: "b" }] }],
  },
  {
    what: "values of an enum",
    earlier: ["Size size = 1;", "enum Size { SMALL = 0; BIG = 1; }"],
    later: ["Size size = 1;", "enum Size { SMALL = 0; LARGE = 1; }"],
    manifest: legacy("values", "Size.BIG", "Size.LARGE"),
    values: [{ size: "BIG" }, { size: "LARGE" }],
  },
];

describe("the mapping of two versions", () => {
  it.each(examples)("the mapping has $what", ({ earlier, later, manifest, values }) => {
    const [one, other] = [version("1.0", ...earlier), version("2.0", later[0], later[1], manifest)];
    const { types, operations } = mapVersions(one, other);
    const request = operations[0]?.request ?? { kind: "same" };
    for (const to of [0, 1] as const satisfies readonly Side[])
      expect(convert(types, request, values[to === 0 ? 1 : 0], to)).toEqual(values[to]);
  });

  it("the mapping keeps the first element once if the object and the list both have it", () => {
    const one = version(
      "1.0",
      "string url = 1; repeated Place more = 2;",
      "message Place { string address = 1; }",
    );
    const manifest = `legacy:
  properties:
    Question.url: { now: Place.url, since: 2.0.0 }
    Question.more: { now: Question.places, since: 2.0.0 }
    Place.address: { now: Place.url, since: 2.0.0 }`;
    const other = version(
      "2.0",
      "repeated Place places = 1;",
      "message Place { string url = 1; }",
      manifest,
    );
    const { types, operations } = mapVersions(one, other);
    const earlier = { url: "a", more: [{ address: "b" }, { address: "a" }] };
    expect(convert(types, operations[0]?.request ?? { kind: "same" }, earlier, 1)).toEqual({
      places: [{ url: "a" }, { url: "b" }],
    });
  });

  it("the mapping omits an object with an empty list if the other version requires an element of the list", () => {
    const required = "[(google.api.field_behavior) = REQUIRED]";
    const one = version(
      "1.0",
      "Ink ink = 1; bool loud = 2;",
      "message Ink { repeated string colors = 1; int32 drops = 2; }",
    );
    const manifest = legacy("properties", "Ink.colors", "Ink.color", ", value: only");
    const ink = `message Ink { string color = 1 ${required}; int32 drops = 2; }`;
    const { types, operations } = mapVersions(
      one,
      version("2.0", "Ink ink = 1; bool loud = 2;", ink, manifest),
    );
    const later = (ink: object) =>
      convert(types, operations[0]?.request ?? { kind: "same" }, { ink, loud: true }, 1);
    for (const empty of [{}, { colors: [] }, { colors: null }, { colors: [], drops: 1 }])
      expect(later(empty)).toEqual({ loud: true });
    expect(later({ colors: ["red"] })).toEqual({ loud: true, ink: { color: "red" } });
    // Values that are not lists are left to the validator.
    expect(later({ colors: "red" })).toEqual({ loud: true, ink: { color: "red" } });
  });

  it("the mapping lists what the other version cannot represent", () => {
    const manifest = `legacy:
  properties: { Question.names: { now: Question.name, since: 2.0.0, value: only } }
  removed: { properties: { Question.size: { since: 2.0.0, note: Nobody used it. } } }`;
    const one = version("1.0", "int32 size = 1; repeated string names = 2;");
    const { losses } = mapVersions(
      one,
      version("2.0", "int64 sum = 1; string name = 2;", "", manifest),
    );
    expect(losses.map(({ side, kind, subject }) => [side, kind, subject])).toEqual([
      [0, "form", "Question.names"],
      [0, "field", "Question.size"],
      [1, "field", "Question.sum"],
    ]);
  });

  const refusals: readonly {
    what: string;
    earlier: string;
    later: string;
    manifest?: string;
    says: string;
  }[] = [
    {
      what: "a property without a counterpart",
      earlier: "string color = 1;",
      later: "",
      says: "the field Question.color of the earlier version has no counterpart in the later one. Map it under legacy.properties, or list it under legacy.removed.properties of the later version.",
    },
    {
      what: "a required property that did not exist",
      earlier: "",
      later: "string color = 1 [(google.api.field_behavior) = REQUIRED];",
      says: "the field Question.color of the later version has no counterpart in the earlier one. Map it under legacy.properties, or list it under legacy.removed.properties of the later version.",
    },
    {
      what: "a property of another kind",
      earlier: "string color = 1;",
      later: "bool color = 1;",
      says: "Question.color is of the type string, and Question.color is of the type bool. Specify its counterpart under legacy.properties of the later version.",
    },
  ];

  it.each(refusals)("the mapping refuses $what", ({ earlier, later, manifest, says }) => {
    const map = (): unknown =>
      mapVersions(version("1.0", earlier), version("2.0", later, "", manifest));
    expect(map).toThrow(InputError);
    expect(map).toThrow(says);
  });

  it.each([
    [
      "a property that there is not",
      "fill: { Question.size: 0 }",
      [],
      '"Question.size" is listed under',
    ],
    ["a lost property that there is", "lost: [Question.color]", [], "but this version has it"],
    [
      "an override that no earlier version requires",
      "fill: { Question.color: red }",
      ["string color = 1;"],
      "no earlier version needs",
    ],
  ] as const)(
    "the mapping refuses a hint for %s and names its location",
    (_, hint, earlier, says) => {
      const check = () => {
        const later = version("2.0", "string color = 1;", "", `versions: { ${hint} }`);
        checkHints(
          later,
          earlier.map((fields) => version("1.0", fields)),
        );
      };
      expect(check).toThrow(says);
      expect(check).toThrow(/^\S+:\d+:\d+: /);
    },
  );
});
