import { describe, pointerOf } from "../schema/issue.js";
import { EncodeError } from "./wire-errors.js";

type Path = readonly (string | number)[];

/**
 * Error for a value that cannot be encoded. {@link encodeError} adds the path, which the writer
 * does not know.
 */
class Misfit extends EncodeError {
  /**
   * The object that contains the invalid value; `undefined` if the invalid value is the value that
   * was read last.
   */
  readonly holder: object | undefined;
  /** The path of the invalid value in `holder`. */
  readonly path: Path;

  constructor(message: string, holder?: object, path: Path = [], options?: ErrorOptions) {
    super(message, options);
    this.holder = holder;
    this.path = path;
  }
}

/**
 * Returns the error for a value that protobuf cannot represent. Pass the value itself as `holder`,
 * unless it is the value that was read last.
 */
export function unexpected(expected: string, value: unknown, holder?: object): EncodeError {
  return new Misfit(`expected ${expected}, got ${describe(value)}`, holder);
}

/**
 * Returns the error for a value that has the right type but cannot be encoded. The value is at
 * `path` in `holder`.
 */
export function misfit(message: string, holder: object, path: Path, cause: unknown): EncodeError {
  return new Misfit(message, holder, path, { cause });
}

let isWatching = false;

/**
 * Returns the error for a value that `write` could not encode because of `thrown`, with the path of
 * the invalid value. To find the path, encodes the value again and records which members are read.
 * Valid values therefore cause no overhead.
 */
export function encodeError<T>(
  name: string,
  value: T,
  write: (value: T) => unknown,
  thrown: unknown,
): EncodeError {
  // The engine throws a `RangeError` if a value contains itself.
  if (thrown instanceof RangeError)
    return new EncodeError(`${name}: / is nested too deeply`, { cause: thrown });
  const cause = thrown instanceof EncodeError ? thrown.cause : thrown;
  const options = cause === undefined ? {} : { cause };
  const witness = new Witness();
  // If an outer value is already being recorded, for example because this value is the content of
  // an Any, only the path in the outer value is used.
  if (!isWatching) {
    isWatching = true;
    try {
      write(witness.watch(value));
    } catch (thrownAgain) {
      const pointer = pointerOf(witness.pathOf(thrownAgain)) || "/";
      return new EncodeError(`${name}: ${pointer} ${witness.reasonOf(thrown)}`, options);
    } finally {
      isWatching = false;
    }
  }
  const reason = thrown instanceof Error ? thrown.message : describe(thrown);
  return new EncodeError(`${name}: ${reason}`, options);
}

/** Records which member of a value is read last. */
class Witness {
  readonly #paths = new WeakMap<object, Path>();
  #last: Path = [];
  #found: unknown;

  /**
   * Returns the message of the error. For an error that the engine threw, the message describes the
   * value that was read last, because one of its members is missing.
   */
  reasonOf(thrown: unknown): string {
    if (thrown instanceof EncodeError) return thrown.message;
    return `expected another value, got ${describe(this.#found)}`;
  }

  /** Returns the path of the value that caused the error. */
  pathOf(thrown: unknown): Path {
    if (!(thrown instanceof Misfit) || thrown.holder === undefined) return this.#last;
    return [...(this.#paths.get(thrown.holder) ?? this.#last), ...thrown.path];
  }

  /** Returns a proxy of the value at `path` that records which member is read last. */
  watch<T>(value: T, path: Path = []): T {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const read = (key: string | symbol): unknown => {
      const member: unknown = Reflect.get(value, key);
      const isLength = Array.isArray(value) && key === "length";
      if (typeof key === "symbol" || isLength) return member;
      this.#last = [...path, key];
      this.#found = member;
      return this.watch(member, this.#last);
    };
    // Do not create a proxy of `value` itself, because a proxy must return the original members of
    // a frozen object.
    const watched = new Proxy(Array.isArray(value) ? [] : {}, {
      get: (_, key) => read(key),
      has: (_, key) => Reflect.has(value, key),
      ownKeys: () => Reflect.ownKeys(value),
      getPrototypeOf: () => Reflect.getPrototypeOf(value),
      getOwnPropertyDescriptor: (_, key) => {
        const { enumerable } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
        return enumerable === undefined
          ? undefined
          : { enumerable, configurable: true, get: () => read(key) };
      },
    });
    this.#paths.set(watched, path);
    return watched as T;
  }
}
