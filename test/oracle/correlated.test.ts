import { isDeepStrictEqual } from "node:util";
import {
  create,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
  type DescMessage,
  type JsonValue,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc, { arbitrary } from "../support/properties.js";
import { beforeAll, describe, expect, it } from "vitest";
import { emit, readVersion, subjects, type Emitted } from "../behaviour/fidelity/versions.js";
import { respell } from "./bytes.js";
import { casesOf, eachType } from "./cases.js";
import { Random } from "../support/random/random.js";
import { reflect } from "./reflection.js";

describe.each(subjects)(
  "the codecs and the ProtoJSON of $name",
  ({ name: subject, source, shared }) => {
    const { messages, values, filled, expected, wire } = readVersion(source);
    const registry = reflect(subject, source);
    let emitted: Emitted;

    beforeAll(async () => {
      emitted = await emit(source);
    });

    const names = messages.map(({ name }) => name);
    it("every message with content is compared", () => {
      expect(messages.length).toBeGreaterThan(0);
      expect(wire.messages.length - messages.length).toBeLessThan(2);
    });

    it("unknown fields are kept, except for messages that are not objects of their own", () => {
      const unknown = new BinaryWriter().tag(5_000, WireType.Varint).uint32(1).finish();
      const others = messages.filter(({ name, model }) => {
        const value = values.of(model, new Random(1));
        const bytes = Buffer.concat([emitted.encode(name, value), unknown]);
        const again = emitted.encode(name, emitted.decode(name, bytes));
        return Buffer.compare(again.subarray(-unknown.length), unknown) !== 0;
      });
      expect(others.map(({ name }) => name).sort()).toEqual(shared);
    });

    eachType(
      names,
      "the codec of %s writes and reads the same as protobuf-es, except for the reported losses",
      (name) => {
        const { fullName = "", model } = messages.find((message) => message.name === name) ?? {};
        const found = registry.getMessage(fullName);
        if (found === undefined || model === undefined)
          throw new Error(`protobuf-es has no ${name}`);
        const property = fc.property(
          arbitrary((random) => values.of(model, random)),
          fc.nat(),
          (value, spelling) => {
            const bytes = emitted.encode(name, value);
            const json = emitted.toProtoJson(name, value);
            // An id that comes twice contradicts the resource name that it is a part of.
            const others = respell(bytes, found, new Random(spelling), { replaced: false });
            const problem =
              problemOfBytes(found, bytes, json) ?? problemOfOthers(emitted, name, others, bytes);
            if (problem !== undefined) throw new Error(`${problem}\nfor ${JSON.stringify(value)}`);
            const overGrpc = emitted.decode(name, bytes);
            const overHttp = emitted.fromProtoJson(name, JSON.parse(JSON.stringify(json)));
            expect(overGrpc).toEqual(expected(model, value, "grpc"));
            expect(overHttp).toEqual(expected(model, value, "rest"));
            if ("name" in model)
              expect([overGrpc, overHttp].map((one) => emitted.is(model.name, one))).toEqual([
                true,
                true,
              ]);
          },
        );
        fc.assert(property, { numRuns: casesOf(1_000) });
        const theirs = fc.property(
          arbitrary((random) => filled.of(model, random)),
          (value) => {
            const json: unknown = toJson(found, fromBinary(found, emitted.encode(name, value)));
            expect(emitted.fromProtoJson(name, json)).toEqual(expected(model, value, "grpc"));
          },
        );
        fc.assert(theirs, { numRuns: casesOf(100) });
      },
    );
  },
);

/**
 * Bytes and ProtoJSON of one value must be the same message to protobuf-es, and the bytes must
 * equal its output.
 */
function problemOfBytes(message: DescMessage, bytes: Uint8Array, json: unknown) {
  const read = fromBinary(message, bytes);
  const again = toBinary(message, read);
  if (Buffer.compare(bytes, again) !== 0)
    return `the bytes are ${hex(bytes)}, and not ${hex(again)}`;
  const [left, right] = [toJson(message, read), toJson(message, readJson(message, json))];
  return isDeepStrictEqual(left, right)
    ? undefined
    : `as bytes it is ${JSON.stringify(left)}, and not ${JSON.stringify(right)}`;
}

function readJson(message: DescMessage, json: unknown) {
  return json === undefined ? create(message) : fromJson(message, json as JsonValue);
}

/** Variants of the bytes must be read as the same message. */
function problemOfOthers(emitted: Emitted, name: string, others: Uint8Array, bytes: Uint8Array) {
  // Unknown fields are not part of the JSON, so a clone must not contain them.
  const [left, right] = [others, bytes].map((each) => structuredClone(emitted.decode(name, each)));
  if (isDeepStrictEqual(left, right)) return undefined;
  return `${hex(others)} is read as ${JSON.stringify(left)}, and not ${JSON.stringify(right)}`;
}

function hex(bytes: Uint8Array) {
  return Buffer.from(bytes).toString("hex");
}
