import fc from "../../../../support/properties.js";
import { Writer as PeerWriter } from "protobufjs/minimal.js";
import { describe, expect, it } from "vitest";
import { formatTimestamp } from "../../../../../library/runtime/base/time.js";
import { base64Of, bytesOfBase64 } from "../../../../../library/runtime/protobuf/base64.js";
import { Reader } from "../../../../../library/runtime/protobuf/bytes-reader.js";
import { encodeAfter, Writer } from "../../../../../library/runtime/protobuf/bytes-writer.js";
import { DecodeError, EncodeError } from "../../../../../library/runtime/protobuf/wire-errors.js";

/** Lengths near the limits at which the algorithm changes. */
const lengths = [
  0, 1, 12, 19, 20, 21, 42, 63, 64, 65, 127, 128, 129, 5_461, 16_383, 16_384, 65_536, 65_537,
  80_000,
];
const letters = ["a", "é", "漢", "😀", "\ufffd"];
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("strings in protobuf", () => {
  it.each(lengths)(
    "a string of length %i is written as protobufjs writes it, and read again",
    (length) => {
      for (const letter of letters) {
        for (const text of [
          letter.repeat(length),
          `${"a".repeat(length)}${letter}`,
          `${letter}${"a".repeat(length)}`,
        ]) {
          const bytes = new Writer().uint32(10).string(text).bool(true).finish();
          expect(hex(bytes)).toBe(
            hex(PeerWriter.create().uint32(10).string(text).bool(true).finish()),
          );
          const reader = new Reader(bytes);
          expect([reader.uint32(), reader.string(), reader.bool(), reader.pos]).toEqual([
            10,
            text,
            true,
            bytes.length,
          ]);
        }
      }
    },
  );

  it("half of a surrogate pair is written as U+FFFD", () => {
    for (const text of ["\ud83d", `${"a".repeat(100)}\ude00`])
      expect(new Reader(new Writer().string(text).finish()).string()).toBe(
        text.replace(/\p{Surrogate}/gu, "\ufffd"),
      );
  });

  it.each([1, 30, 200])("invalid UTF-8 is refused after %i characters", (length) => {
    const bytes = new Writer()
      .bytes(Uint8Array.of(...new Array<number>(length).fill(97), 0xc3))
      .finish();
    expect(() => new Reader(bytes).string()).toThrow(DecodeError);
  });
});

describe("keys in protobuf", () => {
  it("a key is read like a string, even if keys with the same hash replace each other in the cache", () => {
    const keys = fc.array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 24 }),
        fc.constantFrom("", "a", "é", "__proto__"),
      ),
    );
    fc.assert(
      fc.property(keys, (given) => {
        const texts = [
          ...given,
          ...Array.from({ length: 300 }, (_, index) => `k${String(index)}`),
          ...given,
        ];
        const bytes = texts.reduce((writer, text) => writer.string(text), new Writer()).finish();
        const [one, other] = [new Reader(bytes), new Reader(bytes)];
        for (let left = texts.length; left > 0; left -= 1)
          expect([one.key(), one.pos]).toEqual([other.string(), other.pos]);
      }),
      { numRuns: 30 },
    );
  });

  it("a key of invalid UTF-8 is refused each time", () => {
    const bytes = new Writer().bytes(Uint8Array.of(97, 0xff)).finish();
    for (let time = 0; time < 2; time += 1)
      expect(() => new Reader(bytes).key()).toThrow(DecodeError);
  });
});

describe("nested messages in protobuf", () => {
  it.each(lengths)("a nested message is moved by the size of its length: %i bytes", (length) => {
    const bytes = new Uint8Array(length).fill(7);
    const write = (writer: Writer | PeerWriter) => {
      for (let level = 0; level < 5; level += 1) writer.uint32(10).fork();
      writer.bytes(bytes);
      for (let level = 0; level < 5; level += 1) writer.ldelim();
      return writer.uint32(3).finish();
    };
    expect(hex(write(new Writer()))).toBe(hex(write(PeerWriter.create())));
  });

  it("a nested message does not share memory with the next message", () => {
    const first = new Writer().string("first").finish();
    new Writer().string("other").finish();
    expect(new Reader(first).string()).toBe("first");
  });
});

describe("numbers in protobuf", () => {
  it.each(["", "one", "1.5", "1e3", "0x10", " 1"])(
    "a 64-bit number must be decimal, not %j",
    (text) => {
      expect(() => new Writer().int64(text)).toThrow(EncodeError);
    },
  );

  it("a 64-bit number is read as the nearest number", () => {
    const bounds = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(bounds), fc.bigInt({ min: -3n, max: 3n }), fc.maxSafeInteger()),
        (value) => {
          const reader = new Reader(new Writer().int64(String(value)).finish());
          expect(reader.integer()).toBe(Number(value));
        },
      ),
    );
  });

  it("a truncated number is refused", () => {
    for (const bytes of [Uint8Array.of(), Uint8Array.of(0x80), new Uint8Array(11).fill(0x80)])
      for (const kind of ["uint32", "int64", "bool"] as const)
        expect(() => new Reader(bytes)[kind]()).toThrow(DecodeError);
  });
});

describe("timestamps in protobuf", () => {
  it("a timestamp is formatted like a Date, whichever day was formatted before", () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
    fc.assert(
      fc.property(
        fc.oneof(seconds, fc.integer({ min: -172_800, max: 172_800 })),
        fc.nat(999),
        (second, milliseconds) => {
          const expected = new Date(second * 1000 + milliseconds)
            .toISOString()
            .replace(".000Z", "Z");
          expect(formatTimestamp({ seconds: second, nanos: milliseconds * 1_000_000 })).toBe(
            expected,
          );
        },
      ),
    );
  });
});

describe("base64", () => {
  it("base64 is compatible with Node in both directions, with and without padding, in both alphabets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const [text, forUrls] = [
          Buffer.from(bytes).toString("base64"),
          Buffer.from(bytes).toString("base64url"),
        ];
        expect(base64Of(bytes)).toBe(text);
        for (const given of [text, forUrls]) expect(hex(bytesOfBase64(given))).toBe(hex(bytes));
      }),
    );
  });

  it.each(["a", "aaaaa", "aa=a", "é", "aa a", "===="])("invalid base64 is refused: %j", (text) => {
    expect(() => bytesOfBase64(text)).toThrow(EncodeError);
  });
});

describe("messages after a prefix", () => {
  it("the message alone is the same as without a prefix, with values of any length", () => {
    const written = (length: number): Uint8Array => {
      const outer = new Writer();
      // The value of a type such as Any is encoded while its message is being encoded.
      const inner = new Writer().string("inner").finish();
      outer.uint32(10).bytes(inner);
      return outer.uint32(18).fork().raw(new Uint8Array(length)).ldelim().finish();
    };
    for (const length of lengths) {
      const frame = encodeAfter(5, () => written(length));
      expect(hex(frame.subarray(5))).toBe(hex(written(length)));
    }
  });

  it("the next message has no prefix, also if the encoding has failed", () => {
    expect(encodeAfter(5, () => new Writer().bool(true).finish())).toHaveLength(6);
    expect(() =>
      encodeAfter(5, () => {
        throw new EncodeError("refused");
      }),
    ).toThrow("refused");
    expect([...new Writer().bool(true).finish()]).toEqual([1]);
  });

  it("a message without a writer is copied behind the prefix", () => {
    const frame = encodeAfter(2, () => {
      new Writer().bool(true).finish();
      return Uint8Array.of(7, 8);
    });
    expect([...frame]).toEqual([0, 0, 7, 8]);
  });

  it("messages of several calls do not share bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 2 }), (messages) => {
        const frames = messages.map((bytes) =>
          encodeAfter(5, () => new Writer().raw(bytes).finish()),
        );
        expect(frames.map((frame) => hex(frame.subarray(5)))).toEqual(messages.map(hex));
      }),
    );
  });
});
