import { ts } from "ts-morph";
import { membersOf, type Member } from "./members.js";
import type { Body } from "./parse.js";
import type { Style } from "./style.js";
import * as text from "./text.js";
import type { Insertion } from "./types.js";

/** Method to insert into a body. */
export interface NewMethod {
  readonly name: string;
  /** Prints the method with an indentation, without separators. */
  readonly write: (indentation: string) => string;
}

/** Context of an insertion into a body. */
export interface Surroundings {
  readonly source: ts.SourceFile;
  readonly style: Style;
  /** Names of all methods of the interface, in the order of the specification. */
  readonly order: readonly string[];
  readonly nameOf: (member: Member) => string | undefined;
}

/**
 * Plans the insertion of new methods into a body: after the method that precedes them in the specification, otherwise
 * before the method that follows them, otherwise at the end.
 */
export function insertMethods(body: Body, methods: readonly NewMethod[], around: Surroundings): Insertion[] {
  const groups = new Map<string, { readonly anchor: Anchor; readonly methods: NewMethod[] }>();
  for (const method of methods) {
    const anchor = anchorOf(body, method.name, around);
    const key = `${anchor.kind} ${anchor.member?.pos ?? ""}`;
    const group = groups.get(key) ?? { anchor, methods: [] };
    group.methods.push(method);
    groups.set(key, group);
  }
  const insertions = [...groups.values()].flatMap((group) => insertionsAt(body, group.anchor, group.methods, around));
  return [...insertions, ...edges(body, insertions, around)];
}

/** Moves each member of a single-line body to its own line, unless the insertion of the new methods already does so. */
function edges(body: Body, insertions: readonly Insertion[], { source, style }: Surroundings): Insertion[] {
  const [open, close] = [openEnd(body, source), body.end - 1];
  const inner = source.text.slice(open, close);
  if (text.lines(inner) > 0 || membersOf(body).length === 0) return [];
  const [leading, trailing] = [inner.length - inner.trimStart().length, inner.length - inner.trimEnd().length];
  const first = { at: open, text: style.eol + memberIndentation(body, { source, style }), replacedLength: leading };
  const last = { at: close - trailing, text: style.eol + closingIndentation(body, source), replacedLength: trailing };
  return [
    ...(insertions.some(({ at }) => at === open) ? [] : [first]),
    ...(insertions.some(({ at, replacedLength = 0 }) => at + replacedLength === close) ? [] : [last]),
  ];
}

interface Anchor {
  readonly kind: "behind" | "before" | "inside";
  readonly member?: Member;
}

function anchorOf(body: Body, name: string, { order, nameOf }: Surroundings): Anchor {
  const members = membersOf(body);
  const index = order.indexOf(name);
  const named = (names: readonly string[]) => names.map((one) => members.findLast((member) => nameOf(member) === one));
  const earlier = named(order.slice(0, index)).findLast((member) => member !== undefined);
  if (earlier !== undefined) return { kind: "behind", member: withSemicolon(members, earlier) };
  const later = order.slice(index + 1).map((one) => members.find((member) => nameOf(member) === one));
  const next = later.find((member) => member !== undefined);
  if (next !== undefined) return { kind: "before", member: next };
  const last = members.at(-1);
  return last === undefined ? { kind: "inside" } : { kind: "behind", member: last };
}

/** Returns the semicolon after a method, if any. The semicolon is a separate member, but must stay with the method. */
function withSemicolon(members: readonly Member[], member: Member): Member {
  const next = members[members.indexOf(member) + 1];
  return next !== undefined && ts.isSemicolonClassElement(next) ? next : member;
}

function insertionsAt(body: Body, anchor: Anchor, methods: readonly NewMethod[], around: Surroundings): Insertion[] {
  const indentation = memberIndentation(body, around);
  const { member } = anchor;
  const texts = methods.map((method) => method.write(indentation));
  if (member === undefined) return [inside(body, texts, around)];
  return anchor.kind === "before" ? [before(body, member, texts, around)] : insertAfter(body, member, texts, around);
}

function separator(body: Body): string {
  return ts.isObjectLiteralExpression(body) ? "," : "";
}

function insertAfter(
  body: Body,
  member: Member,
  texts: readonly string[],
  { source, style }: Surroundings,
): Insertion[] {
  const { eol } = style;
  const all = source.text;
  const isObject = ts.isObjectLiteralExpression(body);
  const comma = isObject ? text.commaAfter(all, member.end) : undefined;
  const isCommaMissing = isObject && comma === undefined;
  const at = text.endOfTrailing(all, comma === undefined ? member.end : comma + 1);
  const joined = texts.join(`${separator(body)}${eol}${eol}`) + (isCommaMissing ? "" : separator(body));
  const gap = gapAfter(body, at, source, style);
  const added = { ...gap, at, text: `${eol}${eol}${joined}${gap.text}` };
  // Insert the missing comma directly after the member, before its trailing comment.
  if (!isCommaMissing) return [added];
  return at === member.end ? [{ ...added, text: `,${added.text}` }] : [{ at: member.end, text: "," }, added];
}

/**
 * Returns the separator between a new method and the following text, and the length of the whitespace that the
 * separator replaces.
 */
function gapAfter(body: Body, at: number, source: ts.SourceFile, style: Style): Omit<Insertion, "at"> {
  const { eol } = style;
  const gap = /^\s*/.exec(source.text.slice(at))?.[0] ?? "";
  const isLast = at + gap.length === body.end - 1;
  const count = text.lines(gap);
  if (count > 0) return { text: isLast || count > 1 ? "" : eol };
  const replacedLength = gap.length;
  if (isLast) return { text: `${eol}${closingIndentation(body, source)}`, replacedLength };
  return { text: `${eol}${eol}${memberIndentation(body, { source, style })}`, replacedLength };
}

function before(body: Body, member: Member, texts: readonly string[], { source, style }: Surroundings): Insertion {
  const { eol } = style;
  const all = source.text;
  const start = text.startWithComments(all, member, source);
  const joined = texts.join(`${separator(body)}${eol}${eol}`) + separator(body);
  if (!text.isAtLineStart(all, start)) {
    const replacedLength = /[ \t]*$/.exec(all.slice(0, start))?.[0].length ?? 0;
    const gap = start - replacedLength === openEnd(body, source) ? eol : eol + eol;
    const indentation = memberIndentation(body, { source, style });
    return { at: start - replacedLength, text: `${gap}${joined}${eol}${eol}${indentation}`, replacedLength };
  }
  const at = text.lineStart(all, start);
  const above = /\s*$/.exec(all.slice(0, at))?.[0] ?? "";
  const isFirst = at - above.length === openEnd(body, source);
  return { at, text: `${isFirst || text.lines(above) > 1 ? "" : eol}${joined}${eol}${eol}` };
}

function inside(body: Body, texts: readonly string[], { source, style }: Surroundings): Insertion {
  const { eol } = style;
  const all = source.text;
  const close = body.end - 1;
  const at = all.slice(0, close).trimEnd().length;
  const isEmpty = at === openEnd(body, source);
  const joined = texts.join(`${separator(body)}${eol}${eol}`) + separator(body);
  const begin = `${eol}${isEmpty ? "" : eol}${joined}`;
  if (text.lines(all.slice(at, close)) > 0) return { at, text: begin };
  return { at, text: `${begin}${eol}${closingIndentation(body, source)}`, replacedLength: close - at };
}

/** Returns the position after the opening brace. */
function openEnd(body: Body, source: ts.SourceFile): number {
  if (ts.isObjectLiteralExpression(body)) return body.getStart(source) + 1;
  return body.members.pos;
}

function closingIndentation(body: Body, source: ts.SourceFile): string {
  const close = body.end - 1;
  return text.indentationAt(source.text, text.isAtLineStart(source.text, close) ? close : body.getStart(source));
}

function memberIndentation(body: Body, { source, style }: Pick<Surroundings, "source" | "style">): string {
  const starts = membersOf(body).map((member) => member.getStart(source));
  const first = starts.find((start) => text.isAtLineStart(source.text, start));
  if (first !== undefined) return text.indentationAt(source.text, first);
  return closingIndentation(body, source) + style.unit;
}
