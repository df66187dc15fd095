import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { check, type Issue } from "../../templates/runtime/schema/schema.js";
import { loadConfig, specChoice } from "../project/config.js";
import { InputError } from "../support/diagnostics.js";
import { parseJsonText } from "../support/json-text.js";
import { namesHint } from "../support/near-names.js";
import type { Protocol } from "../protocol/model/types.js";
import { readProtocol } from "../core/read.js";
import { specRegistry } from "../input/registry.js";
import { documentTypes } from "./schema.js";

/** A document to check, and the type that it should have. */
export interface CheckRequest {
  readonly cwd: string;
  readonly type: string;
  /** A path, a URL, or `-` for standard input. */
  readonly source: string;
  readonly spec?: string | undefined;
  readonly manifest?: string | undefined;
  /** The path of the JSON Schema that belongs to a proto. */
  readonly schema?: string | undefined;
  /** Accept canonical JSON only, and not all that ProtoJSON parsers accept. */
  readonly strict: boolean;
}

/** The result of a check. */
export interface CheckResult {
  /** The title of the specification. */
  readonly spec: string;
  readonly issues: readonly Issue[];
}

/** Checks a JSON document. Throws an `InputError` if the type or the document does not exist, or is not JSON. */
export async function checkDocument(request: CheckRequest): Promise<CheckResult> {
  const { config, folder } = request.spec === undefined ? loadConfig(request.cwd) : { config: {}, folder: request.cwd };
  const { spec, ...files } = specChoice(request, config);
  const source = specRegistry(folder).find(spec, files);
  const protocol = readProtocol(source);
  const types = documentTypes(protocol);
  const type = types.get(request.type);
  if (type === undefined) throw noType(request.type, source.title, protocol);
  const document = parseJsonText(
    await readSource(request.source, request.cwd),
    request.source,
    "the document",
    "Correct the document",
  );
  return { spec: source.title, issues: check(type, document, request.strict ? "strict" : "json").issues ?? [] };
}

/** Returns the error for an unknown type, with its new name or similar names. */
function noType(name: string, title: string, { types, legacy }: Protocol): InputError {
  const now = legacy.find(({ kind, old }) => kind === "types" && old === name)?.now;
  const names = types.map((type) => type.name);
  const hint = now === undefined ? namesHint(name, names, "types") : `The type is now called ${now}; use that name`;
  return new InputError({ message: `${title} has no type "${name}"`, hint });
}

async function readSource(source: string, cwd: string): Promise<string> {
  if (source === "-") return await text(process.stdin);
  if (/^https?:\/\//.test(source)) return await fetchText(source);
  const path = resolve(cwd, source);
  if (existsSync(path) && statSync(path).isFile()) return readFileSync(path, "utf8");
  const hint = "Name a file, a URL, or - for standard input";
  const message = existsSync(path) ? `"${source}" is a folder` : `there is no file "${source}"`;
  throw new InputError({ message, hint });
}

/** The time limit for fetching a document, in milliseconds. */
const timeoutMs = 30_000;

async function fetchText(url: string): Promise<string> {
  const hint = "Check the address, and that the server is running";
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.ok) return await response.text();
    throw new InputError({ message: `${url} responded with status ${response.status}`, hint });
  } catch (error) {
    if (error instanceof InputError) throw error;
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    const message = `${url} cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new InputError({ message, hint });
  }
}
