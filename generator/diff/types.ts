/** Where a change can break something: TypeScript on the output, JSON that travels, and bytes of protobuf with gRPC. */
export const surfaces = ["source", "json", "protobuf"] as const;

/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number];

/** What a change is about. */
export type Subject =
  "type" | "field" | "value" | "member" | "operation" | "method" | "route" | "error" | "fact" | "message" | "number";

/** One difference between two specifications. */
export interface Change {
  readonly subject: Subject;
  readonly action: "added" | "removed" | "renamed" | "changed";
  /** The name, before the change where there was one: `Task.contextId`. */
  readonly name: string;
  /** What it was, and what it is now, in short. */
  readonly from?: string;
  readonly to?: string;
  /** Why it breaks a surface; absent for those that it does not break. */
  readonly breaks: Readonly<Partial<Record<Surface, string>>>;
}
