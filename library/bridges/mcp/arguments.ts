import { isObject } from "../../runtime/base/json.js";
import type { Part } from "../../kit/model.js";

/** Error of a call whose arguments are invalid. Its message is for the caller. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The message of a call of a tool. */
export interface AskArguments {
  /** Parts of the message; none to wait for the task. */
  readonly parts: readonly Part[];
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
}

/**
 * Reads the arguments of a tool.
 * @throws {@link ArgumentError}
 */
export function readArguments(given: Readonly<Record<string, unknown>>): AskArguments {
  const message = textAt(given, "message");
  const [contextId, taskId] = [textAt(given, "contextId"), textAt(given, "taskId")];
  const files = given["files"] ?? [];
  if (!Array.isArray(files)) throw new ArgumentError("files must be a list");
  const parts = [
    ...(message === undefined ? [] : [{ text: message }]),
    ...files.map((file: unknown, index) => filePart(file, `files[${String(index)}]`)),
  ];
  if (parts.length > 0 || taskId !== undefined) return { parts, contextId, taskId };
  throw new ArgumentError("message is required");
}

function filePart(file: unknown, at: string): Part {
  if (!isObject(file)) throw new ArgumentError(`${at} must be an object`);
  const mediaType = textAt(file, "mimeType", at);
  const [raw, url, filename] = [
    textAt(file, "data", at),
    textAt(file, "uri", at),
    textAt(file, "name", at),
  ];
  if (mediaType === undefined) throw new ArgumentError(`${at}.mimeType is required`);
  const about = { mediaType, ...(filename !== undefined && { filename }) };
  if (url !== undefined && raw === undefined) {
    if (/^https?:/i.test(url) && URL.canParse(url)) return { url, ...about };
    throw new ArgumentError(`${at}.uri must be an HTTPS URL: pass other files in data`);
  }
  if (raw === undefined || url !== undefined)
    throw new ArgumentError(`${at} must have either data or uri`);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(raw) || raw.length % 4 !== 0)
    throw new ArgumentError(`${at}.data must be base64`);
  return { raw, ...about };
}

function textAt(
  from: Readonly<Record<string, unknown>>,
  key: string,
  at?: string,
): string | undefined {
  const value = from[key];
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  throw new ArgumentError(`${at === undefined ? "" : `${at}.`}${key} must be a string`);
}
