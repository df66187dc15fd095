import type { Task } from "../../model.js";

/**
 * Encrypts the content of tasks before a store writes it. Ids, tenants, owners, contexts, states and times are not
 * encrypted, because queries use them.
 */
export interface Encryption {
  /** Encrypts a string. */
  seal(text: string): string;
  /**
   * Decrypts a result of `seal`.
   * @throws If the string cannot be decrypted. The task is then unreadable.
   */
  open(text: string): string;
}

/** Ids of inbox items with large messages, each with the index of its message in the history of a snapshot. */
export type TakenItems = readonly (readonly [item: string, at: number])[];

/** Name of the member of a snapshot that contains its {@link TakenItems}. Names of the protocol do not contain `@`. */
export const takenMember = "@items";

/** A task as JSON. A separate string contains the artifacts of the task. */
export interface Snapshot {
  readonly task: string;
  /** `null` if the task has no artifacts. */
  readonly artifacts: string | null;
}

/** Writes values as JSON, and reads values from JSON. Only this class encrypts and decrypts. */
export class Codec {
  readonly #encryption: Encryption | undefined;

  constructor(encryption: Encryption | undefined) {
    this.#encryption = encryption;
  }

  /** Whether the codec encrypts, and may therefore write equal values as different strings. */
  get isSealing(): boolean {
    return this.#encryption !== undefined;
  }

  write(value: unknown): string {
    const json = JSON.stringify(value);
    // An encrypted text is written as a JSON string, so that it can be a member or an element of other JSON.
    return this.#encryption === undefined ? json : JSON.stringify(this.#encryption.seal(json));
  }

  /** Returns the JSON of a value, or `null` if the value is `undefined`. */
  writeOptional(value: unknown): string | null {
    return value === undefined ? null : this.write(value);
  }

  /** Writes a snapshot, together with the positions of large messages in its history. */
  writeTask({ artifacts, ...task }: Task, taken: TakenItems = []): Snapshot {
    const text = this.write(taken.length === 0 ? task : { ...task, [takenMember]: taken });
    return { task: text, artifacts: this.writeOptional(artifacts) };
  }

  /**
   * Reads a value from parsed JSON.
   * @throws If the value cannot be decrypted.
   */
  open(value: unknown): unknown {
    if (this.#encryption === undefined || typeof value !== "string") return value;
    return JSON.parse(this.#encryption.open(value));
  }

  /**
   * Reads a value from JSON.
   * @throws If the text is not JSON, or cannot be decrypted.
   */
  read(json: string): unknown {
    return this.open(JSON.parse(json));
  }
}
