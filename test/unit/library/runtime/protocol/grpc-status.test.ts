import fc from "../../../../support/properties.js";
import { describe, expect, it } from "vitest";
import {
  grpcStatus,
  type A2AError,
  type ErrorDetail,
} from "../../../../../library/runtime/protocol/error.js";
import {
  errorDetails,
  readGrpcError,
} from "../../../../../library/runtime/protocol/error-form-status.js";
import {
  decodeStatus,
  encodeStatus,
  statusText,
} from "../../../../../library/runtime/bindings/grpc/status.js";
import { BookNotFound, errors } from "../client-sample.js";

const infoType = "type.googleapis.com/google.rpc.ErrorInfo";
const badRequestType = "type.googleapis.com/google.rpc.BadRequest";
const hex = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

const encoded = (error: A2AError) =>
  encodeStatus({
    code: grpcStatus[error.grpcStatus],
    message: error.message,
    details: errorDetails(error, errors),
  });

describe("a gRPC status", () => {
  it("a status contains the error, its metadata and the violations of an invalid request", () => {
    const violation = {
      field: "a.b",
      description: "is wrong",
      reason: "BAD",
      localizedMessage: { locale: "de", message: "falsch" },
    };
    const details = [{ "@type": badRequestType, fieldViolations: [violation, { field: "c" }] }];
    const error = new BookNotFound("No such book", { metadata: { id: "7", "": "empty" }, details });
    expect(decodeStatus(encoded(error))).toEqual({
      code: 5,
      message: "No such book",
      details: [
        {
          "@type": infoType,
          reason: "BOOK_NOT_FOUND",
          domain: "books.example",
          metadata: { id: "7", "": "empty" },
        },
        ...details,
      ],
    });
  });

  it("a status has the bytes that protobuf defines", () => {
    const bytes = encoded(new BookNotFound("x", { metadata: { k: "v" } }));
    const info = "0a0e424f4f4b5f4e4f545f464f554e44 120d626f6f6b732e6578616d706c65 1a060a016b120176";
    const url = `0a28${Buffer.from(infoType).toString("hex")}`;
    expect(Buffer.from(bytes)).toEqual(Buffer.from(hex(`0805 120178 1a53 ${url} 1227 ${info}`)));
  });

  it("a status omits details that have no bytes", () => {
    const error = new BookNotFound("x", {
      details: [{ "@type": "type.googleapis.com/other.Thing", a: 1 }],
    });
    expect(decodeStatus(encoded(error)).details).toHaveLength(1);
  });

  it("a status keeps the bytes of unknown details", () => {
    const any = "0a03612f62 1203010203";
    const [detail] = decodeStatus(hex(`1a0a ${any}`)).details;
    expect(detail).toEqual({ "@type": "a/b", value: "AQID" });
    const bytes = encodeStatus({ code: 5, message: "", details: [detail ?? expect.fail()] });
    expect(Buffer.from(bytes)).toEqual(Buffer.from(hex(`0805 1a0a ${any}`)));
  });

  it.each(["x", "\u4e2d"])(
    "a status stays below the limit of headers and keeps the error, with any text of %s",
    (letter) => {
      // The values of metadata are shortened one by one.
      const metadata = Object.fromEntries(
        Array.from({ length: 20 }, (_, key) => [key, letter.repeat(9000)]),
      );
      const error = new BookNotFound(letter.repeat(9000), { metadata });
      const bytes = encoded(error);
      const header =
        encodeURI(statusText(error.message)).length + Math.ceil((bytes.length * 4) / 3);
      expect(header).toBeLessThan(8192 - 512);
      expect(decodeStatus(bytes).details).toEqual([
        { "@type": infoType, reason: "BOOK_NOT_FOUND", domain: errors.domain },
      ]);
    },
  );

  it("a status contains any key safely", () => {
    const metadata = Object.fromEntries([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
    const [info] = decodeStatus(encoded(new BookNotFound("x", { metadata }))).details;
    expect(Object.entries(info?.["metadata"] ?? {})).toEqual(Object.entries(metadata));
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  it("a status is read from any bytes without an exception", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void decodeStatus(bytes)));
    const whole = encoded(new BookNotFound("x", { metadata: { a: "b" } }));
    for (let end = 0; end < whole.length; end++)
      expect(() => decodeStatus(whole.subarray(0, end))).not.toThrow();
    expect(decodeStatus(hex("0805 120178 1aff")).message).toBe("x");
  });

  it("a status keeps any text in a round trip", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, fc.dictionary(text, text), fc.array(text), (message, metadata, fields) => {
        const fieldViolations = fields.filter((field) => field !== "").map((field) => ({ field }));
        const details: ErrorDetail[] = [{ "@type": badRequestType, fieldViolations }];
        const error = new BookNotFound(message, { metadata, details });
        const status = decodeStatus(encoded(error));
        const read = readGrpcError("NOT_FOUND", status.message, status.details, errors);
        expect({ ...read.metadata }).toEqual({ ...metadata });
        expect([read.message, read.details]).toEqual([message, details]);
      }),
    );
  });
});
