import {
  accessSync,
  chownSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { writeTemporary } from "./replace.js";

/**
 * Reads a user's file.
 *
 * @throws InputError if the file is not valid UTF-8, because its content could not be preserved
 */
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

/** Prepared replacement of a user's file. */
export interface UserFileChange {
  /** Writes the new text. Throws an `InputError` if the file has changed since it was read. */
  readonly commit: () => void;
  /** Restores the old text, if the new text was written. */
  readonly undo: () => void;
  /** Removes temporary files. */
  readonly close: () => void;
}

/**
 * Prepares the replacement of a file by writing a temporary file next to it. Symbolic links and the
 * mode of the file are kept.
 *
 * @throws InputError if the file or its folder is read-only
 */
export function prepareUserFile(
  path: string,
  shown: string,
  before: string,
  after: string,
): UserFileChange {
  const target = realpathSync(path);
  checkWritable(target, shown);
  const fresh = writeLike(target, after, "new");
  let isDone = false;
  return {
    commit: () => {
      if (readFileSync(target, "utf8") !== before) {
        const message = "the file was changed while it was merged";
        throw new InputError({
          location: { file: shown },
          message,
          hint: "Run again; nothing was written",
        });
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

/**
 * Throws an `InputError` if a user's file cannot be replaced. `purpose` explains why it must be
 * replaced.
 */
export function checkWritable(
  path: string,
  shown: string,
  { purpose, hint }: { readonly purpose: string; readonly hint: string } = toMerge,
): void {
  const refuse = (message: string): never => {
    throw new InputError({
      location: { file: shown },
      message: `${message}, and ${purpose}`,
      hint,
    });
  };
  if (isReadOnly(path)) refuse("the file is read-only");
  if (isReadOnly(dirname(path))) refuse("the folder of the file is read-only");
}

const toMerge = {
  purpose: "methods must be added to the file",
  hint: "Change its permissions, or remove --agent or --implementation; nothing was written",
};

/**
 * Returns whether a path is read-only. Checks the mode first, because root may write to every file.
 */
function isReadOnly(path: string): boolean {
  if ((statSync(path).mode & 0o222) === 0) return true;
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/**
 * Writes a file next to another file, with the same mode and, if permitted, the same owner. Returns
 * the path of the new file.
 */
function writeLike(model: string, text: string, kind: "new" | "old"): string {
  const { mode, uid, gid } = statSync(model);
  const path = writeTemporary(model, text, { kind, mode });
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only root may change the owner of a file; otherwise the file belongs to the current user.
  }
  return path;
}
