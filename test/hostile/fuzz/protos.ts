import type { Random } from "../../support/random/random.js";

const scalars = ["string", "int32", "uint64", "bytes", "bool", "double", "sint32", "fixed64", "float"];
const known = ["Timestamp", "Duration", "Struct", "Value", "Any", "FieldMask", "StringValue", "Empty", "ListValue"];
const fieldNames = [
  ...["id", "name", "text", "kind", "value", "items", "task_id", "class", "constructor", "to_string", "type", "error"],
  ...["a1", "A", "then", "default", "x_y_z", "_a", "a_", "await", "arguments", "is", "is_b", "at", "depth", "reader"],
];
const typeNames = [
  "A",
  "B",
  "Task",
  "Message",
  "Part",
  "Member",
  "_x",
  "a",
  "Node",
  "Item",
  "BSchema",
  "Names",
  "Fields",
];
/** Names that no output can have. */
const refused = ["__proto__", "Record", "Error", "Object", "Promise", "constructor"];
const verbs = ["get", "post", "put", "delete", "patch"];

/** A random proto: mostly one that the generator takes, with names that are hard to take. */
export function randomProto(random: Random): string {
  const name = (): string => random.pick(random.oneIn(30) ? refused : typeNames);
  const messages = [...new Set([...random.list(4, name), "Root"])];
  const enums = [...new Set(random.list(2, () => random.pick(["Kind", "State", "E", "Role"])))];
  const types = [...messages, ...enums];
  const parts = [
    ...messages.map((name) => message(name, types, random, 2)),
    ...enums.map((name) => enumeration(name, random)),
    ...(random.oneIn(2) ? [service(messages, random)] : []),
  ];
  const files = ["timestamp", "duration", "struct", "any", "field_mask", "wrappers", "empty"];
  const head = ['syntax = "proto3";', `package ${random.pick(["p", "a.b.v1", "constructor", "lf.a2a.v1"])};`];
  return [...head, ...files.map((file) => `import "google/protobuf/${file}.proto";`), ...parts].join("\n");
}

function message(name: string, types: readonly string[], random: Random, depth: number): string {
  const used = new Set<string>();
  let number = 0;
  const field = (isMember: boolean): string => {
    const picked = random.oneIn(60) ? "__proto__" : random.pick(fieldNames);
    if (used.has(picked)) return "";
    used.add(picked);
    number += 1 + random.below(3);
    return `  ${fieldType(types, random, isMember)} ${picked} = ${number}${options(random)};`;
  };
  const lines = random.list(6, () => field(false));
  if (random.oneIn(3)) {
    const members = [field(true), field(true)].filter((line) => line !== "");
    const choice = random.pick(["choice", "kind_of", "class", "_", "is_a", "value", "accepts_b"]);
    if (members.length > 0 && !used.has(choice)) lines.push(`  oneof ${choice} {`, ...members, "  }");
  }
  if (depth > 0 && random.oneIn(4)) lines.push(message(random.pick(typeNames), types, random, depth - 1));
  if (random.oneIn(8)) lines.push("  reserved 900 to 950;");
  return `// About ${name}.\nmessage ${name} {\n${lines.filter((line) => line !== "").join("\n")}\n}`;
}

function fieldType(types: readonly string[], random: Random, isMember: boolean): string {
  const one = (): string => {
    switch (random.below(4)) {
      case 0:
        return random.pick(types);
      case 1:
        return `google.protobuf.${random.pick(known)}`;
      default:
        return random.pick(scalars);
    }
  };
  if (isMember) return one();
  switch (random.below(6)) {
    case 0:
      return `repeated ${one()}`;
    case 1:
      return `map<${random.pick(["string", "int32", "bool"])}, ${one()}>`;
    case 2:
      return `optional ${one()}`;
    default:
      return one();
  }
}

function options(random: Random): string {
  if (!random.oneIn(4)) return "";
  return random.pick([
    " [(google.api.field_behavior) = REQUIRED]",
    ' [json_name = "other"]',
    ' [json_name = "@type"]',
    " [deprecated = true]",
    ' [json_name = "it\'s"]',
  ]);
}

function enumeration(name: string, random: Random): string {
  const values = random.list(
    4,
    () => `${random.oneIn(8) ? "" : `${name}_`}${random.pick(["A", "UNKNOWN", "class", "STATE_A", "toString", "A1"])}`,
  );
  const lines = [...new Set([`${name.toUpperCase()}_UNSPECIFIED`, ...values])].map(
    (value, at) => `  ${value} = ${at};`,
  );
  return `enum ${name} {\n${lines.join("\n")}\n}`;
}

function service(messages: readonly string[], random: Random): string {
  const rpc = (name: string): string => {
    const [request, response] = [random.pick(messages), random.pick([...messages, "google.protobuf.Empty"])];
    const path = random.pick(["/a", "/a/{id}", "/{name=x/*}:do", "/{name=**}", "/a/{id}/b/{task_id}", "/v1:x"]);
    const body = random.oneIn(2) ? ' body: "*"' : "";
    const http = random.oneIn(2) ? `{ option (google.api.http) = { ${random.pick(verbs)}: "${path}"${body} }; }` : ";";
    return `  rpc ${name}(${random.oneIn(6) ? "stream " : ""}${request}) returns (${random.oneIn(3) ? "stream " : ""}${response})${http}`;
  };
  const names = [
    ...new Set(
      random.list(3, () =>
        random.pick(["Get", "Do", "List", "call", "Open", "Delete", random.oneIn(10) ? "Then" : "Send"]),
      ),
    ),
  ];
  return `service Agent {\n${names.map(rpc).join("\n")}\n}`;
}
