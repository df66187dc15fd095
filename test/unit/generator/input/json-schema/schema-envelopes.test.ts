import { describe, expect, it } from "vitest";
import { messageOf, read, typeOf } from "./schema-reading.js";

const request = (method: string, rest: object = {}) => ({
  type: "object",
  properties: { method: { const: method }, ...rest },
});
const response = (result: unknown) => ({ type: "object", properties: { result } });
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const failure = (code: number, message: object = {}) => ({
  type: "object",
  properties: { code: { const: code }, message },
});

const Task = { type: "object", properties: {} };
const Failed = { type: "object", properties: { error: {} } };

describe("an operation of a schema", () => {
  it("an operation keeps its whole name if it does not end in Request", () => {
    expect(read({ Ping: request("ping") }).operations).toMatchObject([
      { name: "Ping", method: "ping" },
    ]);
  });

  it("the first definition with a method is the operation, and a note names the others", () => {
    const parts = read({
      Cancelled: request("cancelled"),
      FromClient: request("cancelled", { extra: {} }),
    });
    expect(parts.operations.map(({ name }) => name)).toEqual(["Cancelled"]);
    expect(parts.types.map(({ name }) => name)).toEqual(["Cancelled", "FromClient"]);
    const reason = '"Cancelled" already declares its method "cancelled"';
    expect(parts.notes).toEqual([{ target: "operations", subject: "FromClient", reason }]);
  });

  it("an operation without params takes no argument, and an operation without a result returns nothing", () => {
    const [operation] = read({ PingRequest: request("ping") }).operations;
    expect(operation?.request).toEqual({ kind: "empty", json: "object" });
    expect(operation?.response).toBeUndefined();
  });

  it("an operation refers to params and results without a name by generated names", () => {
    const parts = read({
      ListRequest: request("list", { params: { anyOf: [ref("Task"), ref("Failed")] } }),
      ListResponse: response({ type: "array", items: ref("Task") }),
      Task,
      Failed,
    });
    expect(parts.operations[0]).toMatchObject({
      request: { name: "ListParams" },
      response: { name: "ListResult" },
    });
    expect(typeOf(parts, "ListParams")).toMatchObject({
      kind: "union",
      fullName: "ListRequest.params",
    });
    expect(typeOf(parts, "ListResult")).toMatchObject({
      kind: "alias",
      fullName: "ListResponse.result",
    });
    expect(messageOf(parts, "ListResponse").fields[0]?.type).toEqual({
      kind: "alias",
      name: "ListResult",
    });
  });

  it("an operation uses another suffix if the name is in use, and prefers the name of a hint", () => {
    const definitions = {
      GetRequest: request("get", { params: { type: "object", properties: { id: {} } } }),
      GetParams: { type: "string" },
      GetResponse: response({ anyOf: [ref("Task"), { type: "null" }] }),
      GetResult: { type: "string" },
      Task,
    };
    expect(read(definitions).operations).toMatchObject([
      { request: { name: "GetInput" }, response: { name: "GetOutput" } },
    ]);
    const names = { "GetRequest.params": "GetQuery", "GetResponse.result": "Found" };
    expect(read(definitions, { names }).operations).toMatchObject([
      { request: { name: "GetQuery" }, response: { name: "Found" } },
    ]);
  });

  it("an operation may inherit its members", () => {
    const parts = read({
      Base: {
        type: "object",
        properties: { params: { type: "array", items: { type: "string" } } },
      },
      GoRequest: { allOf: [ref("Base"), request("go")] },
    });
    expect(parts.operations).toMatchObject([
      { name: "Go", request: { kind: "named", name: "GoParams" } },
    ]);
  });
});

describe("an error of a schema", () => {
  it("an error is an object with a constant code, and the class gets its name", () => {
    const LostError = { ...failure(-32001, { default: "Lost" }), description: "It is lost" };
    const GoneError = failure(-32002, { const: "Gone", default: "Other" });
    const parts = read({
      LostError,
      GoneError,
      SomeError: { type: "object", properties: { code: { type: "integer" } } },
    });
    expect(parts.errors).toEqual([
      { name: "LostError", code: -32001, message: "Lost", docs: "It is lost" },
      { name: "GoneError", code: -32002, message: "Gone", docs: "" },
    ]);
    expect(parts.types.map(({ name }) => name)).toEqual([
      "LostErrorObject",
      "GoneErrorObject",
      "SomeError",
    ]);
  });

  it("an error is called an object in unions of errors, unless a hint names it", () => {
    const definitions = {
      A: failure(1),
      B: failure(2),
      Any: { anyOf: [ref("A"), ref("Both")] },
      Both: { anyOf: [ref("A"), ref("B")] },
    };
    const parts = read(definitions, { names: { B: "Bee" } });
    expect(parts.types.map(({ name }) => name)).toEqual([
      "AObject",
      "Bee",
      "AnyObject",
      "BothObject",
    ]);
  });
});
