import { ts } from "ts-morph";
import { membersOf, type Body, type Member, type Scope } from "./scope.js";
import { restyle, type Style } from "./style.js";
import * as text from "./text.js";
import type { Insertion } from "./types.js";

/** Method to insert into a body. */
export interface NewMethod {
  readonly name: string;
  /** Text in the style of the output. */
  readonly text: string;
}

/**
 * Body with the style of its file, and the names of all methods of the service in the order of the
 * specification.
 */
interface Surroundings {
  readonly body: Body;
  readonly scope: Scope;
  readonly style: Style;
  readonly order: readonly string[];
}

/**
 * Plans the insertion of new methods into a body: after the method that precedes them in the
 * specification, otherwise before the method that follows them, otherwise at the end.
 */
export function insertMethods(methods: readonly NewMethod[], around: Surroundings): Insertion[] {
  const members = membersOf(around.body);
  const groups = new Map<number, NewMethod[]>();
  for (const method of methods) {
    const index = indexFor(method.name, around);
    groups.set(index, [...(groups.get(index) ?? []), method]);
  }
  const insertions = [...groups].flatMap(([index, group]) =>
    insertAfter(members[index - 1], group, around),
  );
  return [...insertions, ...edges(insertions, around)];
}

/**
 * Moves the members of a single-line body to lines of their own, where the new methods do not
 * already do so.
 */
function edges(insertions: readonly Insertion[], around: Surroundings): Insertion[] {
  const { body, scope, style } = around;
  const [open, close] = [membersOf(body).pos, body.end - 1];
  const inner = scope.source.text.slice(open, close);
  if (text.lines(inner) > 0 || inner.trim() === "") return [];
  const [leading, trailing] = [
    inner.length - inner.trimStart().length,
    inner.length - inner.trimEnd().length,
  ];
  const first = { at: open, text: style.eol + memberIndentation(around), replacedLength: leading };
  const last = {
    at: close - trailing,
    text: style.eol + closingIndentation(around),
    replacedLength: trailing,
  };
  const isFree = ({ at, replacedLength }: Required<Insertion>): boolean =>
    !insertions.some(
      (one) => one.at === at || one.at + (one.replacedLength ?? 0) === at + replacedLength,
    );
  return [first, last].filter(isFree);
}

/** Returns the number of members before a new method. */
function indexFor(name: string, { body, scope, order }: Surroundings): number {
  const members = membersOf(body);
  const at = order.indexOf(name);
  const earlier = order
    .slice(0, at)
    .flatMap((one) => scope.membersOf(body, one).at(-1) ?? [])
    .at(-1);
  const later = order
    .slice(at + 1)
    .flatMap((one) => scope.membersOf(body, one).slice(0, 1))
    .at(0);
  const index =
    earlier !== undefined
      ? members.indexOf(earlier) + 1
      : later !== undefined
        ? members.indexOf(later)
        : members.length;
  // The semicolon after a method is a separate member, but must stay with the method.
  const next = members[index];
  return next !== undefined && ts.isSemicolonClassElement(next) ? index + 1 : index;
}

/** Inserts methods after a member, or at the start of a body. */
function insertAfter(
  member: Member | undefined,
  methods: readonly NewMethod[],
  around: Surroundings,
): Insertion[] {
  const { body, scope, style } = around;
  const { eol } = style;
  const all = scope.source.text;
  const members = membersOf(body);
  const close = body.end - 1;
  const isObject = ts.isObjectLiteralExpression(body);
  const indentation = memberIndentation(around);
  const texts = methods.map((method) => restyle(method.text, style, indentation));
  const comma = member && isObject ? text.endOfComma(membersOf(body), member) : undefined;
  const isCommaMissing = member !== undefined && isObject && comma === undefined;
  const end =
    members.length === 0
      ? all.slice(0, close).trimEnd().length
      : (comma ?? member?.end ?? members.pos);
  const at = text.endOfTrailing(all, end);
  const separator = isObject ? "," : "";
  const joined = texts.join(`${separator}${eol}${eol}`) + (isCommaMissing ? "" : separator);
  const begin = at === members.pos ? eol : eol + eol;
  const gap = /^\s*/.exec(all.slice(at))?.[0] ?? "";
  const isLast = at + gap.length === close;
  const added = { at, text: begin + joined };
  const inserted =
    text.lines(gap) > 0
      ? { ...added, text: added.text + (isLast || text.lines(gap) > 1 ? "" : eol) }
      : {
          at,
          text: added.text + eol + (isLast ? closingIndentation(around) : eol + indentation),
          replacedLength: gap.length,
        };
  // The missing comma belongs directly after the member, before its trailing comment.
  return isCommaMissing ? [{ at: member.end, text: "," }, inserted] : [inserted];
}

function closingIndentation({ body, scope: { source } }: Surroundings): string {
  const close = body.end - 1;
  return text.indentationAt(
    source.text,
    text.isAtLineStart(source.text, close) ? close : body.getStart(source),
  );
}

function memberIndentation(around: Surroundings): string {
  const { source } = around.scope;
  const starts = membersOf(around.body).map((member) => member.getStart(source));
  const first = starts.find((start) => text.isAtLineStart(source.text, start));
  return first === undefined
    ? closingIndentation(around) + around.style.unit
    : text.indentationAt(source.text, first);
}
