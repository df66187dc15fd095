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
  /** Maximum size of a file in bytes; 20 MiB by default. */
  readonly maxFileBytes?: number;
}

/** A fetched file. */
export interface FetchedFile {
  readonly data: Uint8Array;
  readonly mediaType: string | undefined;
}

/**
 * Fetches a file. Redirects are not followed.
 * @throws An `Error` that names the URL if the file cannot be fetched or is too large.
 */
export async function fetchFile(
  url: string,
  { fetch, maxFileBytes = 20 * 2 ** 20 }: FileOptions,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const failed = (problem: string): Error => new Error(`The file at ${url} ${problem}`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw failed("is not at an HTTP address");
  const send = fetch ?? (await defaultFetch());
  const response = await send(url, { method: "GET", headers: {}, redirect: "manual", signal });
  if (!response.ok) throw failed(`has the HTTP status ${String(response.status)}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxFileBytes) throw failed(`has more than ${String(maxFileBytes)} bytes`);
    chunks.push(chunk);
  }
  const data = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    data.set(chunk, at);
    at += chunk.length;
  }
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim();
  return { data, mediaType };
}

/** Returns an utterance with the content of its files, unless the options pass URLs to the model. */
export async function withFetchedFiles(
  { role, content }: Utterance,
  options: FileOptions,
  signal: AbortSignal,
): Promise<Utterance> {
  if (options.urls === "pass") return { role, content };
  const fetched: ModelContent[] = [];
  // One after the other, because each file may have the maximum size.
  for (const each of content) fetched.push(await fetchedContent(each, options, signal));
  return { role, content: fetched };
}

async function fetchedContent(
  content: ModelContent,
  options: FileOptions,
  signal: AbortSignal,
): Promise<ModelContent> {
  if (!("file" in content) || content.file.url === undefined) return content;
  const { url, ...file } = content.file;
  const { data } = await fetchFile(url, options, signal);
  return { file: { ...file, data: base64Of(data) } };
}

async function defaultFetch(): Promise<Fetch> {
  if (platformModules() === undefined) return (url, init) => globalThis.fetch(url, init);
  const { publicFetch } = await import("../kit/public-fetch.js");
  return publicFetch();
}
