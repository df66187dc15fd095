import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { OutputFile } from "../core/contract.js";
import { hashOf } from "../../support/hash.js";
import { unixLines } from "../../support/line-ends.js";
import type { Lock } from "./lock.js";
import { isTypeScript, normalForm } from "./normal-form.js";

/** Hashes of the files in a lock file. */
export type Hashes = Pick<Lock, "files" | "forms">;

/**
 * Result of comparing a file with its hashes. `formatted` means that the file differs only in its
 * formatting. `other` means that its code has changed, or that the file has no hash.
 */
export type FileState = "same" | "formatted" | "other" | "missing" | "folder";

/**
 * Returns the hashes of generated files. The hashes in `former` are reused for unchanged files.
 */
export function hashesOf(files: readonly OutputFile[], former: Hashes | undefined): Hashes {
  const exact = Object.fromEntries(files.map(({ path, text }) => [path, contentHash(text)]));
  const forms = files.flatMap(({ path, text }) => {
    const known = former?.files[path] === exact[path] ? former?.forms?.[path] : undefined;
    const form = known ?? formHash(path, text);
    return form === undefined ? [] : [[path, form] as const];
  });
  return { files: exact, forms: Object.fromEntries(forms) };
}

/** Compares the file at `path` below `out` with its hashes. */
export function compareFile(out: string, path: string, hashes: Hashes | undefined): FileState {
  const file = join(out, path);
  if (!existsSync(file)) return "missing";
  if (!statSync(file).isFile()) return "folder";
  // Hashing bytes is faster than decoding them first.
  const bytes = readFileSync(file);
  const content = bytes.includes("\r\n") ? bytes.toString() : bytes;
  if (hashes?.files[path] === contentHash(content)) return "same";
  const form = hashes?.forms?.[path];
  return form !== undefined && form === formHash(path, bytes.toString()) ? "formatted" : "other";
}

/** Returns whether a file is unchanged since it was generated, except for its formatting. */
export function isAsGenerated(state: FileState): boolean {
  return state === "same" || state === "formatted";
}

/**
 * Returns the files of the output that only a formatter has changed; `undefined` if a file was
 * changed in any other way.
 */
export function formattedFiles(out: string, hashes: Hashes): readonly string[] | undefined {
  const states = Object.keys(hashes.files).map((path) => ({
    path,
    state: compareFile(out, path, hashes),
  }));
  if (!states.every(({ state }) => isAsGenerated(state))) return undefined;
  return states.flatMap(({ path, state }) => (state === "formatted" ? [path] : []));
}

/**
 * Returns the hash of an output file. Line ends are ignored, because a checkout may change them.
 */
function contentHash(content: string | Uint8Array): string {
  return hashOf(typeof content === "string" ? unixLines(content) : content);
}

/** Returns the hash of the normal form of a file, or `undefined` if its type has none. */
export function formHash(path: string, text: string): string | undefined {
  const form = normalForm(path, unixLines(text));
  return form === undefined ? undefined : hashOf(form);
}

/** Describes how a file differs from its hashes, which may not contain the hash of its form. */
export function editOf(path: string, hashes: Hashes | undefined): string {
  const isComparable = !isTypeScript(path) || hashes?.forms?.[path] !== undefined;
  return isComparable ? "edited by hand" : "edited by hand or by a formatter";
}
