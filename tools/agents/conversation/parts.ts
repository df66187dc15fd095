import type { Message } from "../../../generated/1.0/models.js";
import { isSecret } from "../curl.js";
import { isObject } from "../findings.js";

/** A part of a message or an artifact. */
export type Part = Message["parts"][number];

/** Returns a part of the agent in the form in which it is saved. */
export function partOf({ text, data, raw, url, mediaType, filename }: Part): Part {
  const content =
    text !== undefined ? { text } : raw !== undefined ? { raw: base64Of(raw) } : undefined;
  return {
    ...(content ?? (url !== undefined ? { url } : { data: data ?? null })),
    ...(mediaType !== undefined && mediaType !== "" && { mediaType }),
    ...(filename !== undefined && filename !== "" && { filename }),
  };
}

/** Returns base64 in its usual alphabet, with padding. */
function base64Of(raw: string): string {
  const digits = raw
    .replace(/[\s=]+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  return digits + "=".repeat((4 - (digits.length % 4)) % 4);
}

/**
 * Adds parts to the end of a list. Adjacent texts of the same kind become one part, because they
 * are chunks of a stream. Empty texts are left out.
 */
export function append(parts: Part[], added: readonly Part[]): void {
  for (const part of added) {
    const last = parts.at(-1);
    if (part.text === undefined || last?.text === undefined || !isAlike(part, last)) {
      if (last?.text === "") parts.pop();
      if (part.text !== "" || parts.length === 0) parts.push({ ...part });
    } else last.text += part.text;
  }
}

function isAlike(one: Part, other: Part): boolean {
  return one.mediaType === other.mediaType && one.filename === other.filename;
}

/** Returns the number of characters of a part. */
export function lengthOf({ text, raw, url, data }: Part): number {
  return (text ?? raw ?? url ?? JSON.stringify(data ?? null)).length;
}

/** Returns whether two values have the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a value without the members whose names say that they contain credentials. */
export function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !isSecret(name));
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutSecrets(each)])) as T;
}
