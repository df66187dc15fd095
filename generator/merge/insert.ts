import { ts } from "ts-morph";
import { membersOf, type Body, type Member, type Scope } from "./scope.js";
import { restyle, type Style } from "./style.js";
import * as text from "./text.js";
import type { Insertion, ServiceMethod } from "./types.js";

/**
 * Body with the style of its file, and the names of all methods of the service in the order of the
 * specification.
 */
interface Surroundings {
  readonly body: Body;
  readonly scope: Scope;
  readonly style: Style;
  readonly order: readonly string[];
  /** Returns the local name of an import. */
  readonly local: (name: string) => string;
}

/**
 * Plans the insertion of new methods into a body: after the method that precedes them in the
 * specification, otherwise before the method that follows them, otherwise at the end.
 */
export function insertMethods(
  methods: readonly ServiceMethod[],
  around: Surroundings,
): Insertion[] {
  const members = membersOf(around.body);
  const groups = new Map<number, ServiceMethod[]>();
  for (const method of methods) {
    const index = indexFor(method.name, around);
    groups.set(index, [...(groups.get(index) ?? []), method]);
  }
  return [...groups].flatMap(([index, group]) => insertAfter(members[index - 1], group, around));
}

/** Returns the number of members before a new method. */
function indexFor(name: string, { body, scope, order }: Surroundings): number {
  const members = membersOf(body);
  const implemented = (names: readonly string[]): readonly Member[] =>
    names.flatMap((method) => scope.membersOf(body, method));
  const position = order.indexOf(name);
  const earlier = implemented(order.slice(0, position)).at(-1);
  const later = implemented(order.slice(position + 1)).at(0);
  if (earlier === undefined) return later === undefined ? members.length : members.indexOf(later);
  const index = members.indexOf(earlier) + 1;
  // The semicolon after a method is a separate member, but must stay with the method.
  const next = members[index];
  return next !== undefined && ts.isSemicolonClassElement(next) ? index + 1 : index;
}

/** Inserts methods after a member, or at the start of a body. */
function insertAfter(
  member: Member | undefined,
  methods: readonly ServiceMethod[],
  around: Surroundings,
): Insertion[] {
  const { body, scope, style } = around;
  const { eol } = style;
  const all = scope.source.text;
  const members = membersOf(body);
  const close = body.end - 1;
  const isObject = ts.isObjectLiteralExpression(body);
  const comma = isObject && member !== undefined ? text.endOfComma(members, member) : undefined;
  const isCommaMissing = isObject && member !== undefined && comma === undefined;
  const end = members.length === 0 ? all.slice(0, close).trimEnd().length : members.pos;
  const at = text.endOfTrailing(all, comma ?? member?.end ?? end);
  const gap = /^\s*/.exec(all.slice(at))?.[0] ?? "";
  const isLast = at + gap.length === close;
  const isInline = text.lines(gap) === 0;

  const indentation = memberIndentation(around);
  const separator = isObject ? "," : "";
  const added = methods
    .map((method) => restyle(textOf(method, around), style, indentation))
    .join(`${separator}${eol}${eol}`);
  const head = at === members.pos ? eol : eol + eol;
  const blankLine = isLast || text.lines(gap) > 1 ? "" : eol;
  const tail = isInline
    ? eol + (isLast ? closingIndentation(around) : eol + indentation)
    : blankLine;
  const inserted = { at, text: head + added + (isCommaMissing ? "" : separator) + tail };
  // The missing comma belongs directly after the member, before its trailing comment.
  return isCommaMissing ? [{ at: member.end, text: "," }, inserted] : [inserted];
}

/** Returns the text of a method with the local names of its imports. */
function textOf({ text: parts, needs }: ServiceMethod, { local }: Surroundings): string {
  const texts = parts.map((part) =>
    typeof part === "string" ? part : local(needs[part]?.name ?? ""),
  );
  return texts.join("");
}

function closingIndentation({ body, scope: { source } }: Surroundings): string {
  return text.indentationAt(source.text, body.getStart(source));
}

function memberIndentation(around: Surroundings): string {
  const { source } = around.scope;
  const starts = membersOf(around.body).map((member) => member.getStart(source));
  const first = starts.find((start) => text.isAtLineStart(source.text, start));
  return first === undefined
    ? closingIndentation(around) + around.style.unit
    : text.indentationAt(source.text, first);
}
