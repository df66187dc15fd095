import { pairOf } from "../../unit/generator/protocol/correlate/correlating.js";

const text = { type: "string" };
const integer = { type: "integer" };
const list = (items: object): object => ({ type: "array", items });
const map = (additionalProperties: object): object => ({ type: "object", additionalProperties });
const ref = (name: string): object => ({ $ref: `#/definitions/${name}` });

/**
 * A schema and a proto with what no bundled version has: every scalar, packed lists, flat objects,
 * defaults of enums.
 */
export const madeUp = pairOf({
  properties: {
    count: integer,
    size: integer,
    small: { type: "integer", minimum: 0, maximum: 9 },
    big: text,
    huge: text,
    ratio: { type: "number" },
    exact: { type: "number" },
    data: text,
    blobs: list(text),
    when: text,
    wait: text,
    moments: map(text),
    anything: {},
    things: list({}),
    mood: ref("Mood"),
    moods: list(ref("Mood")),
    sizes: list(integer),
    flags: list({ type: "boolean" }),
    inner: ref("Inner"),
    extra: { type: "object", properties: { loud: { type: "boolean" }, colour: text } },
    notes: map(ref("Note")),
    content: ref("Content"),
    one: text,
    other: integer,
  },
  required: ["inner", "small", "flags", "mood"],
  definitions: {
    Mood: { enum: ["good", "very-bad"] },
    Inner: {
      type: "object",
      properties: {
        mime: text,
        rank: { type: "integer", minimum: 0, maximum: 9 },
        tags: list(text),
        note: text,
      },
      required: ["mime", "rank", "tags"],
    },
    Note: {
      type: "object",
      properties: { kind: { const: "note" }, body: text, more: ref("Note") },
      required: ["kind", "body"],
    },
    Content: { anyOf: [ref("Note"), ref("Sum")] },
    Sum: {
      type: "object",
      properties: { kind: { const: "sum" }, sum: integer },
      required: ["kind", "sum"],
    },
  },
  fields: `  int32 count = 1;
  uint32 size = 2;
  sint32 small = 3;
  sfixed64 big = 4;
  fixed64 huge = 5;
  float ratio = 6;
  double exact = 7;
  bytes data = 8;
  repeated bytes blobs = 9;
  google.protobuf.Timestamp when = 10;
  google.protobuf.Duration wait = 11;
  map<string, google.protobuf.Timestamp> moments = 12;
  google.protobuf.Value anything = 13;
  google.protobuf.ListValue things = 14;
  Mood mood = 15;
  repeated Mood moods = 16;
  repeated int32 sizes = 17;
  repeated bool flags = 18;
  string mime = 19;
  int32 rank = 20;
  repeated string tags = 21;
  string note = 22;
  bool loud = 27;
  string colour = 28;
  map<string, Note> notes = 23;
  Content content = 24;
  oneof choice {
    string one = 25;
    int32 other = 26;
  }`,
  proto: `import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
enum Mood { MOOD_GOOD = 0; MOOD_VERY_BAD = 1; }
message Note { string body = 1; Note more = 2; }
message Content { oneof content { Note note = 1; int32 sum = 2; } }`,
  correlate: `  fields:
    Question.mime: inner.mime
    Question.rank: inner.rank
    Question.tags: inner.tags
    Question.note: inner.note
    Question.loud: extra.loud
    Question.colour: extra.colour`,
});
