import fc from "../../../../support/properties.js";
import { describe, expect, it } from "vitest";
import { A2AError, type ErrorDetail } from "../../../../../library/runtime/protocol/error.js";
import { isSendable } from "../../../../../library/runtime/protocol/sendable.js";
import * as named from "../../../../../library/runtime/protocol/error-form-named.js";
import * as plain from "../../../../../library/runtime/protocol/error-form-plain.js";
import * as status from "../../../../../library/runtime/protocol/error-form-status.js";
import { errorClass, sampleErrors } from "./sample-errors.js";

const LetterNotFound = errorClass("LETTER_NOT_FOUND", -32001, 404, "NOT_FOUND");
const LetterSealed = errorClass("LETTER_SEALED", -32002, 400, "FAILED_PRECONDITION");
const errors = sampleErrors("letters.example", LetterNotFound, LetterSealed);

const violation: ErrorDetail = {
  "@type": "type.googleapis.com/google.rpc.BadRequest",
  fieldViolations: [{ field: "a.b", description: "is wrong" }],
};
const lost = new LetterNotFound("It is lost", { metadata: { id: "7" }, details: [violation] });

describe("an error in the plain format", () => {
  it("a plain error has a code, a text and data over JSON-RPC and over HTTP+JSON", () => {
    const written = {
      code: -32001,
      message: "It is lost",
      data: { id: "7", details: [violation] },
    };
    expect(plain.plainErrorWriter.jsonRpc(lost, errors)).toEqual(written);
    expect(plain.plainErrorWriter.http(lost, errors)).toMatchObject(written);
  });

  it("a plain error has data only if there are details", () => {
    expect(plain.plainErrorWriter.jsonRpc(new LetterSealed(), errors)).toEqual({
      code: -32002,
      message: "Letter sealed",
    });
  });

  it("a plain error has the code of its category if JSON-RPC defines no code for it", () => {
    expect(plain.plainErrorWriter.http(new errors.unauthenticated("who?"), errors)).toMatchObject({
      code: -32600,
      message: "who?",
    });
    expect(plain.plainErrorWriter.jsonRpc(new A2AError("odd"), errors)).toEqual({
      code: -32603,
      message: "odd",
    });
  });

  it("a plain error keeps data of any form, and adds metadata to data that is an object", () => {
    const dataOf = (data: A2AError["data"]): unknown =>
      plain.plainErrorWriter.jsonRpc(new LetterSealed("x", { data, metadata: { id: "7" } }), errors)
        .data;
    expect(dataOf("why")).toBe("why");
    expect(dataOf([1, null])).toEqual([1, null]);
    expect(dataOf(null)).toBeNull();
    expect(dataOf({ deep: { a: 1 } })).toEqual({ id: "7", deep: { a: 1 } });
  });

  it("a plain error keeps data of all other forms and codes that the protocol does not define", () => {
    for (const data of ["text", 7, [1], null]) {
      const read = plain.readPlainJsonRpcError(-32050, "odd", data, errors);
      expect(read).toMatchObject({
        name: "A2AError",
        jsonRpcCode: -32050,
        metadata: {},
        details: [],
        data,
      });
    }
    expect(plain.readPlainJsonRpcError(-32001, "gone", undefined, errors).data).toBeUndefined();
  });

  it("a plain error is read from a response body by its code, regardless of the status", () => {
    const read = plain.readPlainHttpError.read(
      { code: -32001, message: "gone", data: "why" },
      errors,
      410,
    );
    expect(read).toBeInstanceOf(LetterNotFound);
    expect(read).toMatchObject({
      message: "gone",
      httpStatus: 410,
      jsonRpcCode: -32001,
      data: "why",
    });
  });

  it("a body without a code is an error that the protocol does not define, and a body without a text is not an error", () => {
    expect(plain.readPlainHttpError.read({ message: "no" }, errors, 404)).toMatchObject({
      name: "A2AError",
      message: "no",
    });
    const classes = [errors.unauthenticated];
    expect(
      plain.readPlainHttpError.read({ message: "no" }, { ...errors, classes }, 404)?.name,
    ).toBe("A2AError");
    for (const body of [undefined, "no", [], {}, { code: -32001 }, { error: "no" }]) {
      expect(plain.readPlainHttpError.read(body, errors, 404)).toBeUndefined();
    }
  });

  it("a plain error is read from a body that only has the class name or the default message", () => {
    const read = (body: object) => plain.readPlainHttpError.read(body, errors, 404);
    expect(read({ error: "org.example.LetterNotFoundError", message: "x" })).toBeInstanceOf(
      LetterNotFound,
    );
    expect(read({ message: "Letter not found" })).toBeInstanceOf(LetterNotFound);
    expect(read({ error: "org.example.LostError", message: "x" })?.name).toBe("A2AError");
  });

  it("a plain error is read from a body in the format of later versions", () => {
    const read = plain.readPlainHttpError.read(status.errorWriter.http(lost, errors), errors, 404);
    expect(read).toBeInstanceOf(LetterNotFound);
    expect(read).toMatchObject({ message: "It is lost", metadata: { id: "7" }, httpStatus: 404 });
  });

  it("a plain error over HTTP+JSON also has its class name and the format of later versions, for clients that only read these", () => {
    const written = plain.plainErrorWriter.http(lost, errors);
    expect(written).toMatchObject({
      type: "LetterNotFoundError",
      ...status.errorWriter.http(lost, errors),
    });
    expect(status.readHttpError.read(written, errors, 404)).toBeInstanceOf(LetterNotFound);
    // Data of any form is only in the members of JSON-RPC.
    const sealed = new LetterSealed("x", { data: [1, null] });
    expect(
      plain.readPlainHttpError.read(plain.plainErrorWriter.http(sealed, errors), errors, 400),
    ).toMatchObject({
      name: "LetterSealedError",
      data: [1, null],
    });
  });

  it.each([
    [
      "the members of JSON-RPC",
      { error: { code: -32001, message: "gone", data: { id: "7" } } },
      "LetterNotFoundError",
    ],
    ["an unknown code", { error: { code: -32099, message: "gone" } }, "A2AError"],
    ["google.rpc.Status", status.errorWriter.http(lost, errors), "LetterNotFoundError"],
    ["only a text", { error: { message: "gone" } }, "A2AError"],
    ["nothing", { error: {} }, "A2AError"],
    ["a string", { error: "gone" }, "A2AError"],
  ])("a plain error is read from an event whose error has %s", (_what, event, name) => {
    expect(plain.readPlainHttpError.read(event, errors)?.name).toBe(name);
  });

  it("a plain error is read from an event only if it has a text and either a code or a name", () => {
    const event = { error: "org.example.LetterNotFoundError", message: "gone" };
    expect(plain.readPlainHttpError.read(event, errors)).toMatchObject({
      name: "LetterNotFoundError",
      httpStatus: 404,
    });
    expect(plain.readPlainHttpError.read({ code: -32001, message: "gone" }, errors)).toMatchObject({
      httpStatus: 404,
    });
    expect(plain.readPlainHttpError.read({ code: "x", message: "gone" }, errors)).toBeUndefined();
    expect(plain.readPlainHttpError.read({ message: { id: "1" } }, errors)).toBeUndefined();
  });

  it("a plain error is recognized by a name before the text of a gRPC status", () => {
    expect(plain.plainErrorWriter.grpc(lost, errors).text).toBe("LetterNotFoundError: It is lost");
    expect(plain.plainErrorWriter.grpc(new A2AError("odd"), errors).text).toBe("odd");
    const read = plain.readPlainGrpcError("INVALID_ARGUMENT", "ParseError: what?", [], errors);
    expect(read).toBeInstanceOf(errors.parse);
    expect(read.message).toBe("what?");
    expect(plain.readPlainGrpcError("NOT_FOUND", "LetterNotFoundError:", [], errors).message).toBe(
      "",
    );
  });

  it("a plain error is recognized by its gRPC status if the text has no name and only one error has this status", () => {
    const read = plain.readPlainGrpcError("NOT_FOUND", "Sorry: gone", [], errors);
    expect(read).toBeInstanceOf(LetterNotFound);
    expect(read.message).toBe("Sorry: gone");
    expect(plain.readPlainGrpcError("INVALID_ARGUMENT", "Sorry: what?", [], errors)).toMatchObject({
      name: "A2AError",
      message: "Sorry: what?",
      grpcStatus: "INVALID_ARGUMENT",
    });
  });
});

describe("an error in the named format", () => {
  it("a named error has its reason as its code over HTTP+JSON", () => {
    expect(named.namedErrorWriter.http(lost, errors)).toEqual({
      error: {
        code: "LETTER_NOT_FOUND",
        message: "It is lost",
        details: { id: "7", details: [violation] },
      },
    });
    expect(named.namedErrorWriter.http(new LetterSealed("x"), errors)).toEqual({
      error: { code: "LETTER_SEALED", message: "x" },
    });
  });

  it("a named error is plain over JSON-RPC, and a status with details over gRPC", () => {
    expect(named.namedErrorWriter.jsonRpc(lost, errors)).toEqual(
      plain.plainErrorWriter.jsonRpc(lost, errors),
    );
    expect(named.namedErrorWriter.grpc(lost, errors)).toEqual(
      status.errorWriter.grpc(lost, errors),
    );
  });

  it("a named error is recognized by its reason, or by a status that no other error has", () => {
    const body = {
      error: { code: "LETTER_SEALED", message: "x", details: { id: "7", deep: [1] } },
    };
    const read = named.readNamedHttpError.read(body, errors, 409);
    expect(read).toBeInstanceOf(LetterSealed);
    expect(read).toMatchObject({
      httpStatus: 409,
      metadata: { id: "7" },
      data: { id: "7", deep: [1] },
    });
    expect(named.readNamedHttpError.read({ error: { message: "x" } }, errors, 404)).toBeInstanceOf(
      LetterNotFound,
    );
    expect(named.readNamedHttpError.read({ error: {} }, errors, 400)?.message).toContain("400");
  });

  it("a named error keeps all its content if the protocol does not define its reason", () => {
    const error = { code: "LETTER_EATEN", message: "by a dog", details: ["dog"] };
    expect(named.readNamedHttpError.read({ error }, errors, 418)).toMatchObject({
      name: "A2AError",
      data: error,
    });
  });

  it("a named error is read from an event only if the event names a reason", () => {
    expect(
      named.readNamedHttpError.read({ error: { code: "LETTER_SEALED" } }, errors),
    ).toBeInstanceOf(LetterSealed);
    expect(
      named.readNamedHttpError.read({ error: { code: 400, message: "x" } }, errors),
    ).toBeUndefined();
    expect(named.readNamedHttpError.read({ error: "x" }, errors)).toBeUndefined();
  });
});

describe("an error in the format of google.rpc.Status", () => {
  it("an error keeps the received details as its data", () => {
    expect(status.readJsonRpcError(-32001, "gone", "why", errors)).toMatchObject({
      details: [],
      data: "why",
    });
  });
});

describe("every error format", () => {
  const texts = fc.dictionary(
    fc.string().filter((key) => key !== "details"),
    fc.string(),
    { maxKeys: 4 },
  );
  const classes = [
    LetterNotFound,
    LetterSealed,
    errors.invalidParams,
    errors.internal,
    errors.unsupported,
  ];
  const sent = fc
    .tuple(fc.constantFrom(...classes), fc.string(), texts, fc.boolean())
    .map(
      ([Class, text, metadata, wrong]) =>
        new Class(text, { metadata, details: wrong ? [violation] : [] }),
    );
  const facts = (error: A2AError | undefined): unknown =>
    error && [error.constructor, error.message, error.metadata, error.details, error.httpStatus];

  const formats = {
    plain: {
      errorWriter: plain.plainErrorWriter,
      readJsonRpcError: plain.readPlainJsonRpcError,
      readHttpError: plain.readPlainHttpError,
      readGrpcError: plain.readPlainGrpcError,
    },
    named: {
      errorWriter: named.namedErrorWriter,
      readJsonRpcError: plain.readPlainJsonRpcError,
      readHttpError: named.readNamedHttpError,
      readGrpcError: status.readGrpcError,
    },
    status,
  };

  it.each(Object.entries(formats))(
    "the format of %s reads the errors that it has written",
    (_, format) => {
      fc.assert(
        fc.property(sent, (error) => {
          const { code, message, data } = format.errorWriter.jsonRpc(error, errors);
          const body: unknown = JSON.parse(JSON.stringify(format.errorWriter.http(error, errors)));
          expect(facts(format.readJsonRpcError(code, message, data, errors))).toEqual(facts(error));
          expect(facts(format.readHttpError.read(body, errors, error.httpStatus))).toEqual(
            facts(error),
          );
          expect(facts(format.readHttpError.read(body, errors))).toEqual(facts(error));
          const { text, details = [] } = format.errorWriter.grpc(error, errors);
          const read = format.readGrpcError(error.grpcStatus, text, details, errors);
          expect([read.constructor, read.message]).toEqual([error.constructor, error.message]);
        }),
      );
    },
  );
});

describe("an error that no transport can write", () => {
  it("an error with circular or otherwise invalid data is not sent", () => {
    const cycle: { [key: string]: never } = {};
    Object.assign(cycle, { cycle });
    expect(isSendable(new LetterSealed("x", { data: cycle }))).toBe(false);
    expect(isSendable(new LetterSealed("x", { data: {} }))).toBe(true);
  });
});
