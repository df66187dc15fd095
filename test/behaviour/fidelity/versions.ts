import { join } from "node:path";
import protobuf from "protobufjs";
import type { SpecSource } from "../../../generator/input/source.js";
import type {
  Protocol,
  ValueType,
  WireDef,
  WireMessageDef,
} from "../../../generator/protocol/model/types.js";
import { readProtocol } from "../../../generator/core/read.js";
import { text } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { Values } from "../../support/random/values.js";
import { findSource, generateFrom, writeTo } from "../../support/output.js";
import { expectation } from "./expected.js";
import { makerOf } from "./forms.js";
import { madeUp } from "./made-up.js";
import { anchorsOf, choicesOf, lossesAt, type Anchor, type Binding } from "./report.js";

/**
 * The messages of the bundled versions that are a part of what another one carries, or one of
 * several.
 */
const shared = [
  ...[
    "CreateTaskPushNotificationConfigRequest",
    "ListTaskPushNotificationConfigResponse",
    "Part",
    "Security",
  ],
  ...["SecurityScheme", "SendMessageResponse", "StreamResponse", "StringList"],
];

/**
 * Subjects of the tests: the bundled versions whose JSON differs from the ProtoJSON of their
 * messages, and their losses.
 */
export const subjects = [
  ...["0.2.6", "0.3.0"].map((name) => ({
    name,
    source: findSource(name),
    choices: ["FilePart", "OAuthFlows"],
    shared,
  })),
  { name: "a made-up pair", source: madeUp, choices: ["Question"], shared: ["Content"] },
];

type Exports = Readonly<Record<string, unknown>>;
type Call = (...given: readonly unknown[]) => unknown;

/** A version under test: its sources, and random values that its transports can carry. */
export interface Version {
  readonly protocol: Protocol;
  readonly wire: WireDef;
  /** The messages that carry something. */
  readonly messages: readonly WireMessageDef[];
  readonly values: Values<readonly Anchor[]>;
  /** The same without empty strings, which other writers of ProtoJSON leave out. */
  readonly filled: Values<readonly Anchor[]>;
  readonly expected: (type: ValueType, value: unknown, over: Binding) => unknown;
  /** The text of the proto. */
  readonly proto: string;
}

/** Reads a version. */
export function readVersion(source: SpecSource): Version {
  const protocol = readProtocol(source);
  const { wire, losses } = protocol;
  if (wire === undefined) throw new Error(`${source.title} has no proto`);
  const valuesOf = (make: (random: Random) => string): Values<readonly Anchor[]> =>
    new Values(protocol, {
      text: make,
      enter: (anchors = [], message, field) => anchorsOf(anchors, message, field),
      field: (anchors) => makerOf(lossesAt(losses, anchors)),
      choices: (message) => choicesOf(losses, message),
    });
  return {
    protocol,
    wire,
    messages: wire.messages.filter(({ model }) => model.kind !== "never"),
    values: valuesOf(text),
    filled: valuesOf((random) => text(random) || "x"),
    expected: expectation(protocol),
    proto: source.proto?.text ?? "",
  };
}

/** The generated codecs and validators of a version. */
export interface Emitted {
  readonly encode: (message: string, value: unknown) => Uint8Array;
  readonly decode: (message: string, bytes: Uint8Array) => unknown;
  readonly toProtoJson: (message: string, value: unknown) => unknown;
  readonly fromProtoJson: (message: string, json: unknown) => unknown;
  readonly is: (type: string, value: unknown) => unknown;
  readonly parse: (type: string, value: unknown) => unknown;
}

/** Generates a version and loads what tests call. */
export async function emit(source: SpecSource): Promise<Emitted> {
  const folder = writeTo(join("fidelity", source.title), await generateFrom(source));
  const [codec, mappings, mapping, validators] = await Promise.all(
    ["protobuf", "protojson", "runtime/protobuf/mapping", "validators"].map(
      async (name) => (await import(join(folder, `${name}.ts`))) as Exports,
    ),
  );
  return {
    encode: (message, value) => call(codec, `encode${message}`)(value) as Uint8Array,
    decode: (message, bytes) => call(codec, `decode${message}`)(bytes),
    toProtoJson: (message, value) =>
      call(mapping, "toProtoJson")(mappings?.[`${message}Json`], value),
    fromProtoJson: (message, json) =>
      call(mapping, "fromProtoJson")(mappings?.[`${message}Json`], json),
    is: (type, value) => call(validators, `is${type}`)(value),
    parse: (type, value) => call(validators, `parse${type}`)(value),
  };
}

function call(module: Exports | undefined, name: string) {
  const found = module?.[name];
  if (typeof found !== "function") throw new Error(`Missing: ${name}`);
  return found as Call;
}

/** The messages of a proto as protobufjs sees them. */
export function reflect(proto: string): protobuf.Root {
  const root = new protobuf.Root();
  protobuf.parse(proto, root);
  for (const common of ["duration", "empty", "struct", "timestamp"])
    root.addJSON(protobuf.common.get(`google/protobuf/${common}.proto`)?.nested ?? {});
  root.resolveAll();
  return root;
}
