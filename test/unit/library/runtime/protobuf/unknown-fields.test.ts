import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { beforeAll, describe, expect, it } from "vitest";
import type { Message, SendMessageRequest } from "../../../../../generated/1.0/models.js";
import * as pb from "../../../../../generated/1.0/protobuf.js";
import { unknownFields } from "../../../../../generated/1.0/protobuf.js";
import { DecodeError } from "../../../../../library/runtime/protobuf/wire-errors.js";
import {
  isMessage,
  parseMessage,
  validateMessage,
} from "../../../../../generated/1.0/validators.js";
import { fromFile, type Module } from "../../../../oracle/subjects.js";

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");

/** A field without a name, of the number of its wire type and more. */
function field(number: number, text: string): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).string(text).finish();
}

const known: Message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }] };

function decoded(...more: readonly Uint8Array[]): Message & pb.UnknownFields {
  return pb.decodeMessage(Buffer.concat([pb.encodeMessage(known), ...more]));
}

describe("unknown fields of a message", () => {
  it("unknown fields are written after the known fields, in their order", () => {
    const bytes = Buffer.concat([
      field(2 ** 29 - 1, "a"),
      pb.encodeMessage(known),
      field(99, "b"),
      field(100, "c"),
    ]);
    const unknown = [field(2 ** 29 - 1, "a"), field(99, "b"), field(100, "c")];
    expect(hex(pb.encodeMessage(pb.decodeMessage(bytes)))).toBe(
      hex(Buffer.concat([pb.encodeMessage(known), ...unknown])),
    );
  });

  it("unknown fields are kept for each message, and joined if a message arrives in several parts", () => {
    const [first, second] = [field(50, "first"), field(50, "second")];
    const part = (bytes: Uint8Array): Uint8Array =>
      new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(bytes).finish();
    const outer = field(60, "outer");
    const request: SendMessageRequest & pb.UnknownFields = pb.decodeSendMessageRequest(
      Buffer.concat([part(Buffer.concat([pb.encodeMessage(known), first])), outer, part(second)]),
    );
    const message: Message & pb.UnknownFields = request.message;
    expect(hex(message[unknownFields])).toBe(hex(Buffer.concat([first, second])));
    expect(hex(request[unknownFields])).toBe(hex(outer));
  });

  it("unknown fields are kept if a message is spread, and can be removed", () => {
    const changed = { ...decoded(field(99, "more")), contextId: "c-1" };
    expect(hex(pb.encodeMessage(changed))).toBe(
      hex(pb.encodeMessage({ ...known, contextId: "c-1" })) + hex(field(99, "more")),
    );
    delete changed[unknownFields];
    expect(hex(pb.encodeMessage(changed))).toBe(
      hex(pb.encodeMessage({ ...known, contextId: "c-1" })),
    );
  });

  it("unknown fields are invisible to JSON, validators and clones", () => {
    const message = decoded(field(99, "more"));
    expect(Object.getOwnPropertySymbols(message)).toEqual([unknownFields]);
    expect(JSON.stringify(message)).toBe(JSON.stringify(known));
    expect([isMessage(message), validateMessage(message).issues]).toEqual([true, undefined]);
    expect([parseMessage(message), structuredClone(message)]).toStrictEqual([known, known]);
  });

  it("unknown fields do not share memory with the input", () => {
    const more = field(99, "more");
    const bytes = new Uint8Array(
      Buffer.concat([
        new BinaryWriter().tag(3, WireType.LengthDelimited).string("x".repeat(1e6)).finish(),
        more,
      ]),
    );
    const message: Message & pb.UnknownFields = pb.decodeMessage(bytes);
    bytes.fill(0);
    expect(hex(message[unknownFields])).toBe(hex(more));
    expect(message[unknownFields]?.buffer.byteLength).toBe(more.length);
  });

  it("any number of unknown fields takes linear time and memory", () => {
    const count = 400_000;
    const message = decoded(
      new Uint8Array(
        Buffer.concat(new Array<Uint8Array>(count).fill(Uint8Array.of(0x98, 0x06, 1))),
      ),
    );
    const kept = message[unknownFields];
    expect(kept?.length).toBe(3 * count);
    expect(kept?.buffer.byteLength).toBeLessThanOrEqual(6 * count);
  });

  it("unknown fields must be well-formed", () => {
    for (const bytes of [
      [0x9b, 0x06],
      [0x9c, 0x06],
      [0x9e, 0x06, 1],
      [0x9a, 0x06, 5, 1],
      [0x98, 0x06],
      [0, 1],
    ])
      expect(() => decoded(Uint8Array.from(bytes))).toThrow(DecodeError);
  });
});

describe("an Any", () => {
  let codec: Module;

  beforeAll(async () => {
    codec = await fromFile("any", "test", "fixtures", "everything", "everything.proto").load(
      "protobuf",
    );
  });

  it.each([
    ["fields that are unknown to its version", [0x0a, 1, 0x61, 0x98, 0x06, 1]],
    ["numbers of enum values without a name", [0x10, 99]],
  ])("an Any keeps %s", (_, message) => {
    const any = new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .string("type.googleapis.com/every.thing.v1.Nested.Inner")
      .tag(2, WireType.LengthDelimited)
      .bytes(Uint8Array.from(message));
    const bytes = new BinaryWriter().tag(9, WireType.LengthDelimited).bytes(any.finish()).finish();
    const again = codec("encodeWellKnown")(codec("decodeWellKnown")(bytes));
    expect(hex(again as Uint8Array)).toBe(hex(bytes));
  });
});
