/** Where a change can break something: TypeScript on the output, JSON that travels, and bytes of protobuf with gRPC. */
export const surfaces = ["source", "json", "protobuf"] as const;

/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number];

/**
 * What a change is about:
 *
 * - `fact`: what holds for the whole protocol, such as a header.
 * - `operation`, `method` (its name on JSON-RPC) and `route` (of HTTP+JSON).
 * - `error`: an error of the protocol, or its code on a transport.
 * - `type`, `field`, `oneof`, `value` (of an enum) and `member` (of a union): what TypeScript and JSON see.
 * - `message` and `number`: what protobuf carries, and HTTP+JSON where that is the ProtoJSON of other names.
 */
export const subjects = [
  "fact",
  "operation",
  "method",
  "route",
  "error",
  "type",
  "field",
  "oneof",
  "value",
  "member",
  "message",
  "number",
] as const;

/** One of {@link subjects}. */
export type Subject = (typeof subjects)[number];

/** What happened to it; `moved` goes to another type. */
export type Action = "added" | "removed" | "renamed" | "moved" | "changed";

/** Why a change breaks a surface, for those that it breaks. */
export type Breaks = Readonly<Partial<Record<Surface, string>>>;

/** One difference between two specifications. */
export interface Change {
  readonly subject: Subject;
  readonly action: Action;
  /** The name, before the change where there was one: `Task.contextId`. */
  readonly name: string;
  /** Which side of it the change is about, where it has several: `response`. */
  readonly aspect?: string;
  /** What it was, and what it is now, in short. */
  readonly from?: string;
  readonly to?: string;
  /** What the manifest says about the difference. */
  readonly note?: string;
  /** Why it breaks a surface; absent for those that it does not break. */
  readonly breaks: Breaks;
}

/** What a change is about, before it is known what has changed. */
export type About = Pick<Change, "subject" | "name" | "aspect">;

/** Gives the change of a value, or nothing where it is the same. What was not there before breaks nothing. */
export function changed(
  about: About,
  from: string | number | undefined,
  to: string | number | undefined,
  breaks: Breaks,
): Change[] {
  if (from === to) return [];
  return [
    {
      ...about,
      action: from === undefined ? "added" : to === undefined ? "removed" : "changed",
      ...(from !== undefined && { from: String(from) }),
      ...(to !== undefined && { to: String(to) }),
      breaks: from === undefined ? {} : breaks,
    },
  ];
}

/** Gives the change of a deprecation, which is worth a line and breaks nothing. */
export function deprecation(
  about: About,
  from: { readonly deprecated: boolean },
  to: { readonly deprecated: boolean },
): Change[] {
  const [before, now] = [from, to].map(({ deprecated }) => (deprecated ? "deprecated" : "not deprecated"));
  return changed(about, before, now, {});
}

/** Gives the part of a change that holds a note, where there is one. */
export function noted(note: string | undefined): Pick<Change, "note"> {
  return note === undefined ? {} : { note };
}
