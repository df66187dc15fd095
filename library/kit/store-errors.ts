/**
 * Thrown if a process has lost the lease of a task. The log does not contain the entries that the
 * process tried to append.
 */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Identifies this copy of the library. */
const thisCopy: object = {};

/** Key of {@link thisCopy} in the stores of the library. */
export const storeCopy: unique symbol = Symbol.for("a2a-codegen.store-copy");

/** Marks a store as created by this copy of the library. */
export function markAsOwn(store: object): void {
  Object.assign(store, { [storeCopy]: thisCopy });
}

/**
 * Returns whether another copy of the library has created a store. The kit catches
 * {@link LeaseLostError} with `instanceof`, and each copy of the library has its own class.
 */
export function isOfOtherCopy(store: object): boolean {
  // Accept a proxy that wraps each member of a store in a function.
  const copy: unknown = Reflect.get(store, storeCopy);
  return typeof copy === "object" && copy !== thisCopy;
}

/** Thrown if the id of a new task already exists. */
export class TaskExistsError extends Error {
  override readonly name = "TaskExistsError";
}

/**
 * Thrown if a stored task cannot be read, because its data is damaged, too large, or from a later
 * version.
 */
export class UnreadableTaskError extends Error {
  override readonly name = "UnreadableTaskError";
  readonly taskId: string;

  constructor(taskId: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.taskId = taskId;
  }
}

/** Thrown if a cursor was not created by the store, for example because a caller invented it. */
export class CursorError extends Error {
  override readonly name = "CursorError";
}
