/** Key of a value that hooks, interceptors and the service share during a call, with a default. */
export interface ContextKey<T> {
  readonly id: symbol;
  readonly defaultValue: T;
}

/**
 * Creates a key for {@link ContextValues}. Every key is unique, even if descriptions are equal.
 *
 * @example
 * const traceId = createContextKey("", "trace id");
 * context.values.set(traceId, "4bf92f35");
 */
export function createContextKey<T>(defaultValue: T, description?: string): ContextKey<T> {
  return { id: Symbol(description), defaultValue };
}

/** Values that hooks, interceptors and the service share during one call. */
export interface ContextValues {
  /** Returns the value of the key, or its default if it is not set. */
  get<T>(key: ContextKey<T>): T;
  /** Sets the value of the key. */
  set<T>(key: ContextKey<T>, value: T): void;
  /** Deletes the value of the key, so that the key has its default again. */
  delete(key: ContextKey<unknown>): void;
}

/** Returns an empty set of values. */
export function createContextValues(): ContextValues {
  const values = new Map<symbol, unknown>();
  return {
    // Only `set` stores values, and it only accepts values of the key's type.
    get: <T>(key: ContextKey<T>) =>
      values.has(key.id) ? (values.get(key.id) as T) : key.defaultValue,
    set: (key, value) => void values.set(key.id, value),
    delete: (key) => void values.delete(key.id),
  };
}
