import { existsSync, statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";

/** Debounce time in milliseconds: a run starts when no further change has arrived for this long. */
const debounceMs = 50;

/**
 * Maximum milliseconds by which the modification time of a new file can be earlier than the clock.
 */
const clockSlack = 10;

/** Repeats a run whenever one of its sources changes. Runs never overlap. */
export class SourceWatcher {
  readonly #run: () => Promise<readonly string[] | undefined>;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStale = false;

  /**
   * `run` returns the files and folders that its result depends on, or `undefined` if the list has
   * not changed.
   */
  constructor(run: () => Promise<readonly string[] | undefined>) {
    this.#run = run;
  }

  /**
   * Watches `sources`, and starts a run immediately if one of them has changed since the time
   * `since`, or has been removed.
   */
  follow(sources: readonly string[], since: number): void {
    this.close();
    const found = sources.map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      const changed = stats?.mtimeMs ?? Infinity;
      return { path, isFolder: stats?.isDirectory() === true, changed };
    });
    this.#watchers = watchAll(found, () => this.#schedule());
    if (found.some(({ changed }) => changed >= since - clockSlack)) this.#schedule();
  }

  /** Stops watching. */
  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#next(), debounceMs);
  }

  async #next(): Promise<void> {
    // Runs must not overlap. A change during a run only marks the result of the run as outdated,
    // and the next run starts afterwards.
    this.#isStale = this.#isRunning;
    if (this.#isRunning) return;
    this.#isRunning = true;
    const started = Date.now();
    const sources = await this.#run();
    this.#isRunning = false;
    if (sources !== undefined) this.follow(sources, started);
    if (this.#isStale) this.#schedule();
  }
}

/** Watches files through their folders, because editors replace a file instead of writing to it. */
function watchAll(
  sources: readonly { readonly path: string; readonly isFolder: boolean }[],
  changed: () => void,
): FSWatcher[] {
  const names = new Map<string, Set<string>>();
  for (const { path } of sources.filter(({ isFolder }) => !isFolder)) {
    names.set(dirname(path), (names.get(dirname(path)) ?? new Set()).add(basename(path)));
  }
  const folders = [...names].filter(([folder]) => existsSync(folder));
  const ofFiles = folders.map(([folder, wanted]) =>
    watch(folder, (_, name) => {
      // Some platforms do not report which file has changed.
      if (name === null || wanted.has(name)) changed();
    }),
  );
  const ofFolders = sources
    .filter(({ isFolder }) => isFolder)
    .map(({ path }) => watch(path, () => changed()));
  return [...ofFiles, ...ofFolders].map((watcher) => watcher.on("error", changed));
}
