import {
  misspelledMembers,
  type CardProblem,
} from "../../library/runtime/protocol/card-problems.js";
import { check, type Issue } from "../../library/runtime/schema/schema.js";
import { specChoice, type SpecRequest } from "../project/config.js";
import { loadConfig } from "../project/config-file.js";
import { InputError } from "../../support/diagnostics.js";
import { parseJsonText } from "../../support/json-text.js";
import { namesHint } from "../../support/near-names.js";
import type { Protocol } from "../protocol/model/types.js";
import { readProtocol } from "../core/read.js";
import { specRegistry, type SpecRegistry } from "../input/registry.js";
import { documentTypes } from "./schema.js";
import { readDocument, readLimits, type ReadLimits } from "./source.js";

/** A document to check, and its expected type. */
export interface CheckRequest extends SpecRequest {
  readonly type: string;
  /** A path, a URL, or `-` for standard input. */
  readonly source: string;
  /** Whether to accept only canonical JSON, instead of all JSON that ProtoJSON parsers accept. */
  readonly strict: boolean;
  /** The maximum size of the document in bytes; 64 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** The time limit for fetching the document, in seconds; 30 by default. */
  readonly timeout?: number | undefined;
}

/** The result of a check. */
export interface CheckResult {
  /** The title of the specification. */
  readonly spec: string;
  readonly issues: readonly Issue[];
  /** Members that readers ignore although the author probably meant a member of the type. */
  readonly misspelled: readonly CardProblem[];
  /** Names of released versions that an invalid document is valid in, newest first. */
  readonly validIn: readonly string[];
}

/**
 * Checks a JSON document.
 *
 * @throws InputError if the type or the document does not exist, or if the document is not JSON
 */
export async function checkDocument(request: CheckRequest): Promise<CheckResult> {
  const { config, folder } =
    request.spec === undefined
      ? await loadConfig(request.cwd)
      : { config: {}, folder: request.cwd };
  const { spec, ...files } = specChoice(request, config);
  const registry = specRegistry(folder);
  const source = registry.find(spec, files);
  const protocol = readProtocol(source);
  const types = documentTypes(protocol);
  const type = types.get(request.type);
  if (type === undefined) throw noType(request.type, source.title, protocol);
  const document = parseJsonText(
    await readDocument(request.source, request.cwd, limitsOf(request)),
    request.source,
    "the document",
    "Correct the document",
  );
  const mode = request.strict ? "strict" : "json";
  const issues = check(type, document, mode).issues ?? [];
  const validIn = issues.length === 0 ? [] : versionsOf(document, request.type, mode, registry);
  return { spec: source.title, issues, misspelled: misspelledMembers(document, type), validIn };
}

/** Returns the names of the bundled versions, without drafts, that a document is valid in. */
function versionsOf(
  document: unknown,
  name: string,
  mode: "strict" | "json",
  registry: SpecRegistry,
): string[] {
  const ids = registry.list().map(({ id }) => id);
  return ids.filter((id) => {
    if (/[a-z]/i.test(id)) return false;
    const type = documentTypes(readProtocol(registry.find(id))).get(name);
    return type !== undefined && check(type, document, mode).issues === undefined;
  });
}

/** The longest delay that a timer supports. */
const longestTimerMs = 2 ** 31 - 1;

function limitsOf({ maxBytes, timeout }: CheckRequest): ReadLimits {
  const refuse = (option: string, unit: string): never => {
    throw new InputError({
      message: `${option} must be a number above 0`,
      hint: `Set it to a number of ${unit}`,
    });
  };
  if (maxBytes !== undefined && !(maxBytes > 0)) refuse("--max-bytes", "bytes");
  if (timeout !== undefined && !(timeout > 0)) refuse("--timeout", "seconds");
  return {
    maxBytes: maxBytes ?? readLimits.maxBytes,
    timeoutMs:
      timeout === undefined ? readLimits.timeoutMs : Math.min(timeout * 1000, longestTimerMs),
  };
}

/** Returns the error for an unknown type, with its new name or similar names. */
function noType(name: string, title: string, { types, legacy }: Protocol): InputError {
  const now = legacy.find(({ kind, old }) => kind === "types" && old === name)?.now;
  const names = types.map((type) => type.name);
  const hint =
    now === undefined ? namesHint(name, names, "types") : `The type was renamed: use ${now}`;
  return new InputError({ message: `${title} has no type "${name}"`, hint });
}
