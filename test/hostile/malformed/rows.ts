import { field, nestedValue, numberField, wrap } from "../bytes.js";
import type { Body, Subject } from "../subject.js";
import { rpc } from "../wire.js";
import { Rows, type Content, type Malformed } from "./row.js";

/** Lists and objects nested deeper than any parser may follow, as JSON. */
export const deep = {
  list: `${"[".repeat(10_000)}1${"]".repeat(10_000)}`,
  object: `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
};

/** Names that every object has, and that mean nothing in a request. */
export const inherited = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
];

const shown = (value: unknown) => JSON.stringify(value).slice(0, 20);

/** The request that sends a message, as JSON, one member of which is replaced. */
export function withMember(message: object, key: string, value: string): string {
  return JSON.stringify({ message: { ...message, [key]: "@@" } }).replace('"@@"', () => value);
}

/** Bodies that are not JSON, of another media type, or too large. */
export function bodyRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const good = JSON.stringify({ message: subject.samples.message });
  const garbage: [string, string | Uint8Array][] = [
    ["text", "hello"],
    ["a lone brace", "{"],
    ["a truncated request", good.slice(0, -5)],
    ["two values", "{} {}"],
    ["a trailing comma", '{"a":1,}'],
    ["a comment", "/* */ {}"],
    ["single quotes", "{'a':1}"],
    ["NaN", '{"a":NaN}'],
    ["a control character in a string", '{"a":"\n"}'],
    ["white space", " \n "],
    ["a byte order mark and nothing else", "\ufeff{"],
    ["two byte order marks", "\ufeff\ufeff{}"],
    ["UTF-16", Buffer.from(good, "utf16le")],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["an overlong encoding", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ["half of a surrogate pair in bytes", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["a character cut off", Buffer.from([0x22, 0xe2, 0x82])],
    ["lists nested deep and not closed", "[".repeat(100_000)],
    ["objects nested deep and not closed", '{"a":'.repeat(100_000)],
    ["brackets that do not match", "[".repeat(10_000) + "}".repeat(10_000)],
    ["null bytes", "\0\0\0"],
    ["a form", "message=hello"],
  ];
  const types = [
    ...[
      "text/plain",
      "text/json",
      "application/jsonx",
      "application/x-www-form-urlencoded",
      "application/grpc",
    ],
    ...[
      "multipart/form-data; boundary=x",
      "application/json, text/plain",
      "json",
      "*/*",
      "; application/json",
    ],
  ];
  const encodings = ["gzip", "br", "GZIP", "identity, gzip", "nonsense"];
  const { http: untyped } = rows.body("", good, "CONTENT_TYPE_NOT_SUPPORTED");
  const other = "CONTENT_TYPE_NOT_SUPPORTED";
  return [
    ...garbage.map(([title, body]) => rows.body(`${title} as a body`, body, "JSON_PARSE")),
    rows.rpc("an empty body", "", "JSON_PARSE"),
    rows.http("an empty body", "/message:send", "", ["message"]),
    // The body is not read.
    ...types.map((type) =>
      rows.body(`the media type ${type}`, "{", other, { "content-type": type }),
    ),
    ...encodings.map((encoding) =>
      rows.body(`the encoding ${encoding}`, good, other, { "content-encoding": encoding }),
    ),
    {
      title: "a body without a media type",
      http: { ...untyped, path: untyped?.path ?? "", headers: subject.headers },
      reason: other,
    },
    ...[4_000_001, 12_000_000].flatMap((size) =>
      [{}, { "transfer-encoding": "chunked" }].map((headers) => ({
        ...rows.body(
          `${size} bytes, ${JSON.stringify(headers)}`,
          "x".repeat(size),
          "INVALID_REQUEST",
          headers as Record<string, string>,
        ),
        status: 413,
      })),
    ),
  ];
}

/** Bodies that are JSON and no request of JSON-RPC. */
export function envelopeRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const { jsonRpc: method } = subject.operations.SendMessage;
  const { jsonRpc: stream } = subject.operations.SendStreamingMessage;
  const params = { message: subject.samples.message };
  const good = { jsonrpc: "2.0", id: 1, method, params };
  const without = (key: keyof typeof good): object => ({ ...good, [key]: undefined });
  const invalid: [string, Content, unknown][] = [
    ["null", null, null],
    ["a string", '"hello"', null],
    ["a number", 1, null],
    ["an empty batch", [], null],
    ["a batch", [good, good], null],
    ["an empty object", {}, null],
    ["a request without jsonrpc", without("jsonrpc"), 1],
    ["a request of JSON-RPC 1.0", { ...good, jsonrpc: "1.0" }, 1],
    ["a request with jsonrpc as a number", { ...good, jsonrpc: 2.0 }, 1],
    ["a request without an id", without("id"), null],
    ...["x".repeat(1001), 2 ** 53, true, {}, [1]].map((id): [string, Content, unknown] => [
      `a request with the id ${shown(id)}`,
      { ...good, id },
      null,
    ]),
    ["a request with an infinite id", JSON.stringify(good).replace('"id":1', '"id":1e999'), null],
    ["a request without a method", without("method"), 1],
    ["a request with a number as its method", { ...good, method: 7 }, 1],
    ["a request with a list as its method", { ...good, method: [method] }, 1],
    ...[null, 1.5, -7, "", "x".repeat(1000)].map((id): [string, Content, unknown] => [
      `a request of JSON-RPC 1.0 with the id ${shown(id)}, which is returned`,
      { ...good, jsonrpc: "1.0", id },
      id,
    ]),
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, 1],
    ["members that hide in __proto__", `{"__proto__":${JSON.stringify(good)}}`, null],
  ];
  const unknown = [
    ...[
      "",
      "sendMessage",
      "tasks/send",
      `${method} `,
      method.toUpperCase(),
      "constructor",
      "__proto__",
      "toString",
    ],
    ...["undefined", "\0"],
  ];
  return [
    ...invalid.map(([title, body, id]) => rows.rpc(title, body, "INVALID_REQUEST", id)),
    ...unknown.map((name) =>
      rows.rpc(
        `the method ${JSON.stringify(name)}`,
        rpc(name, params, "x"),
        "METHOD_NOT_FOUND",
        "x",
      ),
    ),
    ...[null, "hello", 1, [params], []].flatMap((wrong) =>
      [method, stream].map((name) => ({
        ...rows.rpc(`the params ${shown(wrong)} of ${name}`, rpc(name, wrong), "INVALID_PARAMS", 1),
        field: [""],
      })),
    ),
    {
      ...rows.rpc(
        "a call without params",
        rpc(subject.operations.GetTask.jsonRpc),
        "INVALID_PARAMS",
        1,
      ),
      field: ["id"],
    },
  ];
}

/** Messages and configurations with values that their types forbid. */
export function valueRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const { version, samples } = subject;
  const { message } = samples;
  const configured = (configuration: string) =>
    `{"message":${JSON.stringify(message)},"configuration":${configuration}}`;
  const member = (title: string, key: string, value: string, named = `message.${key}`) =>
    rows.message(title, withMember(message, key, value), named);
  const sent = (title: string, changes: Body, ...named: string[]) =>
    rows.everywhere(title, "SendMessage", { message: { ...message, ...changes } }, named);
  const nested = version === "1.0" ? "taskPushNotificationConfig" : "pushNotificationConfig";
  const own = () => [
    rows.message("an empty message", '{"message":{}}', "message.role"),
    rows.message(
      "a message that is nested too deeply",
      `{"message":${deep.object}}`,
      "message.messageId",
    ),
    rows.message(
      "a limit beyond int32",
      configured('{"historyLength":2147483648}'),
      "configuration.historyLength",
    ),
    member("a lower-case enum value", "role", '"user"'),
    member("an empty part", "parts", '[{"text":"a"},{}]', "message.parts.1"),
    member("two members of a oneof", "parts", '[{"text":"a","url":"b"}]', "message.parts.0"),
    member("both names of a field", "message_id", '"m1"', "message"),
    member("invalid base64", "parts", '[{"raw":"a*b="}]', "message.parts.0.raw"),
    member(
      "data that is nested too deeply",
      "parts",
      `[{"data":${deep.list}}]`,
      "message.parts.0.data",
    ),
    sent("a message without a role", { role: "ROLE_UNSPECIFIED" }, "message.role"),
    rows.get("a page size of zero", "/tasks?pageSize=0", ["pageSize"]),
    rows.grpc("a task without an id", "GetTask", new Uint8Array(), "id"),
    rows.get("three issues at once", "/tasks?pageSize=150&historyLength=-5&status=working", [
      "historyLength",
      "pageSize",
      "status",
    ]),
    sent("an empty part beside a good one", { parts: [...message.parts, {}] }, "message.parts.1"),
  ];
  return [
    rows.everywhere("a request without a message", "SendMessage", {}, ["message"]),
    sent("a message without parts", { parts: [] }, "message.parts"),
    member("null in place of parts", "parts", "null"),
    member("a number for a string", "messageId", "7"),
    member("a list for a string", "messageId", '["m1"]'),
    member("an unknown enum value", "role", '"ROLE_ADMIN"'),
    member("an unknown number of an enum", "role", "9"),
    member("an inherited name as an enum value", "role", '"constructor"'),
    member("an object for a list", "parts", '{"0":{"text":"a"}}'),
    member("a string for a list", "parts", '"text"'),
    member("null in a list", "parts", "[null]", "message.parts.0"),
    member("a list for an object", "metadata", "[]"),
    member("a number beyond the doubles", "metadata", '{"a":1e999}'),
    member("metadata that is nested too deeply", "metadata", deep.object),
    member("an id that is nested too deeply", "messageId", deep.list),
    rows.message(
      "a fractional limit",
      configured('{"historyLength":1.5}'),
      "configuration.historyLength",
    ),
    sent("a message with an empty id", { messageId: "" }, "message.messageId"),
    {
      ...rows.rpc(
        "a task with an empty id",
        rpc(subject.operations.GetTask.jsonRpc, { id: "" }),
        "INVALID_PARAMS",
        1,
      ),
      field: ["id"],
    },
    rows.message("a limit below zero", configured('{"historyLength":-1}'), [
      "configuration.historyLength",
    ]),
    ...["", "/hook", "hook", "ftp://127.0.0.1/hook", "javascript:0", "http://"].map((url) =>
      rows.message(
        `a webhook at ${JSON.stringify(url)}`,
        configured(JSON.stringify({ [nested]: { url } })),
        `configuration.${nested}.url`,
      ),
    ),
    rows.message(
      "a webhook without a URL",
      configured(`{"${nested}":{}}`),
      `configuration.${nested}.url`,
    ),
    ...(version === "1.0" ? own() : []),
  ];
}

/** Paths, queries and names of methods that lead nowhere, or say what no request can have. */
export function routeRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const { base, version, operations } = subject;
  const good = operations.SendMessage.encode({ message: subject.samples.message });
  const paths = [
    ...[
      "/",
      "/message:send/",
      "/message:sendx",
      "//",
      "/task",
      "/tasks/",
      "/tasks//",
      "//task",
      "/tasks/t1/",
    ],
    ...[
      "/tasks/t1/x",
      "/TASKS/t1",
      "/tasks/t1/pushNotificationConfigs/",
      "/tasks/t1/pushNotificationConfigs/p1/x",
    ],
    ...[
      "/a/b/tasks/t1",
      "/rpc/x",
      "/rpc//",
      "/extendedAgentCard/",
      "/card/",
      "/.well-known/agent.json",
      "/nowhere",
    ],
    ...[
      "/.well-known/agent-card.json/",
      "/tasks%2Ft1",
      "/message%3Asend",
      "/tasks/%",
      "/tasks/%zz",
      "/tasks/%ff",
    ],
    ...["/tasks/%c0%af", "/tasks/%ed%a0%80", "/%zz/tasks", "/a".repeat(5_000)],
  ];
  const queries = [
    ...[
      "historyLength=many",
      "historyLength=",
      "historyLength",
      "historyLength=1.5",
      "historyLength=99999999999",
    ],
    ...[
      "historyLength=1&historyLength=2",
      "historyLength=1&history_length=1",
      "historyLength=%",
      "historyLength=%ff",
    ],
    "historyLength=0x10",
    ...(version === "1.0"
      ? ["tenant=a&tenant=b", "tenant=%zz", "id=t2"]
      : [
          "name=tasks/t2",
          "name=t1",
          "name=tasks/t1&name=tasks/t1",
          "name=%zz",
          "historyLength=2147483648",
        ]),
  ];
  const lists = [
    "includeArtifacts=1",
    "includeArtifacts=True",
    "status=working",
    "statusTimestampAfter=yesterday",
  ];
  const ids = ['{"id":"t1"}', "[]", '["t1"]', deep.list, '{"toString":1}', "2"];
  const methods = ["Nope", "", "constructor", "sendMessage", "SendMessage/x", "__proto__"];
  return [
    ...[...new Set(paths.flatMap((path) => [path, base + path]))].map((path): Malformed => ({
      title: `the path ${path.slice(0, 50)}`,
      http: { method: "GET", path, headers: subject.headers },
      reason: "METHOD_NOT_FOUND",
    })),
    ...queries.map((query) => rows.get(`the query ${query}`, `/tasks/t1?${query}`)),
    ...(version === "1.0" ? tenantRows(rows) : []),
    ...(version === "1.0"
      ? lists.map((query) => rows.get(`the query ${query}`, `/acme/tasks?${query}`))
      : []),
    ...ids.map((id) =>
      rows.http(`the id ${id.slice(0, 20)} in a body`, "/tasks/t1:cancel", `{"id":${id}}`),
    ),
    rows.http("a list as the body of a call", "/tasks/t1:cancel", "[]"),
    rows.http("another id in the body than in the path", "/tasks/t1:cancel", { id: "t2" }, ["id"]),
    rows.http(
      "another id in the body of a stream than in the path",
      "/tasks/t1:subscribe",
      { id: "t2" },
      ["id"],
    ),
    ...methods.map((method): Malformed => ({
      title: `the method ${JSON.stringify(method)}`,
      grpc: { method, bytes: good },
      reason: "METHOD_NOT_FOUND",
    })),
  ];
}

/** Tenants and ids that the path says otherwise. */
function tenantRows(rows: Rows) {
  return [
    rows.http(
      "another tenant in the body than in the path",
      "/acme/tasks/t1:cancel",
      { tenant: "other" },
      ["tenant"],
    ),
    rows.http("another task of a webhook than in the path", "/tasks/t1/pushNotificationConfigs", {
      task_id: "t2",
      url: "u",
    }),
    rows.get("another tenant in the query than in the path", "/acme/tasks/t1?tenant=other", [
      "tenant",
    ]),
  ];
}

/** Bytes that are not a request in protobuf. */
export function bytesRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const { operations, numbers, samples } = subject;
  const { message } = samples;
  const good = operations.SendMessage.encode({ message });
  const metadataOf = (value: Uint8Array) =>
    wrap(Buffer.concat([field(1, "k"), field(2, value)]), 1, numbers.metadata);
  const garbage: [string, Uint8Array][] = [
    ["one byte", Uint8Array.of(0x12)],
    ["random bytes", Uint8Array.of(0xff, 0xff, 0xff, 0xff)],
    ["a message cut off", good.slice(0, -1)],
    ["a length beyond the end", Uint8Array.of(0x12, 0x7f, 0x00)],
    ["a length of four gigabytes", Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["a varint without end", new Uint8Array(40).fill(0xff)],
    ["the field number 0", Uint8Array.of(0x00, 0x00)],
    ["a string that is not UTF-8", Uint8Array.of(0x0a, 0x02, 0xff, 0xfe, 0x07)],
    ["the wire type 6", Uint8Array.of(0x16)],
    ["the wire type 7", Uint8Array.of(0x17)],
    ["a group without end", Uint8Array.of(0x0b)],
    ["a group that another one ends", Uint8Array.of(0x0b, 0x14)],
    ["groups nested deep", Buffer.alloc(10_000, 0x0b)],
    ["structs nested deep", metadataOf(nestedValue(10_000, "struct"))],
    ["lists nested deep", metadataOf(nestedValue(10_000, "list"))],
    ["JSON in place of bytes", Buffer.from(JSON.stringify({ message }))],
  ];
  return [
    ...garbage.map(([title, bytes]) => rows.grpc(title, "SendMessage", bytes)),
    rows.grpc(
      "an unknown enum number",
      "SendMessage",
      wrap(numberField(4, 99), numbers.message),
      "message.role",
    ),
  ];
}
