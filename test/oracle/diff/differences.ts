import { surfaces, type Surface } from "../../../generator/diff/types.js";
import type { BufRule } from "./buf.js";
import type { Edited, EditName } from "./edits.js";

/** Edits that the command rates differently than buf, with reasons. */
interface Difference {
  readonly edits: readonly EditName[];
  /** Additional condition. */
  readonly when?: (edited: Edited) => boolean;
  /** Rating of the command that contradicts buf. */
  readonly says: Readonly<Partial<Record<Surface, boolean>>>;
  readonly reason: string;
}

/** All deliberate differences. Other edits are rated as in buf. */
export const differences: readonly Difference[] = [
  {
    edits: [
      "give a field another number",
      "swap the numbers of two fields",
      "give a value another number",
      "swap the numbers of two values",
    ],
    says: { source: false, json: false },
    reason:
      "Neither TypeScript nor JSON has numbers. For buf, a value with another number is removed.",
  },
  {
    edits: ["swap the numbers of two fields", "swap the numbers of two values"],
    says: { protobuf: true },
    reason:
      "Each is read as the other. For buf they have only changed their names, as long as the types fit.",
  },
  {
    edits: ["give a field presence", "take presence from a field"],
    says: { source: false },
    reason: "The property is optional in TypeScript either way.",
  },
  {
    edits: ["give a field another type"],
    when: ({ from = "", to = "" }) => inTypeScript(from) === inTypeScript(to),
    says: { source: false },
    reason: "TypeScript has the types of JSON: a number is a number.",
  },
  {
    edits: ["give a field another type"],
    when: ({ from = "", to = "" }) => inJson(from) === inJson(to) || isWider(from, to),
    says: { json: false },
    reason: "The command rates JSON separately. For buf, WIRE_JSON also includes the bytes.",
  },
  {
    edits: ["rename a field, but not in JSON"],
    says: { source: false },
    reason: "TypeScript has the names of JSON.",
  },
  {
    edits: ["rename a field, but not in JSON"],
    when: ({ to }) => to === "the same spelling",
    says: { json: false },
    reason:
      "JSON is read with the name of the proto, too; here that is the name in JSON, which stays.",
  },
  {
    edits: ["rename a field", "rename a field, but not in JSON"],
    when: ({ from }) => from?.startsWith("map") === true,
    says: { protobuf: false },
    reason:
      "The type of a map's entries is named after the field, and for buf another type; its bytes are the same.",
  },
  {
    edits: ["use a number again"],
    when: ({ from, to }) => from === "map<string, string>" && to === "map<string, bytes>",
    says: { protobuf: false },
    reason: "The same: text is read as bytes, in a map as elsewhere.",
  },
  {
    edits: ["rename a oneof"],
    says: { json: false, protobuf: false },
    reason: "The name of a oneof does not travel.",
  },
  {
    edits: ["rename a oneof"],
    when: ({ from }) => from === "all",
    says: { source: false },
    reason:
      "Where a message is nothing but a oneof, TypeScript does not have the name of the oneof.",
  },
  {
    edits: ["rename a message", "rename an enum"],
    says: { json: false, protobuf: false },
    reason:
      "A type with the same fields and another name is the same on the wire. buf compares names.",
  },
  {
    edits: ["remove an rpc", "rename an rpc"],
    says: { protobuf: true },
    reason: "Callers get no answer. For buf the bytes of the messages are still the same.",
  },
  {
    edits: ["remove an rpc"],
    when: ({ from }) => from === "routes",
    says: { json: true },
    reason: "Callers of its route get no answer.",
  },
  {
    edits: ["rename the service"],
    says: { source: false, protobuf: true },
    reason: "The name of the service is in the path of gRPC, and nowhere in TypeScript.",
  },
  {
    edits: ["add a required field", "make a field required", "make a field optional"],
    says: { source: true, json: true },
    reason: "buf does not read google.api.field_behavior.",
  },
  {
    edits: ["change a route", "remove a route"],
    says: { json: true },
    reason: "buf does not read google.api.http.",
  },
];

const integers = ["int32", "uint32", "sint32", "fixed32", "sfixed32"];
const longs = ["int64", "uint64", "sint64", "fixed64", "sfixed64"];

/** Form of a type in ProtoJSON. */
function inJson(type: string) {
  if (integers.includes(type)) return "integer";
  if (longs.includes(type)) return "integer in text";
  return type === "float" ? "double" : type;
}

function inTypeScript(type: string) {
  return [...longs, "bytes"].includes(type) ? "string" : inJson(type);
}

/**
 * Whether JSON of the one type is always JSON of the other: numbers take integers, and text takes
 * what is text.
 */
function isWider(from: string, to: string) {
  if (to === "string") return [...longs, "bytes"].includes(from) || from.startsWith("Enum");
  return integers.includes(from) && ["float", "double"].includes(to);
}

const categories: Readonly<Record<Surface, string>> = {
  source: "FILE",
  json: "WIRE_JSON",
  protobuf: "WIRE",
};

/** Surfaces that an edit breaks according to buf: the category of a rule determines the surface. */
export function surfacesOf(
  rules: ReadonlySet<BufRule>,
  categoriesOf: ReadonlyMap<BufRule, readonly string[]>,
): ReadonlySet<Surface> {
  const met = new Set([...rules].flatMap((rule) => categoriesOf.get(rule) ?? []));
  return new Set(surfaces.filter((surface) => met.has(categories[surface])));
}

/** The differences that concern an edit. */
export function differencesOf(name: EditName, edited: Edited): readonly Difference[] {
  return differences.filter(
    ({ edits, when }) => edits.includes(name) && (when === undefined || when(edited)),
  );
}

/** Expected rating of the command for an edit, derived from the result of buf. */
export function expectedOf(
  name: EditName,
  edited: Edited,
  broken: ReadonlySet<Surface>,
): Surface[] {
  const says = Object.assign(
    {},
    ...differencesOf(name, edited).map((difference) => difference.says),
  ) as Partial<Record<Surface, boolean>>;
  return surfaces.filter((surface) => says[surface] ?? broken.has(surface));
}
