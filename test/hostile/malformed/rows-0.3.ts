import { field, messageBytes, numberField } from "../bytes.js";
import type { Subject } from "../subject.js";
import { deep, inherited, withMember } from "./rows.js";
import { Rows, type Malformed } from "./row.js";

/**
 * Malformed requests that only 0.3.0 can have: HTTP+JSON accepts ProtoJSON and the JSON of the
 * model, and gRPC has resource names.
 */
export function rows03(subject: Subject): Malformed[] {
  return [
    ...kindRows(subject),
    ...dialectRows(subject),
    ...nameRows(subject),
    ...oneofRows(subject),
  ];
}

const proto = { messageId: "m1", role: "ROLE_USER", content: [{ text: "hello" }] };

function kindRows(subject: Subject) {
  const rows = new Rows(subject);
  const { message } = subject.samples;
  const parts = (title: string, value: string, named: string) =>
    rows.message(title, withMember(message, "parts", value), `message.parts.${named}`);
  return [
    ...["x", "video", ...inherited].map((kind) =>
      parts(`the kind ${kind} of a part`, `[{"kind":"${kind}","text":"a"}]`, "0.kind"),
    ),
    ...["task", ...inherited].map((kind) =>
      rows.message(
        `the kind ${kind} of a message`,
        withMember(message, "kind", `"${kind}"`),
        "message.kind",
      ),
    ),
    parts("the kind of another part", '[{"kind":"file","text":"a"}]', "0.file"),
    parts("a part of text without text", '[{"kind":"text","data":{}}]', "0.text"),
    parts("a file without content", '[{"kind":"file","file":{}}]', "0.file"),
    parts("a part without a kind", '[{"kind":"text","text":"a"},{}]', "1.kind"),
    parts("a list of kinds", '[{"kind":["text"],"text":"a"}]', "0.kind"),
    parts("data that is nested too deeply", `[{"kind":"data","data":${deep.object}}]`, "0.data"),
    parts("data that is a list", '[{"kind":"data","data":[1]}]', "0.data"),
    parts("a kind that is nested too deeply", `[{"kind":${deep.list}}]`, "0.kind"),
  ];
}

function dialectRows(subject: Subject) {
  const rows = new Rows(subject);
  const model = subject.samples.message;
  const send = (title: string, message: object | string, named: Malformed["field"]) =>
    rows.http(title, "/message:send", typeof message === "string" ? message : { message }, named);
  const content = (part: object): object => ({ ...proto, content: [part] });
  const limit = (message: object, value: string) =>
    `{"message":${JSON.stringify(message)},"configuration":{"historyLength":${value}}}`;
  const inside = (message: object, key: string, value: string) => withMember(message, key, value);
  return [
    send(
      "an enum value of ProtoJSON in the model",
      { ...model, role: "ROLE_USER" },
      "message.parts",
    ),
    ...["user", "ROLE_UNKNOWN", 99, ...inherited].map((role) =>
      send(`the role ${role} in ProtoJSON`, { ...proto, role }, ["message.role"]),
    ),
    send(
      "a part of two kinds in the model",
      { ...model, parts: [{ text: "a", file: { uri: "u" } }] },
      "message.parts.0.kind",
    ),
    send(
      "a file of ProtoJSON in the model",
      { ...model, parts: [{ kind: "file", file: { fileWithUri: "u" } }] },
      "message.parts.0.file",
    ),
    send(
      "a file of the model in ProtoJSON",
      content({ file: { uri: "u" } }),
      "message.parts.0.file",
    ),
    send(
      "data of the model in ProtoJSON",
      content({ data: { a: 1 } }),
      "message.content.0.data.data",
    ),
    send(
      "a file with two contents in ProtoJSON",
      content({ file: { fileWithUri: "u", fileWithBytes: "AAEC" } }),
      "message.content.0.file",
    ),
    send(
      "a file with both names of a field",
      content({ file: { file_with_uri: "u", fileWithUri: "u" } }),
      "message.content.0.file",
    ),
    send(
      "a text with a file in ProtoJSON",
      content({ text: "a", file: { fileWithUri: "u" } }),
      "message.content.0",
    ),
    send(
      "a text with data in ProtoJSON",
      content({ text: "a", data: { data: {} } }),
      "message.content.0",
    ),
    send(
      "an empty part in ProtoJSON",
      { ...proto, content: [{ text: "a" }, {}] },
      "message.content.1",
    ),
    send("both names of a field in ProtoJSON", { ...proto, message_id: "m1" }, "message"),
    send("both names of the message", JSON.stringify({ request: proto, message: proto }), [""]),
    ...inherited.map((name) =>
      send(
        `the member ${name} in a part`,
        withMember(proto, "content", `[{"${name}":{"text":"a"}}]`),
        undefined,
      ),
    ),
    ...inherited.map((name) =>
      send(`a message below ${name}`, `{"${name}":${JSON.stringify({ message: proto })}}`, [
        "message",
      ]),
    ),
    send(
      "metadata that is nested too deeply in ProtoJSON",
      inside(proto, "metadata", deep.object),
      "message.metadata",
    ),
    send(
      "content that is nested too deeply",
      inside(proto, "content", deep.list),
      "message.content.0",
    ),
    send(
      "data nested deep in ProtoJSON",
      inside(proto, "content", `[{"data":{"data":${deep.object}}}]`),
      "message.content.0.data.data",
    ),
    send("a role that is nested too deeply", inside(proto, "role", deep.list), "message.role"),
    send(
      "a message that is nested too deeply",
      `{"message":${deep.object},"x":${deep.object}}`,
      "message.messageId",
    ),
    ...["2147483648", "-2147483649", "1e300", "9007199254740993"].flatMap((value) => [
      send(`the limit ${value} in ProtoJSON`, limit(proto, value), ["configuration.historyLength"]),
      rows.get(`the limit ${value} in a query`, `/tasks/t1?historyLength=${value}`, [
        "historyLength",
      ]),
    ]),
    ...["1.5", "1e999", "true", "[1]", "{}", '"x"'].flatMap((value) =>
      [proto, model].map((message) =>
        send(`the limit ${value} for ${message.role}`, limit(message, value), [
          "configuration.historyLength",
        ]),
      ),
    ),
  ];
}

function nameRows(subject: Subject): Malformed[] {
  const rows = new Rows(subject);
  const webhooks = "/tasks/t1/pushNotificationConfigs";
  const config = { url: "http://127.0.0.1/hook" };
  const name = "tasks/t1/pushNotificationConfigs/c";
  const others: unknown[] = [
    ...[
      "tasks/t2/pushNotificationConfigs/c",
      "tasks/../pushNotificationConfigs/..",
      "..",
      "c",
      "webhooks/c",
    ],
    ...[
      "tasks//pushNotificationConfigs/",
      `${name}/x`,
      name.toUpperCase(),
      `/${name}`,
      "tasks/".repeat(100_000),
    ],
    ...[
      "tasks%2Ft1%2FpushNotificationConfigs%2Fc",
      `tasks/${"x".repeat(500_000)}/pushNotificationConfigs/c`,
    ],
    ...[7, [name], { toString: name }, true],
  ];
  const queries = [
    ...["/tasks/t1?name=tasks/t2", `${webhooks}?parent=tasks/t2`, `${webhooks}/c?name=tasks/t1`],
    ...[
      `${webhooks}/c?name=tasks/t1/pushNotificationConfigs/d`,
      "/tasks/t1:subscribe?name=tasks/t2",
    ],
  ];
  const segments = ["", "/", "%", "%ff", "%ED%A0%80", "%c0%af", "a/b", "../t1"];
  const methods = ["GetTask", "CancelTask", "TaskSubscription", "ListTaskPushNotificationConfig"];
  const deeper = ["GetTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"];
  const wrong = [
    ...[
      "",
      "t1",
      "tasks/",
      "tasks//pushNotificationConfigs/",
      "tasks/../x",
      "TASKS/t1",
      "/tasks/t1",
      "tasks/t1/",
    ],
    ...["tasks/t1/pushNotificationConfigs/c/d", "tasks/".repeat(300_000)],
  ];
  const shown = (value: unknown) => JSON.stringify(value).slice(0, 50);
  const called = (method: string, bytes: Uint8Array | string) =>
    rows.grpc(`the name ${shown(bytes.toString())} of ${method}`, method, field(1, bytes));
  const create = (parent: string, id: string, resource: string) => {
    const webhook = field(3, Buffer.concat([field(1, resource), field(2, field(2, config.url))]));
    const bytes = Buffer.concat([field(1, parent), field(2, id), webhook]);
    return rows.grpc(
      `a webhook ${shown([parent, id, resource])}`,
      "CreateTaskPushNotificationConfig",
      bytes,
    );
  };
  return [
    ...others.flatMap((other) => [
      rows.http(`the name ${shown(other)} of a webhook`, webhooks, {
        name: other,
        pushNotificationConfig: config,
      }),
      rows.http(`the name ${shown(other)} of a task`, "/tasks/t1:cancel", { name: other }),
    ]),
    rows.http("the name of a task for a webhook", webhooks, {
      name: "tasks/t1",
      pushNotificationConfig: config,
    }),
    rows.http("another task than in the name", webhooks, {
      name,
      taskId: "t2",
      pushNotificationConfig: config,
    }),
    rows.http(
      "another task than in the path",
      webhooks,
      { taskId: "t2", pushNotificationConfig: config },
      ["taskId"],
    ),
    rows.http("a list as a task", webhooks, { taskId: ["t1"], pushNotificationConfig: config }),
    rows.http("another parent in the query", `${webhooks}?parent=tasks/t2`, {
      pushNotificationConfig: config,
    }),
    rows.http("the id of a webhook with a slash", webhooks, {
      pushNotificationConfig: { ...config, id: "a/b" },
    }),
    rows.http("the id of a webhook with a slash in the query", `${webhooks}?configId=a/b`, {
      pushNotificationConfig: config,
    }),
    rows.http("a webhook without a configuration", webhooks, {}, undefined),
    ...queries.map((path) => rows.get(`the query ${path}`, path)),
    ...segments
      .flatMap((segment) => [`/tasks/${segment}`, `${webhooks}/${segment}`])
      .map((path): Malformed => ({
        title: `the path ${path}`,
        http: { method: "GET", path: subject.base + path },
        reason: "METHOD_NOT_FOUND",
      })),
    ...[...methods, ...deeper].flatMap((method) => wrong.map((given) => called(method, given))),
    ...deeper.map((method) => called(method, "tasks/t1")),
    ...methods.map((method) => called(method, name)),
    ...[
      [0xff, 0xfe],
      [0xed, 0xa0, 0x80],
      [0xc0, 0xaf],
    ].map((bytes) => called("GetTask", Buffer.from([...Buffer.from("tasks/"), ...bytes]))),
    ...["tasks/b", "x"].map((second) =>
      rows.grpc(
        `the names tasks/a and ${second}`,
        "GetTask",
        Buffer.concat([field(1, "tasks/a"), field(1, second)]),
      ),
    ),
    create("tasks/a", "c", "tasks/b/pushNotificationConfigs/c"),
    create("tasks/a", "c", "tasks/a/pushNotificationConfigs/d"),
    create("tasks/a", "c", "c"),
    create("tasks/a/b", "c", ""),
    create("a", "c", ""),
    create("", "c", ""),
    create("tasks/t1", "a/b", ""),
  ];
}

/**
 * Values that protobuf can represent and the model cannot: unknown enum numbers, and unions without
 * a member.
 */
function oneofRows(subject: Subject) {
  const rows = new Rows(subject);
  const part = (title: string, bytes: Uint8Array, named: string) =>
    rows.grpc(title, "SendMessage", messageBytes(subject, bytes), `message.parts.0.${named}`);
  const good = messageBytes(subject, field(1, "hi"), field(2, field(1, "http://a")));
  const roles: [string, number | bigint][] = [
    ["the enum number for none", 0],
    ["an enum number below 0", -1n],
    ["an enum number beyond int32", 2n ** 31n],
  ];
  return [
    part("an empty part", new Uint8Array(), "kind"),
    part("a part with an unknown member", field(9, "x"), "kind"),
    part("a file without content", field(2, ""), "file"),
    part("a file that only has a media type", field(2, field(3, "text/plain")), "file"),
    part("data without content", field(3, ""), "data"),
    ...roles.map(([title, role]) => {
      const message = Buffer.concat([
        field(1, "m1"),
        numberField(4, role),
        field(5, field(1, "hi")),
      ]);
      return rows.grpc(title, "SendMessage", field(1, message), "message.role");
    }),
    ...Array.from({ length: good.length - 1 }, (_, index) =>
      rows.grpc(
        `a message truncated after ${index + 1} bytes`,
        "SendMessage",
        good.subarray(0, index + 1),
      ),
    ),
  ];
}
