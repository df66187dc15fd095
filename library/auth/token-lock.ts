import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { isObject } from "../runtime/base/json.js";

/**
 * Milliseconds without a renewal after which a lock is stale, because its process has probably
 * ended.
 */
const staleMs = 15_000;

/**
 * Interval in milliseconds at which a process renews its lock, which a sign-in can hold for
 * minutes.
 */
const renewMs = 3_000;

/** Milliseconds after which a process stops waiting for a lock. */
const maxWaitMs = 600_000;

/**
 * Runs a function while holding a lock, which is a file that only one process at a time can create.
 * Waits while another process holds the lock. The lock of a process that has ended is removed after
 * about 15 seconds.
 *
 * @throws An `Error` if the lock is held for ten minutes.
 */
export async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const id = crypto.randomUUID();
  const since = performance.now();
  for (let waitMs = 10; !(await create(path, id)); waitMs = Math.min(waitMs * 1.5, 300)) {
    if (performance.now() - since > maxWaitMs)
      throw new Error(
        `The lock ${path} was held for ${String(maxWaitMs / 60_000)} minutes: remove it if no ` +
          "process uses it",
      );
    await removeStale(path, id);
    // The delay is random, so that waiting processes do not retry at the same time.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
  }
  const timer = setInterval(() => {
    utimes(path, new Date(), new Date()).catch(() => undefined);
  }, renewMs);
  // The timer must not keep the process running.
  timer.unref();
  try {
    return await run();
  } finally {
    clearInterval(timer);
    // A process that was suspended may have lost the lock to another process.
    if ((await readFile(path, "utf8").catch(() => "")) === id) await rm(path, { force: true });
  }
}

/** Removes a lock if its process has stopped renewing it. */
async function removeStale(path: string, id: string): Promise<void> {
  if (!(await isStale(path))) return;
  // Only one process may remove the lock, because a second process could remove the new lock that
  // another process has just created.
  const guard = `${path}.stale`;
  if (!(await create(guard, id))) {
    if (await isStale(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    // A time in the future is stale too: the clock was set back, and no process renews the lock.
    return Math.abs(Date.now() - (await stat(path)).mtimeMs) > staleMs;
  } catch {
    return false;
  }
}

/** Creates a file. Returns `false` if the file already exists. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    const code = isObject(error) ? error["code"] : undefined;
    // On Windows, creating a file that is being removed fails with `EPERM`.
    if (code === "EEXIST" || (code === "EPERM" && process.platform === "win32")) return false;
    throw error;
  }
}
