import { accessSync, chownSync, constants, readFileSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../support/diagnostics.js";
import { writeBeside } from "./replace.js";

/** Reads a file of the user. Throws an `InputError` where it is not UTF-8, because then it could not be kept as it is. */
export function readUserFile(path: string, shown: string): string {
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return text;
  throw new InputError({
    location: { file: shown },
    message: "the file is not UTF-8, and cannot be merged",
    hint: "Save it as UTF-8 and run again; nothing was written",
  });
}

/** A file of the user that is prepared to be replaced. */
export interface UserFileChange {
  /** Puts the new text in place. Throws an `InputError` where the file has changed since it was read. */
  readonly commit: () => void;
  /** Puts the old text back, if the new one is in place. */
  readonly undo: () => void;
  /** Removes what was prepared. */
  readonly close: () => void;
}

/**
 * Prepares the replacement of a file beside it. A symbolic link stays one, and the mode stays as it is. Throws an
 * `InputError` where the file or its folder cannot be written to.
 */
export function prepareUserFile(path: string, shown: string, before: string, after: string): UserFileChange {
  const target = realpathSync(path);
  checkWritable(target, shown);
  const fresh = writeLike(target, after, "new");
  let isDone = false;
  return {
    commit: () => {
      if (readFileSync(target, "utf8") !== before) {
        const message = "the file was changed while it was merged";
        throw new InputError({ location: { file: shown }, message, hint: "Run again; nothing was written" });
      }
      renameSync(fresh, target);
      isDone = true;
    },
    undo: () => {
      if (!isDone) return;
      renameSync(writeLike(target, before, "old"), target);
      isDone = false;
    },
    close: () => rmSync(fresh, { force: true }),
  };
}

/** Refuses a file of the user that cannot be replaced; `purpose` says why it would have to be. */
export function checkWritable(
  path: string,
  shown: string,
  { purpose, hint }: { readonly purpose: string; readonly hint: string } = toMerge,
): void {
  const refuse = (message: string): never => {
    throw new InputError({ location: { file: shown }, message: `${message}, and ${purpose}`, hint });
  };
  if (isReadOnly(path)) refuse("the file is read-only");
  if (isReadOnly(dirname(path))) refuse("the folder of the file is read-only");
}

const toMerge = {
  purpose: "methods have to be added to the file",
  hint: "Change its permissions, or leave out --agent; nothing was written",
};

/** Returns whether nobody may write to something. For root, whom nothing stops, the mode decides. */
function isReadOnly(path: string): boolean {
  if ((statSync(path).mode & 0o222) === 0) return true;
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Writes a file beside another one, with its mode and, where that may be done, its owner. Returns the path. */
function writeLike(model: string, text: string, kind: "new" | "old"): string {
  const { mode, uid, gid } = statSync(model);
  const path = writeBeside(model, text, { kind, mode });
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only root may give files away; the file then belongs to whoever runs this.
  }
  return path;
}
