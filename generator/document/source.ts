import { createReadStream, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import { readText } from "../../support/read-text.js";

/** The limits on size and time for reading a document. */
export interface ReadLimits {
  /** The maximum size of a document in bytes. */
  readonly maxBytes: number;
  /** The time limit for fetching a document, in milliseconds. */
  readonly timeoutMs: number;
}

/** The default limits. */
export const readLimits: ReadLimits = { maxBytes: 64 * 2 ** 20, timeoutMs: 30_000 };

/**
 * Reads a document: a file, which need not be a regular file, a URL, or `-` for standard input.
 *
 * @throws InputError if the document does not exist, or if it exceeds a limit
 */
export async function readDocument(
  source: string,
  cwd: string,
  limits: ReadLimits,
): Promise<string> {
  if (source === "-") return await textOf(process.stdin, source, limits);
  if (/^https?:\/\//.test(source)) return await fetchText(source, limits);
  const path = resolve(cwd, source);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  if (existsSync(path) && !isFolder) return await textOf(createReadStream(path), source, limits);
  const hint = "Specify a file, a URL, or - for standard input";
  throw new InputError({
    message: isFolder ? `"${source}" is a folder` : `the file "${source}" does not exist`,
    hint,
  });
}

async function fetchText(url: string, limits: ReadLimits): Promise<string> {
  const hint = "Check the address, and that the server is running";
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(limits.timeoutMs) });
    if (!response.ok)
      throw new InputError({ message: `${url} responded with status ${response.status}`, hint });
    return response.body === null ? "" : await textOf(response.body, url, limits);
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (error instanceof Error && error.name === "TimeoutError") {
      const message = `${url} did not respond in ${limits.timeoutMs / 1000} s`;
      throw new InputError({
        message,
        hint: "Check the address, or increase the time-out with --timeout",
      });
    }
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    const message = `${url} cannot be fetched: ${reasonOf(cause)}`;
    throw new InputError({ message, hint });
  }
}

async function textOf(
  chunks: AsyncIterable<string | Uint8Array>,
  source: string,
  limits: ReadLimits,
): Promise<string> {
  const { maxBytes } = limits;
  const hint = "Check the document, or increase the limit with --max-bytes";
  const refuse = (): Error =>
    new InputError({ message: `${source} has more than ${maxBytes} bytes`, hint });
  return await readText(chunks, maxBytes, refuse);
}
