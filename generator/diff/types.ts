/** What a change can break: TypeScript code on the output, peers that speak JSON, and peers that speak protobuf. */
export const surfaces = ["source", "json", "protobuf"] as const;

/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number];

/**
 * The kinds of things that change:
 *
 * - `fact`: a property of the whole protocol, such as a header.
 * - `operation`, `method` (its name on JSON-RPC) and `route` (of HTTP+JSON).
 * - `error`: an error of the protocol, or its code on a transport.
 * - `type`, `field`, `oneof`, `value` (of an enum) and `member` (of a union): parts of the model.
 * - `message` and `number`: parts of protobuf, and of HTTP+JSON if its ProtoJSON is not the model.
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

/** The kind of change; `moved` means to another type. */
export type Action = "added" | "removed" | "renamed" | "moved" | "changed";

/** The reason why a change breaks a surface, for each surface that it breaks. */
export type Breaks = Readonly<Partial<Record<Surface, string>>>;

/** One difference between two specifications. */
export interface Change {
  readonly subject: Subject;
  readonly action: Action;
  /** The name before the change, if there was one, and after it otherwise: `Task.contextId`. */
  readonly name: string;
  /** The side of it that changed, if it has several: `response`. */
  readonly aspect?: string;
  /** The old and the new value, in short. */
  readonly from?: string;
  readonly to?: string;
  /** The note of the manifest about the difference. */
  readonly note?: string;
  /** The reason for each surface that it breaks. */
  readonly breaks: Breaks;
}

/** The part of a change that says what it is about. */
export type About = Pick<Change, "subject" | "name" | "aspect">;

/** Returns the change of a value, or an empty list if it is the same. A value that is added breaks nothing. */
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

/** Returns the change of a deprecation, or an empty list. A deprecation breaks nothing. */
export function deprecation(
  about: About,
  from: { readonly deprecated: boolean },
  to: { readonly deprecated: boolean },
): Change[] {
  const [before, now] = [from, to].map(({ deprecated }) => (deprecated ? "deprecated" : "not deprecated"));
  return changed(about, before, now, {});
}

/** Returns the part of a change that has the note, or an empty object. */
export function noted(note: string | undefined): Pick<Change, "note"> {
  return note === undefined ? {} : { note };
}
