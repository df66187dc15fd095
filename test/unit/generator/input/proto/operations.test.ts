import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../../support/output.js";
import type { Protocol } from "../../../../../generator/protocol/model/types.js";
import { head, operationOf, read, readSource } from "./reading.js";

const messages = `
  message A { string the_id = 1; B child = 2; string name = 3; repeated string tags = 4; }
  message B { string label = 1; }`;

const withRule = (rule: string) =>
  read(
    `service S { rpc Go(A) returns (B) { option (google.api.http) = { ${rule} }; } } ${messages}`,
  );
const routesOf = (rule: string) => operationOf(withRule(rule), "Go").http;

describe("an operation", () => {
  it("an operation has its service, for the path of gRPC", () => {
    expect(
      operationOf(read(`service S { rpc Go(A) returns (B); } ${messages}`), "Go").rpc?.service,
    ).toBe("p.S");
  });

  it.each([
    ["A", "B", "none"],
    ["A", "stream B", "server"],
    ["stream A", "B", "client"],
    ["stream A", "stream B", "both"],
  ])("an operation from %s to %s streams to: %s", (request, response, streaming) => {
    const protocol = read(`service S { rpc Go(${request}) returns (${response}); } ${messages}`);
    expect(operationOf(protocol, "Go").streaming).toBe(streaming);
  });

  it("the operations of all services are read", () => {
    const protocol = read(
      `service S { rpc One(A) returns (B); } service T { rpc Two(A) returns (B); } ${messages}`,
    );
    expect(protocol.operations.map(({ rpc, name }) => `${rpc?.service}.${name}`)).toEqual([
      "p.S.One",
      "p.T.Two",
    ]);
  });

  it("an operation ignores options that are unrelated to A2A", () => {
    const service = `
      service S {
        option (google.api.default_host) = "example.com";
        rpc Go(A) returns (B) { option (google.api.method_signature) = "the_id,name"; option idempotency_level = NO_SIDE_EFFECTS; }
      }`;
    expect(operationOf(read(service + messages), "Go").http).toEqual([]);
  });
});

describe("the routes of an operation", () => {
  it.each(["get", "put", "post", "delete", "patch"])(
    "the routes of an operation are %s",
    (verb) => {
      expect(routesOf(`${verb}: "/a"`)).toEqual([{ httpMethod: verb.toUpperCase(), path: "/a" }]);
    },
  );

  it("a route may have a custom HTTP method", () => {
    expect(routesOf('custom: { kind: "QUERY" path: "/a" }')).toEqual([
      { httpMethod: "QUERY", path: "/a" },
    ]);
  });

  it("a route may be written as one option for each line", () => {
    const rule = 'option (google.api.http).post = "/a"; option (google.api.http).body = "*";';
    const protocol = read(`service S { rpc Go(A) returns (B) { ${rule} } } ${messages}`);
    expect(operationOf(protocol, "Go").http).toEqual([
      { httpMethod: "POST", path: "/a", body: "*" },
    ]);
  });

  it("a route has JSON names in its path, body and response body", () => {
    expect(
      routesOf('post: "/a/{the_id}/{child.label}" body: "child" response_body: "label"'),
    ).toEqual([
      {
        httpMethod: "POST",
        path: "/a/{theId}/{child.label}",
        body: "child",
        responseBody: "label",
      },
    ]);
  });

  it("a route has patterns only if they restrict the value", () => {
    expect(routesOf('get: "/a/{the_id=*}/{name=x/*/y/**}:do"')[0]?.path).toBe(
      "/a/{theId}/{name=x/*/y/**}:do",
    );
  });

  it("an operation with additional bindings has several routes, and clients use each that fits", () => {
    const rule =
      'get: "/a" additional_bindings { post: "/b" body: "*" } additional_bindings { get: "/c" } additional_bindings { get: "/d" }';
    expect(routesOf(rule).map(({ path, use }) => [path, use])).toEqual([
      ["/a", undefined],
      ["/b", undefined],
      ["/c", undefined],
      ["/d", undefined],
    ]);
  });

  it("an operation may have a list of additional bindings", () => {
    const rule = 'get: "/a" additional_bindings: [{ get: "/b" }, { get: "/c" }]';
    expect(routesOf(rule).map(({ path }) => path)).toEqual(["/a", "/b", "/c"]);
  });
});

describe("operations that a transport cannot carry", () => {
  const reasonsIn = ({ omissions }: Protocol) =>
    omissions.map(({ target, subject, reason }) => `${target} ${subject}: ${reason}`);
  const reasonsOf = (proto: string) => reasonsIn(read(proto));

  it("an omission is reported for a stream of requests", () => {
    const rule = '{ option (google.api.http) = { post: "/a" body: "*" }; }';
    expect(reasonsOf(`service S { rpc Up(stream A) returns (B) ${rule} } ${messages}`)).toEqual([
      "jsonrpc p.S.Up: a client stream requires more than one HTTP request",
      "rest p.S.Up: a client stream requires more than one HTTP request",
    ]);
    expect(reasonsOf(`service S { rpc Chat(stream A) returns (stream B); } ${messages}`)[0]).toBe(
      "jsonrpc p.S.Chat: a bidirectional stream requires more than one HTTP request",
    );
  });

  it("an omission is reported for an rpc without a route", () => {
    expect(reasonsOf(`service S { rpc Go(A) returns (B); } ${messages}`)).toEqual([
      "rest p.S.Go: no HTTP route in the proto",
    ]);
  });

  it.each([
    ['get: "/a/{nope}"', 'GET /a/{nope} refers to "nope", which is not a field of A'],
    [
      'get: "/a/{child.nope}"',
      'GET /a/{child.nope} refers to "child.nope", which is not a field of A',
    ],
    ['get: "/a/{child}"', 'GET /a/{child} refers to "child", which is not a single value'],
    ['get: "/a/{tags}"', 'GET /a/{tags} refers to "tags", which is not a single value'],
    ['post: "/a" body: "nope"', 'POST /a refers to "nope", which is not a field of A'],
    ['get: "/a" response_body: "nope"', 'GET /a refers to "nope", which is not a field of B'],
  ])("an omission is reported for the route `%s`", (rule, reason) => {
    const protocol = withRule(rule);
    expect(operationOf(protocol, "Go").http).toEqual([]);
    const remedy = "use a field with a single value";
    expect(reasonsIn(protocol)).toEqual([`rest p.S.Go: test.proto:3:17: ${reason}; ${remedy}`]);
  });

  it.each([
    [
      'get: "nope"',
      "the HTTP rule has no valid path; use one HTTP method with a path that starts with a slash",
    ],
    [
      'body: "*"',
      "the HTTP rule has no valid path; use one HTTP method with a path that starts with a slash",
    ],
    [
      'get: "/a/{the_id"',
      "GET /a/{the_id has an unmatched brace; write variables as {field} or {field=pattern}",
    ],
    [
      'get: "/a/x{the_id}"',
      "GET /a/x{the_id} has a variable in a part of a segment; write a slash before and after the variable",
    ],
    [
      'get: "/a/{the_id}-{name}"',
      "GET /a/{the_id}-{name} has a variable in a part of a segment; write a slash before and after the variable",
    ],
    ['get: "/a//b"', "GET /a//b has an empty segment; write a segment between slashes"],
    ['get: "/a/{name=}"', "GET /a/{name=} has an empty segment; write a segment between slashes"],
    ['get: "/a:"', "GET /a: has an empty suffix; remove the colon"],
    ['get: "/a?b=c"', "GET /a?b=c has a query, a fragment or a space; write the path alone"],
    [
      'get: "/a/{name=x*}"',
      "GET /a/{name=x*} has a wildcard in a part of a segment; use * or ** as a segment",
    ],
    [
      'get: "/{name=**}/{the_id=**}"',
      "GET /{name=**}/{the_id=**} has ** more than once; use * for one of them",
    ],
    [
      'get: "/{name}/{name}"',
      "GET /{name}/{name} has the variable name twice; use each field once",
    ],
  ])("an omission is reported for the rule `%s`, with location and hint", (rule, reason) => {
    const protocol = withRule(rule);
    expect(operationOf(protocol, "Go").http).toEqual([]);
    expect(reasonsIn(protocol)).toEqual([`rest p.S.Go: test.proto:3:17: ${reason}`]);
  });

  it("an omission is reported for the second of two rpcs with the same route", () => {
    const rpc = (name: string, path: string) =>
      `rpc ${name}(A) returns (B) { option (google.api.http) = { get: "${path}" }; }`;
    const protocol = read(
      `service S { ${rpc("One", "/a/{the_id}")}\n${rpc("Two", "/a/{name=*}")} } ${messages}`,
    );
    expect(operationOf(protocol, "One").http).toEqual([{ httpMethod: "GET", path: "/a/{theId}" }]);
    expect(reasonsIn(protocol)).toEqual([
      "rest p.S.Two: test.proto:4:5: GET /a/{name} is already the route of One; change one of the two routes",
    ]);
  });

  it("an omission is reported for a route that matches the same paths in other words", () => {
    const rpc = (name: string, path: string) =>
      `rpc ${name}(A) returns (B) { option (google.api.http) = { get: "${path}" }; }`;
    const protocol = read(
      `service S { ${rpc("One", "/a/{name=b/*}:do")} }\n` +
        `service T { ${rpc("Two", "/a/b/{the_id}:do")} } ${messages}`,
    );
    expect(reasonsIn(protocol)).toEqual([
      "rest p.T.Two: test.proto:4:17: GET /a/b/{theId}:do is already the route of One; change one of the two routes",
    ]);
  });

  it("an omission is reported for a request that is not an object in JSON", () => {
    const protocol = read(
      `service S { rpc Go(google.protobuf.Duration) returns (google.protobuf.Value); }`,
    );
    const reason =
      "google.protobuf.Duration is not an object in JSON, as requests must be; wrap it in a message";
    expect(reasonsIn(protocol)).toEqual([`jsonrpc p.S.Go: ${reason}`, `rest p.S.Go: ${reason}`]);
  });

  it("the other routes of the rpc are kept", () => {
    expect(routesOf('get: "/a/{nope}" additional_bindings { get: "/b" }')).toEqual([
      { httpMethod: "GET", path: "/b" },
    ]);
  });

  it("an omission is reported for an rpc without a JSON-RPC method in the manifest", () => {
    const rule = '{ option (google.api.http) = { get: "/a" }; }';
    const manifest = `
version: 1.0.0
wireVersion: "1.0"
headers: { version: V, extensions: E }
mediaTypes: { http: application/json }
bindings: { jsonRpc: J, http: H, grpc: G }
card:
  type: B
  path: /card
  interfaces: { list: label, url: label, binding: label }
  extensions: { list: [label], uri: label, required: label }
errorDomain: d
errorRoles: {}
`;
    const proto = `${head}service S { rpc Go(A) returns (B) ${rule} } ${messages}`;
    expect(readSource(sourceOf(proto, {}, manifest)).omissions).toEqual([
      { target: "jsonrpc", subject: "p.S.Go", reason: "the manifest has no operations.Go.jsonRpc" },
    ]);
  });
});
