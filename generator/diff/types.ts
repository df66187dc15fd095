/**
 * Surfaces that a change can break: TypeScript code that uses the output, peers that use JSON, and
 * peers that use protobuf.
 */
export const surfaces = ["source", "json", "protobuf"] as const;

/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number];

/**
 * Subjects of changes:
 *
 * - `fact`: a property of the whole protocol, such as a header.
 * - `service`: a service that is not an agent.
 * - `operation`, `method` (its name on JSON-RPC) and `route` (of HTTP+JSON).
 * - `error`: a protocol error, or its code on a transport.
 * - `type`, `field`, `oneof`, `value` (of an enum) and `member` (of a union): parts of the model.
 * - `message` and `number`: parts of the proto. If the ProtoJSON of HTTP+JSON differs from the
 *   model, they also affect HTTP+JSON.
 */
export const subjects = [
  "fact",
  "service",
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

/** Kind of change; `moved` means to another type. */
export type Action = "added" | "removed" | "renamed" | "moved" | "changed";

/** Reason why a change breaks a surface, for each broken surface. */
export type Breaks = Readonly<Partial<Record<Surface, string>>>;

/** Difference between two specifications. */
export interface Change {
  readonly subject: Subject;
  readonly action: Action;
  /** Name before the change or, for an addition, after it: `Task.contextId`. */
  readonly name: string;
  /** Side of the subject that has changed, if the subject has several sides: `response`. */
  readonly aspect?: string;
  /** Old and new value, in a short form. */
  readonly from?: string;
  readonly to?: string;
  /** Note of the manifest about the difference. */
  readonly note?: string;
  /** Reason for each surface that the change breaks. */
  readonly breaks: Breaks;
}

/** Part of a change that identifies its subject. */
export type About = Pick<Change, "subject" | "name" | "aspect">;

/**
 * Returns the change from an old value to a new value, or an empty list if both are equal. Adding a
 * value breaks nothing.
 */
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

/**
 * Returns the change if only one of the versions deprecates the subject, or an empty list
 * otherwise. A deprecation breaks nothing.
 */
export function deprecation(
  about: About,
  from: { readonly deprecated: boolean },
  to: { readonly deprecated: boolean },
): Change[] {
  const [before, now] = [from, to].map(({ deprecated }) =>
    deprecated ? "deprecated" : "not deprecated",
  );
  return changed(about, before, now, {});
}

/**
 * Returns the member of a change that contains the manifest's note; an empty object without a note.
 */
export function noted(note: string | undefined): Pick<Change, "note"> {
  return note === undefined ? {} : { note };
}
