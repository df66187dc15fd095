/** Names a value that travels with a call on the server, and says what it is where nobody has set it. */
export interface ContextKey<T> {
  readonly id: symbol;
  readonly defaultValue: T;
}

/**
 * Creates a key for {@link ContextValues}. Every key is one of its own, whatever its description.
 *
 * @example
 * const traceId = createContextKey("", "trace id");
 * context.values.set(traceId, "4bf92f35");
 */
export function createContextKey<T>(defaultValue: T, description?: string): ContextKey<T> {
  return { id: Symbol(description), defaultValue };
}

/** What hooks and interceptors of a server hand on to each other and to the service, for one call. */
export interface ContextValues {
  /** Returns the value of the key, or its default where none is set. */
  get<T>(key: ContextKey<T>): T;
  /** Sets the value of the key. */
  set<T>(key: ContextKey<T>, value: T): void;
  /** Takes the value of the key back: it is the default again. */
  delete(key: ContextKey<unknown>): void;
}

/** Returns values that are all the default of their key. */
export function createContextValues(): ContextValues {
  const values = new Map<symbol, unknown>();
  return {
    // Only `set` writes, and takes for a key what is of its type.
    get: <T>(key: ContextKey<T>) => (values.has(key.id) ? (values.get(key.id) as T) : key.defaultValue),
    set: (key, value) => void values.set(key.id, value),
    delete: (key) => void values.delete(key.id),
  };
}
