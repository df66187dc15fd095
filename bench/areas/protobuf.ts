import {
  fromBinary,
  fromJsonString,
  toBinary,
  toJsonString,
  type DescMessage,
} from "@bufbuild/protobuf";
import protobufjs from "protobufjs";
import {
  decodeSendMessageRequest,
  decodeTask,
  encodeSendMessageRequest,
  encodeTask,
} from "../../generated/1.0/protobuf.js";
import type { SendMessageRequest, Task } from "../../generated/1.0/models.js";
import {
  assertSendMessageRequest,
  assertTask,
  parseSendMessageRequest,
  parseTask,
} from "../../generated/1.0/validators.js";
import { findSource } from "../../test/support/output.js";
import { rates, thorough, type Effort } from "../clock.js";
import { sendRequest, task } from "../documents.js";
import { bufGenerate, loadPeer, writeA2a } from "../peers.js";
import { rate, type Result } from "../result.js";

/** The functions that ts-proto writes for a message. */
interface TsProto {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  fromJSON(value: unknown): unknown;
  toJSON(message: unknown): unknown;
}

/** A type of document, and all codecs for it. */
interface Subject {
  readonly name: string;
  readonly text: string;
  readonly encode: (value: never) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Task | SendMessageRequest;
  readonly assert: (value: unknown) => void;
  readonly parse: (value: unknown) => unknown;
  readonly tsProto: TsProto;
  readonly es: DescMessage;
  readonly protobufjs: protobufjs.Type;
}

/**
 * Measures codecs, each with values in its own form: JSON for our codec, messages for the others.
 */
export async function* measure(effort: Effort = thorough): AsyncGenerator<Result> {
  for (const subject of await subjectsOf()) {
    agree(subject);
    yield* ofBytes(subject, effort);
    yield* ofText(subject, effort);
  }
}

async function subjectsOf(): Promise<Subject[]> {
  const folder = writeA2a("protobuf");
  bufGenerate(folder, ["ts-proto", "protoc-gen-es"]);
  const tsProto = await loadPeer(folder, "ts-proto/main");
  const es = await loadPeer(folder, "protobuf-es/main_pb");
  // The reflection of protobufjs compiles its codecs at their first use, to the same code as its
  // static output.
  const text = findSource("1.0").proto?.text.replaceAll(/^import "google\/api\/.*$/gm, "") ?? "";
  const { root } = protobufjs.parse(text, new protobufjs.Root(), { keepCase: false });
  for (const name of ["empty", "struct", "timestamp"])
    root.addJSON(protobufjs.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});
  const peers = (type: string) => ({
    tsProto: tsProto[type] as TsProto,
    es: es[`${type}Schema`] as DescMessage,
    protobufjs: root.lookupType(`lf.a2a.v1.${type}`),
  });
  return [
    {
      name: "task with ten messages",
      text: JSON.stringify(task),
      encode: encodeTask,
      decode: decodeTask,
      assert: (value) => assertTask(value),
      parse: parseTask,
      ...peers("Task"),
    },
    {
      name: "send request",
      text: JSON.stringify(sendRequest),
      encode: encodeSendMessageRequest,
      decode: decodeSendMessageRequest,
      assert: (value) => assertSendMessageRequest(value),
      parse: parseSendMessageRequest,
      ...peers("SendMessageRequest"),
    },
  ];
}

async function* ofBytes(
  { name, text, encode, decode, tsProto, es, protobufjs }: Subject,
  effort: Effort,
): AsyncGenerator<Result> {
  const value = JSON.parse(text) as never;
  const bytes = encode(value);
  const [ofTsProto, ofEs, ofProtobufjs] = [
    tsProto.decode(bytes),
    fromBinary(es, bytes),
    protobufjs.decode(bytes),
  ];
  const encoding = await rates(
    {
      ours: () => encode(value),
      "ts-proto": () => tsProto.encode(ofTsProto).finish(),
      "protobuf-es": () => toBinary(es, ofEs),
      protobufjs: () => protobufjs.encode(ofProtobufjs).finish(),
    },
    effort,
  );
  const decoding = await rates(
    {
      ours: () => decode(bytes),
      "ts-proto": () => tsProto.decode(bytes),
      "protobuf-es": () => fromBinary(es, bytes),
      protobufjs: () => protobufjs.decode(bytes),
    },
    effort,
  );
  for (const peer of ["ts-proto", "protobuf-es", "protobufjs"] as const)
    yield rate(`encode a ${name}`, encoding.ours, peer, encoding[peer]);
  for (const peer of ["ts-proto", "protobuf-es", "protobufjs"] as const)
    yield rate(`decode a ${name}`, decoding.ours, peer, decoding[peer]);
}

/**
 * Measures the work of a proxy between JSON and gRPC. Our code either checks that the JSON is
 * canonical, including required fields, or reads all JSON that ProtoJSON parsers accept.
 * protobuf-es checks types, ts-proto does not check.
 */
async function* ofText(subject: Subject, effort: Effort): AsyncGenerator<Result> {
  const { name, text, encode, decode, assert, parse, tsProto, es } = subject;
  const bytes = encode(JSON.parse(text) as never);
  const checked = (value: unknown): Uint8Array => {
    assert(value);
    return encode(value as never);
  };
  const inwards = await rates(
    {
      ours: () => checked(JSON.parse(text)),
      lenient: () => encode(parse(JSON.parse(text)) as never),
      "ts-proto": () => tsProto.encode(tsProto.fromJSON(JSON.parse(text))).finish(),
      "protobuf-es": () => toBinary(es, fromJsonString(es, text)),
      bare: () => JSON.parse(text) as unknown,
    },
    effort,
  );
  const outwards = await rates(
    {
      ours: () => JSON.stringify(decode(bytes)),
      "ts-proto": () => JSON.stringify(tsProto.toJSON(tsProto.decode(bytes))),
      "protobuf-es": () => toJsonString(es, fromBinary(es, bytes)),
    },
    effort,
  );
  for (const peer of ["ts-proto", "protobuf-es"] as const) {
    yield rate(`JSON text of a ${name} to bytes, validated`, inwards.ours, peer, inwards[peer]);
    yield rate(
      `JSON text of a ${name} to bytes, parsed leniently`,
      inwards.lenient,
      peer,
      inwards[peer],
    );
  }
  yield rate(
    `JSON text of a ${name} to bytes, as a part of parsing it`,
    inwards.ours,
    "JSON.parse alone",
    inwards.bare,
  );
  for (const peer of ["ts-proto", "protobuf-es"] as const)
    yield rate(`bytes of a ${name} to JSON text`, outwards.ours, peer, outwards[peer]);
}

/**
 * Throws if a peer does not produce the same result for a document, because it would not do the
 * same work.
 */
function agree({ name, text, encode, decode, tsProto, es, protobufjs }: Subject): void {
  const value = JSON.parse(text) as never;
  const sizes = [
    encode(value),
    tsProto.encode(tsProto.fromJSON(value)).finish(),
    toBinary(es, fromJsonString(es, text)),
    protobufjs.encode(protobufjs.decode(encode(value))).finish(),
  ].map(({ length }) => length);
  const texts = [decode(encode(value)), tsProto.toJSON(tsProto.fromJSON(value))].map((made) =>
    sorted(made),
  );
  if (new Set(sizes).size > 1 || new Set([...texts, sorted(value)]).size > 1)
    throw new Error(`Not all write a ${name} alike: ${sizes.join(", ")} bytes`);
}

/** Returns JSON with sorted members. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
