import { expect, it } from "vitest";
import {
  FrameReader,
  FrameWriter,
} from "../../../../../library/runtime/bindings/http2/server-frames.js";
import { prefixLength } from "../../../../../library/runtime/bindings/http2/server-call.js";
import fc from "../../../../support/properties.js";

const messages = fc.array(fc.uint8Array({ maxLength: 3_000, size: "max" }), { maxLength: 8 });

/** Returns a message with room for its prefix. */
function framed(message: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.alloc(prefixLength, 0xff), message]);
}

it("a reader returns the messages of a writer, however they are collected and split", () => {
  fc.assert(
    fc.property(
      messages,
      fc.integer({ min: 0, max: 255 }),
      fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1 }),
      (sent, takes, sizes) => {
        const writer = new FrameWriter();
        const blocks: Uint8Array[] = [];
        for (const [index, message] of sent.entries()) {
          writer.add(framed(message));
          if ((takes >> index) % 2 === 1) blocks.push(writer.take());
        }
        blocks.push(writer.take());
        const bytes = Buffer.concat(blocks);
        const reader = new FrameReader(3_000, "identity");
        const received: Buffer[] = [];
        let at = 0;
        for (let turn = 0; at < bytes.length; turn += 1) {
          const end = at + (sizes[turn % sizes.length] ?? 1);
          for (const frame of reader.push(bytes.subarray(at, end))) received.push(frame.bytes);
          at = end;
        }
        expect(reader.isComplete).toBe(true);
        expect(received.map((message) => message.toString("hex"))).toEqual(
          sent.map((message) => Buffer.from(message).toString("hex")),
        );
      },
    ),
  );
});
