import type { Task } from "../../kit/model.js";

/** Context of an encrypted string. Pass it to the cipher as additional authenticated data. */
export interface SealContext {
  /** The id of the task that the string belongs to. */
  readonly taskId: string;
  /**
   * The kind of the string, such as the snapshot of the task, an entry of its log, or one of its
   * webhooks.
   */
  readonly kind: "task" | "artifacts" | "entry" | "turn" | "checkpoint" | "item" | "webhook";
}

/**
 * Encrypts the content of tasks before a store writes it. Ids, tenants, owners, contexts, states
 * and times are not encrypted, because queries use them.
 */
export interface Encryption {
  /** Encrypts a string. The result must only be readable in the same context. */
  seal(text: string, context: SealContext): string;
  /**
   * Decrypts a result of `seal`.
   * @throws If the string cannot be decrypted, or was encrypted in another context. The task is
   *   then unreadable.
   */
  open(text: string, context: SealContext): string;
  /**
   * Whether to `refuse` data that is not encrypted, which is the default, or to `read` it, to
   * migrate a store. Otherwise, a person with access to the database could write tasks, turns and
   * webhooks without the key.
   */
  readonly plain?: "refuse" | "read";
}

/**
 * Ids of inbox items with large messages, each with the index of its message in the history of a
 * snapshot.
 */
export type TakenItems = readonly (readonly [item: string, at: number])[];

/**
 * Name of the member of a snapshot that contains its {@link TakenItems}. Names of the protocol do
 * not contain `@`.
 */
export const takenMember = "@items";

/** A task as JSON. A separate string contains the artifacts of the task. */
export interface Snapshot {
  readonly task: string;
  /** `null` if the task has no artifacts. */
  readonly artifacts: string | null;
}

/** Writes values as JSON, and reads values from JSON. Only this module encrypts and decrypts. */
export class Codec {
  readonly #encryption: Encryption | undefined;

  constructor(encryption: Encryption | undefined) {
    const { plain = "refuse" } = encryption ?? {};
    if (!["refuse", "read"].includes(plain))
      throw new TypeError('`encryption.plain` must be "refuse" or "read"');
    this.#encryption = encryption;
  }

  /** Returns a codec for the values of a task. */
  of(taskId: string): TaskCodec {
    return new TaskCodec(this.#encryption, taskId);
  }
}

/** Writes and reads the values of a task. */
export class TaskCodec {
  readonly taskId: string;
  readonly #encryption: Encryption | undefined;

  constructor(encryption: Encryption | undefined, taskId: string) {
    this.#encryption = encryption;
    this.taskId = taskId;
  }

  /** Whether the codec encrypts, and may therefore write equal values as different strings. */
  get isSealing(): boolean {
    return this.#encryption !== undefined;
  }

  write(value: unknown, kind: SealContext["kind"]): string {
    const json = JSON.stringify(value);
    // An encrypted text is written as a JSON string, so that it can be a member or an element of
    // other JSON.
    return this.#encryption === undefined
      ? json
      : JSON.stringify(this.#encryption.seal(json, this.#at(kind)));
  }

  /** Returns the JSON of a value, or `null` if the value is `undefined`. */
  writeOptional(value: unknown, kind: SealContext["kind"]): string | null {
    return value === undefined ? null : this.write(value, kind);
  }

  /** Writes a snapshot, together with the positions of large messages in its history. */
  writeTask({ artifacts, ...task }: Task, taken: TakenItems = []): Snapshot {
    const text = this.write(taken.length === 0 ? task : { ...task, [takenMember]: taken }, "task");
    return { task: text, artifacts: this.writeOptional(artifacts, "artifacts") };
  }

  /**
   * Reads a value from parsed JSON.
   * @throws If the value cannot be decrypted, or is not encrypted although it must be.
   */
  open(value: unknown, kind: SealContext["kind"]): unknown {
    if (this.#encryption === undefined || value === undefined || value === null) return value;
    if (typeof value === "string") return JSON.parse(this.#encryption.open(value, this.#at(kind)));
    if (this.#encryption.plain === "read") return value;
    throw new TypeError(
      'it is not encrypted: set `encryption.plain` to "read" to migrate the store',
    );
  }

  /**
   * Reads a value from JSON.
   * @throws If the text is not JSON, or cannot be decrypted.
   */
  read(json: string, kind: SealContext["kind"]): unknown {
    return this.open(JSON.parse(json), kind);
  }

  #at(kind: SealContext["kind"]): SealContext {
    return { taskId: this.taskId, kind };
  }
}
