import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { isObject } from "../../../../../library/runtime/base/json.js";
import {
  errorDetail,
  errorDetailsOf,
  type ErrorDetails,
} from "../../../../../library/runtime/protocol/error-details.js";
import { decodeStatus, encodeStatus } from "../../../../../library/runtime/bindings/grpc/status.js";

// The fields of google/rpc/error_details.proto, which protobuf.js encodes.
const { root } = protobuf.parse(`syntax = "proto3"; package google.rpc;
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message LocalizedMessage { string locale = 1; string message = 2; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message RetryInfo { Duration retry_delay = 1; }
  message DebugInfo { repeated string stack_entries = 1; string detail = 2; }
  message QuotaFailure {
    message Violation { string subject = 1; string description = 2; }
    repeated Violation violations = 1;
  }
  message PreconditionFailure {
    message Violation { string type = 1; string subject = 2; string description = 3; }
    repeated Violation violations = 1;
  }
  message BadRequest {
    message FieldViolation {
      string field = 1; string description = 2; string reason = 3; LocalizedMessage localized_message = 4;
    }
    repeated FieldViolation field_violations = 1;
  }
  message RequestInfo { string request_id = 1; string serving_data = 2; }
  message ResourceInfo {
    string resource_type = 1; string resource_name = 2; string owner = 3; string description = 4;
  }
  message Help {
    message Link { string description = 1; string url = 2; }
    repeated Link links = 1;
  }`);

const values: { readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] } = {
  BadRequest: {
    fieldViolations: [
      {
        field: "items",
        description: "is empty",
        reason: "EMPTY",
        localizedMessage: { locale: "de", message: "ist leer" },
      },
      { field: "id" },
    ],
  },
  DebugInfo: { stackEntries: ["a", "", "b"], detail: "here" },
  ErrorInfo: { reason: "CLOSED", domain: "shop.example", metadata: { a: "1", ["__proto__"]: "2" } },
  Help: { links: [{ description: "More", url: "https://shop.example" }, {}] },
  LocalizedMessage: { locale: "de-CH", message: "Zu" },
  PreconditionFailure: { violations: [{ type: "TOS", subject: "shop", description: "Agree" }] },
  QuotaFailure: { violations: [{ subject: "ip", description: "Too many" }] },
  RequestInfo: { requestId: "7", servingData: "data" },
  ResourceInfo: { resourceType: "order", resourceName: "o/1", owner: "me", description: "gone" },
  RetryInfo: { retryDelay: "1.500s" },
};

const names = Object.keys(values) as (keyof ErrorDetails)[];
const status = root.lookupType("google.rpc.Status");

/** The form of a message in protobuf.js, where a duration is an object. */
function peerForm(value: unknown): object {
  if (!isObject(value)) return {};
  return value["retryDelay"] === undefined
    ? value
    : { retryDelay: { seconds: 1, nanos: 500_000_000 } };
}

describe.each(names)("the detail %s", (name) => {
  const detail = errorDetail(name, values[name]);
  const type = root.lookupType(`google.rpc.${name}`);

  it("the detail has the same content after it was sent", () => {
    const { details } = decodeStatus(encodeStatus({ code: 9, message: "x", details: [detail] }));
    expect(errorDetailsOf({ details }, name)).toEqual([values[name]]);
    expect(errorDetailsOf({ details }, name === "Help" ? "RetryInfo" : "Help")).toEqual([]);
  });

  it("the detail has the bytes that protobuf.js writes", () => {
    const bytes = encodeStatus({ code: 9, message: "x", details: [detail] });
    const sent = status.toObject(status.decode(bytes)) as { details: { value: Uint8Array }[] };
    const received = type.toObject(type.decode(sent.details[0]?.value ?? new Uint8Array()), {
      longs: Number,
    });
    expect(received).toEqual(peerForm(values[name]));
  });

  it("the detail is read from the bytes that protobuf.js writes", () => {
    const value = type.encode(type.fromObject(peerForm(values[name]))).finish();
    const any = { typeUrl: `type.googleapis.com/google.rpc.${name}`, value };
    const bytes = status.encode(status.fromObject({ code: 9, details: [any] })).finish();
    expect(errorDetailsOf(decodeStatus(bytes), name)).toEqual([values[name]]);
  });
});

it("values of other types than the message has are omitted", () => {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "soon", more: 1 },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: 5 },
    { "@type": "type.googleapis.com/google.rpc.Help", links: [1, { url: 5, description: "a" }] },
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", metadata: { a: 1, b: "2" }, domain: [] },
    { "@type": "type.googleapis.com/google.rpc.DebugInfo", stackEntries: "none" },
  ];
  expect(errorDetailsOf({ details }, "RetryInfo")).toEqual([{}, {}]);
  expect(errorDetailsOf({ details }, "Help")).toEqual([{ links: [{ description: "a" }] }]);
  expect(errorDetailsOf({ details }, "ErrorInfo")).toEqual([{ metadata: { b: "2" } }]);
  expect(errorDetailsOf({ details }, "DebugInfo")).toEqual([{}]);
});
