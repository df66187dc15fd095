import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isObject } from "../runtime/base/json.js";
import { withFileLock } from "./token-lock.js";
import type { Tokens, TokenStore } from "./token-store.js";

/** Store that {@link fileTokenStore} returns. */
export interface FileTokenStore extends TokenStore {
  tokens(key: string): Promise<Tokens | undefined>;
  saveTokens(key: string, tokens: Tokens | undefined): Promise<void>;
  exclusively<T>(key: string, run: () => Promise<T>): Promise<T>;
  keys(): Promise<readonly string[]>;
}

/**
 * Returns a store that keeps tokens in a file that only its owner can read. The store creates the
 * file with mode 600, and rejects a file that other users can read. Each write replaces the whole
 * file, so that the file contains either the old or the new tokens after a crash. Processes that
 * share the file use lock files in the same folder, so that only one process at a time replaces a
 * token.
 *
 * @param path - path of the file; missing folders are created with mode 700
 */
export function fileTokenStore(path: string): FileTokenStore {
  // Writes run one after the other, because each write replaces the whole file.
  let last: Promise<unknown> = Promise.resolve();
  return {
    async tokens(key) {
      await last.catch(() => undefined);
      const found = (await readAll(path)).get(key);
      return isTokens(found) ? found : undefined;
    },
    async saveTokens(key, tokens) {
      const write = last
        .catch(() => undefined)
        .then(() =>
          locked(`${path}.lock`, async () => {
            // Read the file again, because another process may have replaced it.
            const all = await readAll(path);
            if (tokens === undefined) all.delete(key);
            else all.set(key, tokens);
            await replace(path, JSON.stringify(Object.fromEntries(all)));
          }),
        );
      last = write;
      await write;
    },
    async keys() {
      await last.catch(() => undefined);
      return [...(await readAll(path)).keys()];
    },
    exclusively(key, run) {
      // Each key has its own lock, because one sign-in can take minutes and must not delay other
      // sign-ins.
      const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
      return locked(`${path}.${name}.lock`, run);
    },
  };
}

async function locked<T>(path: string, run: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return withFileLock(path, run);
}

async function readAll(path: string): Promise<Map<string, unknown>> {
  let text: string;
  try {
    const { mode } = await stat(path);
    // Windows does not have POSIX file modes, but its user folders are private.
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new TypeError(
        `${path} contains tokens and can be read by other users: run \`chmod 600\` on it`,
      );
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return new Map();
    throw error;
  }
  try {
    const all: unknown = JSON.parse(text);
    return new Map(isObject(all) ? Object.entries(all) : []);
  } catch {
    // Ignore a corrupt file, because lost tokens can be obtained again.
    return new Map();
  }
}

async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${crypto.randomUUID()}`;
  try {
    const file = await open(next, "wx", 0o600);
    try {
      await file.writeFile(text);
      // Sync before the rename, so that a crash cannot leave an incomplete file at `path`.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

function isTokens(value: unknown): value is Tokens {
  return (
    isObject(value) &&
    typeof value["accessToken"] === "string" &&
    typeof value["issuedAt"] === "number"
  );
}
