import { describe, pointerOf } from "../schema/schema.js";
import { EncodeError } from "./wire-errors.js";

type Path = readonly (string | number)[];

/** What a value is not, found where it is written: which value that is the writer does not know. */
class Misfit extends EncodeError {
  /** The object to blame; where there is none, the value that was read last is. */
  readonly holder: object | undefined;
  /** The keys that lead from there to the place. */
  readonly path: Path;

  constructor(message: string, holder?: object, path: Path = [], options?: ErrorOptions) {
    super(message, options);
    this.holder = holder;
    this.path = path;
  }
}

/** The error for a value that protobuf does not carry in its place; `holder` is it, unless it was read just before. */
export function unexpected(expected: string, value: unknown, holder?: object): EncodeError {
  return new Misfit(`expected ${expected}, got ${describe(value)}`, holder);
}

/** The error for what is at a path of an object, which did not fit for another reason than its type. */
export function misfit(message: string, holder: object, path: Path, cause: unknown): EncodeError {
  return new Misfit(message, holder, path, { cause });
}

let isWatching = false;

/**
 * The error for a value that could not be written, for the reason that was `thrown`: it says where that is. To find out,
 * `write` writes the value once more, and it is noted what it reads; nothing of this costs time where all goes well.
 */
export function encodeError<T>(name: string, value: T, write: (value: T) => unknown, thrown: unknown): EncodeError {
  // The engine says so where a value refers to itself.
  if (thrown instanceof RangeError) return new EncodeError(`${name}: / is nested too deep`, { cause: thrown });
  const cause = thrown instanceof EncodeError ? thrown.cause : thrown;
  const options = cause === undefined ? {} : { cause };
  const witness = new Witness();
  // Within another value that is being watched, as an Any may be, only the place of that is asked for.
  if (!isWatching) {
    isWatching = true;
    try {
      write(witness.watch(value));
    } catch (again) {
      return new EncodeError(
        `${name}: ${pointerOf(witness.placeOf(again)) || "/"} ${witness.reasonOf(thrown)}`,
        options,
      );
    } finally {
      isWatching = false;
    }
  }
  return new EncodeError(`${name}: ${thrown instanceof Error ? thrown.message : describe(thrown)}`, options);
}

/** Sees which member of a value is read last. */
class Witness {
  readonly #paths = new WeakMap<object, Path>();
  #last: Path = [];
  #found: unknown;

  /** What is wrong. An error of the engine says that something inside of what was read last is not there. */
  reasonOf(thrown: unknown): string {
    return thrown instanceof EncodeError ? thrown.message : `expected another value, got ${describe(this.#found)}`;
  }

  /** Where the value is that an error is about. */
  placeOf(thrown: unknown): Path {
    if (!(thrown instanceof Misfit) || thrown.holder === undefined) return this.#last;
    return [...(this.#paths.get(thrown.holder) ?? this.#last), ...thrown.path];
  }

  /** Returns a value that looks like `value`, which stands at `path`. */
  watch<T>(value: T, path: Path = []): T {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    const read = (key: string | symbol): unknown => {
      const member: unknown = Reflect.get(value, key);
      if (typeof key === "symbol" || (Array.isArray(value) && key === "length")) return member;
      this.#last = [...path, key];
      this.#found = member;
      return this.watch(member, this.#last);
    };
    // Not of `value` itself: what is frozen has to be given as it is.
    const watched = new Proxy(Array.isArray(value) ? [] : {}, {
      get: (_, key) => read(key),
      has: (_, key) => Reflect.has(value, key),
      ownKeys: () => Reflect.ownKeys(value),
      getPrototypeOf: () => Reflect.getPrototypeOf(value),
      getOwnPropertyDescriptor: (_, key) => {
        const { enumerable } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
        return enumerable === undefined ? undefined : { enumerable, configurable: true, get: () => read(key) };
      },
    });
    this.#paths.set(watched, path);
    return watched as T;
  }
}
