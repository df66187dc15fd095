/**
 * Number of processes that a task lists as its watchers. If more processes watch it, all processes
 * are notified of its changes.
 */
export const maxWatchers = 8;

/** Length of the name of a process. */
const nameLength = 12;

/**
 * Maximum length of the list of watchers to which another name can be added. A list separates the
 * names by spaces, and is empty if all processes are notified.
 */
export const maxListLength: number = (maxWatchers - 1) * (nameLength + 1);

/** Returns a random name, under which a process watches tasks. */
export function nameOfProcess(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, nameLength);
}

/**
 * Parses the list of the watchers of a task.
 * @param isWatched Whether a process watches the task.
 * @returns The names; `undefined` if all processes are notified.
 */
export function watchersOf(isWatched: boolean, list: string): readonly string[] | undefined {
  if (!isWatched) return [];
  return list === "" ? undefined : list.split(" ");
}
