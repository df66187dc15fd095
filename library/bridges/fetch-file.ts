import { base64Of } from "../runtime/protobuf/base64.js";
import type { Fetch } from "../runtime/http/client.js";
import { platformModules } from "../kit/push/node-modules.js";
import type { ModelContent, Utterance } from "./conversation.js";

/** Options for files that callers name by URL. */
export interface FileOptions {
  /**
   * Whether files that callers name by URL are fetched for the model, or whether the model gets the
   * URL. Default: `fetch`. With `pass`, the framework or the provider of the model fetches the URL,
   * and may reach private addresses.
   */
  readonly urls?: "fetch" | "pass";
  /**
   * Fetches the files. By default, `publicFetch`, which refuses private addresses; on platforms
   * without Node's modules, the platform's `fetch`.
   */
  readonly fetch?: Fetch;
  /** Maximum size of the fetched files of a message in bytes, together; 20 MiB by default. */
  readonly maxFileBytes?: number;
}

/** A fetched file. */
export interface FetchedFile {
  readonly data: Uint8Array;
  readonly mediaType: string | undefined;
}

/**
 * Fetches the files at URLs, one after the other, and returns them in the same order. Redirects are
 * not followed. The files may have `maxFileBytes` together, so that a message with many URLs does
 * not fill the memory.
 * @throws An `Error` that names the URL if a file cannot be fetched or is too large.
 */
export async function fetchFiles(
  urls: readonly (string | undefined)[],
  { fetch, maxFileBytes = 20 * 2 ** 20 }: FileOptions,
  signal: AbortSignal,
): Promise<(FetchedFile | undefined)[]> {
  const files: (FetchedFile | undefined)[] = [];
  let left = maxFileBytes;
  for (const url of urls) {
    if (url === undefined) {
      files.push(undefined);
      continue;
    }
    const failed = (problem: string): Error => new Error(`The file at ${url} ${problem}`);
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw failed("is not at an HTTP address");
    const send = fetch ?? (await (defaultFetch ??= newFetch()));
    const response = await send(url, { method: "GET", headers: {}, redirect: "manual", signal });
    if (!response.ok) {
      // An unread body would occupy its connection.
      await response.body?.cancel().catch(() => undefined);
      throw failed(`has the HTTP status ${String(response.status)}`);
    }
    const data = await contentOf(response, left);
    if (data === undefined) throw failed(`exceeds maxFileBytes, ${String(maxFileBytes)} bytes`);
    left -= data.length;
    const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim();
    files.push({ data, mediaType });
  }
  return files;
}

/** Returns the content of a response; `undefined` if it has more bytes. */
async function contentOf(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const data = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    data.set(chunk, at);
    at += chunk.length;
  }
  return data;
}

/** Returns an utterance with the content of its files, unless the options pass URLs to the model. */
export async function withFetchedFiles(
  { role, content }: Utterance,
  options: FileOptions,
  signal: AbortSignal,
): Promise<Utterance> {
  if (options.urls === "pass") return { role, content };
  const urls = content.map((each) => ("file" in each ? each.file.url : undefined));
  const files = await fetchFiles(urls, options, signal);
  return { role, content: content.map((each, index) => withData(each, files[index])) };
}

function withData(content: ModelContent, fetched: FetchedFile | undefined): ModelContent {
  if (!("file" in content) || fetched === undefined) return content;
  const { mediaType, filename } = content.file;
  const named = filename === undefined ? {} : { filename };
  return { file: { mediaType, ...named, data: base64Of(fetched.data) } };
}

/** The function for all files, so that they share their connections. */
let defaultFetch: Promise<Fetch> | undefined;

async function newFetch(): Promise<Fetch> {
  if (platformModules() === undefined) return (url, init) => globalThis.fetch(url, init);
  const { publicFetch } = await import("../kit/public-fetch.js");
  return publicFetch();
}
