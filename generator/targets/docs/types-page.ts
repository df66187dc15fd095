import { withOldNames } from "../../emit/legacy-docs.js";
import type {
  EnumDef,
  FieldDef,
  MessageDef,
  OneofDef,
  Protocol,
  TypeDef,
} from "../../protocol/model/types.js";
import { withLosses } from "../models/losses.js";
import { blocks, code, inline, prose, table, type Anchors } from "./markdown.js";
import { describeValue, type LinkTo } from "./value-types.js";

/** Returns the lines of the page with all types. */
export function typesPage(protocol: Protocol, anchors: Anchors): string[] {
  const linkTo: LinkTo = (name) => anchors.link(name);
  const sections = protocol.types.map((type) =>
    sectionOf(withOldNames(withLosses(type, protocol), protocol), linkTo),
  );
  return blocks(
    [`# Types of ${inline(protocol.title)}`],
    ["Types are described by their JSON."],
    ...sections,
  );
}

function sectionOf(type: TypeDef, linkTo: LinkTo): string[] {
  const head = blocks(
    [`## ${type.name}`],
    type.deprecated ? ["**Deprecated.**"] : [],
    prose(type.docs),
  );
  return blocks(head, contentOf(type, linkTo));
}

function contentOf(type: TypeDef, linkTo: LinkTo): string[] {
  switch (type.kind) {
    case "message":
      return messageLines(type, linkTo);
    case "enum":
      return enumTable(type);
    case "union":
      return blocks(
        [type.exclusive ? "Exactly one of:" : "One of:"],
        type.members.map((member) => `- ${describeValue(member, linkTo)}`),
      );
    case "alias":
      return [`The type is ${describeValue(type.type, linkTo)}.`];
  }
}

function messageLines({ fields, oneofs, rest }: MessageDef, linkTo: LinkTo): string[] {
  const hasNumbers = fields.some(({ proto }) => proto !== undefined);
  const number = (text: string): string[] => (hasNumbers ? [text] : []);
  const rows = fields.map((field) => [
    code(field.name),
    describeValue(field.type, linkTo),
    field.presence === "required" && field.oneof === undefined ? "yes" : "",
    ...number(field.proto === undefined ? "" : String(field.proto.number)),
    descriptionOf(field),
  ]);
  const members =
    rest?.others === undefined ? [] : [`Other members: ${describeValue(rest.others, linkTo)}.`];
  return blocks(
    rows.length === 0
      ? ["The object has no fields."]
      : table(["Field", "Type", "Required", ...number("Number"), "Description"], rows),
    oneofs.length === 0 ? [] : oneofs.map(oneofLine),
    members,
  );
}

function descriptionOf({ docs, deprecated, nonEmpty }: FieldDef): string {
  const notes = [
    deprecated ? "**Deprecated.**" : "",
    inline(docs),
    nonEmpty ? "At least one element." : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}

function oneofLine({ name, docs, required, members }: OneofDef): string {
  const list = members.map(code).join(", ");
  const rule = required ? "exactly one" : "at most one";
  const text = inline(docs);
  return `- ${code(name)}: ${rule} of ${list} is present.${text === "" ? "" : ` ${text}`}`;
}

function enumTable({ values }: EnumDef): string[] {
  const hasNumbers = values.some(({ number }) => number !== undefined);
  const numbers = (text: string): string[] => (hasNumbers ? [text] : []);
  const rows = values.map(({ name, key, number, aliases = [], docs, deprecated }) => {
    const spellings = aliases.length === 0 ? "" : `Also accepted: ${aliases.map(code).join(", ")}.`;
    const notes = [deprecated ? "**Deprecated.**" : "", inline(docs), spellings];
    return [
      code(name),
      code(key),
      ...numbers(number === undefined ? "" : String(number)),
      notes.filter((note) => note !== "").join(" "),
    ];
  });
  return table(["Value", "Constant", ...numbers("Number"), "Description"], rows);
}
