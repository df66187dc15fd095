import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import { isObject } from "../../runtime/base/json.js";
import { extended } from "../copy.js";
import type { Artifact, Part } from "../model.js";

/**
 * An object with metadata: a message, part, artifact, task, event or request, or an update from a
 * turn. The values of an update are in its message or artifact.
 */
export type MetadataHolder = { readonly metadata?: JsonObject | undefined } | ChunkHolder;

/**
 * An object with parts: a message, an artifact, or an update from a turn. An update contains its
 * parts as content.
 */
export type PartsHolder =
  | { readonly parts: readonly Part[] }
  | { readonly content: string | readonly Part[] | undefined }
  | ChunkHolder;

/** A chunk of an artifact that a turn yields. */
interface ChunkHolder {
  readonly artifact: Pick<Artifact, "artifactId" | "parts">;
  readonly append: boolean;
}

/** The members of a holder that contain values for extensions. */
export interface Members {
  readonly metadata?: unknown;
  readonly extensions?: readonly string[] | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/** Form of a holder, which determines the object that contains the values. */
type Form = "chunk" | "status" | "silent status" | "reply" | "content" | "model";

/** Returns the members of a holder. */
export function membersOf(holder: object): Members {
  const found: Found = holder;
  switch (formOf(found)) {
    case "chunk":
      return isObject(found.artifact) ? found.artifact : {};
    case "status":
      return {
        metadata: found.messageMetadata,
        extensions: found.extensions,
        parts: partsIn(found.content),
      };
    case "reply":
      return {
        metadata: found.metadata,
        extensions: found.extensions,
        parts: partsIn(found.content),
      };
    default:
      return found;
  }
}

/**
 * Returns a copy of a holder with replaced members. If holders of this form list their extensions,
 * adds the extension to the list.
 */
export function withMembers<H extends object>(
  holder: H,
  uri: string,
  members: Omit<Members, "extensions">,
): H {
  const found: Found = holder;
  const form = formOf(found);
  const { extensions = [] } = membersOf(holder);
  const listed = extensions.includes(uri) ? extensions : [...extensions, uri];
  const { metadata, parts } = members;
  const changed = (more: object): H => extended(holder, more);
  switch (form) {
    case "chunk":
      return changed({
        artifact: { ...(found.artifact as object), ...members, extensions: listed },
      });
    case "status":
      return changed({
        extensions: listed,
        ...(metadata !== undefined && { messageMetadata: metadata }),
        ...(parts !== undefined && { content: parts }),
      });
    case "reply":
      return changed({
        extensions: listed,
        ...(metadata !== undefined && { metadata }),
        ...(parts !== undefined && { content: parts }),
      });
    case "content":
      return changed({ ...members, extensions: listed });
    default:
      return changed(members);
  }
}

/** Members that identify the form of a holder. */
interface Found extends Members {
  readonly artifact?: unknown;
  readonly taskId?: unknown;
  readonly append?: unknown;
  readonly state?: unknown;
  readonly content?: unknown;
  readonly messageMetadata?: JsonObject;
}

function formOf(holder: Found): Form {
  // An event of the protocol also contains an artifact. Unlike a chunk, it has a task id.
  if (isObject(holder.artifact) && holder.append !== undefined && holder.taskId === undefined)
    return "chunk";
  if ("state" in holder && "content" in holder)
    return holder.content === undefined ? "silent status" : "status";
  if ("content" in holder) return "reply";
  return Array.isArray(holder.parts) ? "content" : "model";
}

function partsIn(content: unknown): readonly Part[] {
  // Text parts have this form in all versions.
  if (typeof content === "string") return [{ text: content }];
  return Array.isArray(content) ? (content as readonly Part[]) : [];
}

/** Returns the value of a key in a data part; `undefined` if the part does not contain the key. */
export function dataAt(
  { data }: { readonly data?: JsonValue },
  key: string,
): JsonValue | undefined {
  return isObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
}
