import type { SpecSource } from "../../../../../generator/input/source.js";
import type {
  Protocol,
  WireFieldDef,
  WireMessageDef,
} from "../../../../../generator/protocol/model/types.js";
import { problemsOf, readSource } from "../../input/proto/reading.js";

/** Content of a test pair: the members of `Question`, which a schema and a proto describe. */
export interface Pair {
  /** The properties of the definition `Question`. */
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** Other definitions, or `Question` itself. */
  readonly definitions?: Readonly<Record<string, unknown>>;
  /** The fields of the message `Question`. */
  readonly fields?: string;
  /** Other lines of the proto. */
  readonly proto?: string;
  /** The section `correlate` of the manifest, as YAML with an indent of two. */
  readonly correlate?: string;
}

const roles =
  "parse invalidRequest methodNotFound invalidParams internal unauthenticated permissionDenied unsupported contentType";

const base = `version: "1.0"
wireVersion: "1.0"
headers: { version: V, extensions: E }
mediaTypes: { http: application/json }
bindings: { jsonRpc: JSONRPC, http: HTTP+JSON, grpc: GRPC }
card: { type: Card, path: /card.json, interfaces: { list: others, url: url, binding: transport } }
errorDomain: letters.example
errors: { BrokenError: { jsonRpc: -1, http: 500, grpc: INTERNAL } }
errorRoles: { ${[...roles.split(" "), "invalidResponse"].map((role) => `${role}: BrokenError`).join(", ")} }
`;

const id = { type: ["string", "integer"] };
const jsonrpc = { const: "2.0" };
const other = {
  type: "object",
  properties: { url: { type: "string" }, transport: { type: "string" } },
};

function definitionsOf({
  properties = {},
  required = [],
  definitions = {},
}: Pair): Readonly<Record<string, unknown>> {
  return {
    AskRequest: {
      type: "object",
      properties: {
        id,
        jsonrpc,
        method: { const: "ask" },
        params: { $ref: "#/definitions/Question" },
      },
      required: ["id", "jsonrpc", "method", "params"],
    },
    AskSuccessResponse: {
      type: "object",
      properties: { id, jsonrpc, result: { $ref: "#/definitions/Answer" } },
      required: ["id", "jsonrpc", "result"],
    },
    Answer: { type: "object" },
    Card: {
      type: "object",
      properties: { others: { type: "array", items: { $ref: "#/definitions/Other" } } },
    },
    Other: other,
    Question: { type: "object", properties, required },
    ...definitions,
  };
}

/** A schema and a proto with one operation, `Ask`, whose request is `Question`. */
export function pairOf(pair: Pair): SpecSource {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: definitionsOf(pair),
  };
  const { fields = "", proto = "", correlate } = pair;
  const text = `syntax = "proto3";
package p;
service Letters { rpc Ask(Question) returns (Answer); }
message Answer {}
message Question {
${fields}
}
${proto}
`;
  const manifest =
    correlate === undefined ? [] : [{ file: "m.yaml", text: `correlate:\n${correlate}\n` }];
  return {
    title: "letters",
    proto: { file: "p.proto", text },
    schema: { file: "s.json", text: JSON.stringify(schema, null, 2) },
    manifests: [{ file: "base.yaml", text: base }, ...manifest],
    docs: [],
    borrowed: false,
    readImport: () => undefined,
  };
}

/** Reads a pair that fits together. */
export function correlate(pair: Pair): Protocol {
  return readSource(pairOf(pair));
}

/** Errors of a pair: each line starts with the location that `at` returns. */
export function complaints(pair: Pair): string[] {
  return problemsOf(pairOf(pair));
}

/** Location of the first occurrence of a text in one of the files of a pair. */
export function at(pair: Pair, file: "p.proto" | "s.json" | "m.yaml", text: string): string {
  const { proto, schema, manifests } = pairOf(pair);
  const whole = [proto, schema, ...manifests].find((one) => one?.file === file)?.text ?? "";
  const index = whole.indexOf(text);
  if (index < 0) throw new Error(`${file} has no ${text}`);
  const before = whole.slice(0, index).split("\n");
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** A message of the proto, and how it carries its type. */
export function carrierOf(protocol: Protocol, name: string): WireMessageDef {
  const found = protocol.wire?.messages.find((message) => message.name === name);
  if (found === undefined) throw new Error(`Unknown message ${name}`);
  return found;
}

/** The fields of the message `Question` by their names in the proto. */
export function fieldsOf(
  protocol: Protocol,
  message = "Question",
): Readonly<Record<string, WireFieldDef>> {
  return Object.fromEntries(
    carrierOf(protocol, message).fields.map((field) => [field.proto.name, field]),
  );
}

/** The path of each field of a message, or the kind of its value. */
export function pathsOf(
  protocol: Protocol,
  message = "Question",
): Readonly<Record<string, string>> {
  const entries = carrierOf(protocol, message).fields.map(({ proto, mapping }) => {
    return [
      proto.name,
      mapping.kind === "path" ? mapping.path.join(".") || "." : mapping.kind,
    ] as const;
  });
  return Object.fromEntries(entries);
}
