import { readFileSync, statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import type { JsonValue } from "a2a-codegen-runtime/internal/core";
import type { GivenOption } from "../terminal/arguments.js";
import type { Part } from "../agents/index.js";
import { usage } from "./errors.js";
import { standardInput } from "./secrets.js";

/** Maximum size of a file part. Larger files should be sent as a URL. */
const maxFile = 64 * 2 ** 20;

/** A part on the command line, with the media type that follows it. */
interface Piece {
  readonly kind: "text" | "file" | "data";
  readonly value: string;
  mediaType: string | undefined;
}

/** Returns the parts of a message in the order of the command line. */
export async function partsOf(
  options: readonly Pick<GivenOption, "name" | "value">[],
  words: readonly string[],
  cwd: string,
): Promise<Part[]> {
  const pieces: Piece[] =
    words.length === 0 ? [] : [{ kind: "text", value: words.join(" "), mediaType: undefined }];
  for (const { name, value } of options) {
    if (typeof value !== "string") continue;
    if (name === "text" || name === "file" || name === "data")
      pieces.push({ kind: name, value, mediaType: undefined });
    else if (name === "media-type") addMediaType(pieces.at(-1), value);
  }
  if (pieces.length === 0)
    throw usage(
      "the message is empty",
      'Add a text: a2a send "Hello", or --text, --file or --data',
    );
  if (pieces.filter(({ kind, value }) => kind === "data" && value === "-").length > 1)
    throw usage("--data - is specified twice", "Standard input has only one value");
  const parts: Part[] = [];
  for (const piece of pieces) parts.push(await partOf(piece, cwd));
  return parts;
}

function addMediaType(last: Piece | undefined, value: string): void {
  if (last === undefined || last.mediaType !== undefined)
    throw usage("--media-type does not follow a part", "Write it after --text, --file or --data");
  if (!/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(value))
    throw usage(`"${value}" is not a media type`, "Use a media type such as text/plain");
  last.mediaType = value;
}

async function partOf({ kind, value, mediaType }: Piece, cwd: string): Promise<Part> {
  const type = mediaType === undefined ? {} : { mediaType };
  switch (kind) {
    case "text":
      return { text: value, ...type };
    case "data": {
      const text = value === "-" ? await standardInput(maxFile) : readText(value, cwd);
      return { data: parseJson(text, value), ...type };
    }
    case "file":
      return /^https?:\/\//i.test(value)
        ? { url: value, ...type }
        : filePart(value, cwd, mediaType);
  }
}

function filePart(path: string, cwd: string, mediaType: string | undefined): Part {
  const inferred = mediaTypes[extname(path).toLowerCase()];
  const type = mediaType ?? inferred;
  const raw = readBytes(path, cwd).toString("base64");
  return { raw, filename: basename(path), ...(type !== undefined && { mediaType: type }) };
}

/** Media types of common file extensions. */
const mediaTypes: Readonly<Record<string, string>> = {
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".html": "text/html",
  ".csv": "text/csv",
  ".css": "text/css",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".xml": "application/xml",
  ".zip": "application/zip",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
};

function readBytes(path: string, cwd: string): Buffer {
  const full = resolve(cwd, path);
  try {
    if (statSync(full).size > maxFile)
      throw usage(`"${path}" is too large to send`, "Pass the URL of the file");
    return readFileSync(full);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw usage(`the file "${path}" cannot be read`, "Check the path");
  }
}

function readText(path: string, cwd: string): string {
  return readBytes(path, cwd).toString("utf8");
}

function parseJson(text: string, source: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw usage(`--data ${source} is not JSON`, "Check the file, or send it with --file");
  }
}

/** Returns a JSON object from the command line. */
export function jsonObject(option: string, text: string): Record<string, JsonValue> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, JsonValue>;
  } catch {
    // Reported below, like other values that are not objects.
  }
  throw usage(
    `--${option} is not a JSON object`,
    `Pass an object such as --${option} '{"key": "value"}'`,
  );
}
