import type { Task } from "../../model.js";

/**
 * Encrypts what callers and agents have said before a store writes it. What a store searches by stays as it is: ids,
 * tenants, owners, contexts, states and times.
 */
export interface Encryption {
  /** Encrypts a text. */
  seal(text: string): string;
  /** Decrypts what `seal` has returned; throws if that is not possible. The task is unreadable then. */
  open(text: string): string;
}

/** Ids of items whose messages are large, and where in the history of a snapshot these are. */
export type TakenItems = readonly (readonly [item: string, at: number])[];

/** The member of a snapshot with its {@link TakenItems}. No name of the protocol has this character. */
export const takenMember = "@items";

/** A task as JSON without its artifacts, and its artifacts. */
export interface Snapshot {
  readonly task: string;
  /** `null` if it has none. */
  readonly artifacts: string | null;
}

/** Writes values as JSON, and reads them again: the only place that knows whether they are encrypted. */
export class Codec {
  readonly #encryption: Encryption | undefined;

  constructor(encryption: Encryption | undefined) {
    this.#encryption = encryption;
  }

  /** Whether texts that were written from equal values may differ. */
  get isSealing(): boolean {
    return this.#encryption !== undefined;
  }

  write(value: unknown): string {
    const json = JSON.stringify(value);
    // A sealed text is a JSON string, so that it can be a member or an element like any other value.
    return this.#encryption === undefined ? json : JSON.stringify(this.#encryption.seal(json));
  }

  /** Returns the JSON of what may be absent. */
  writeOptional(value: unknown): string | null {
    return value === undefined ? null : this.write(value);
  }

  /** Writes a snapshot, with where its history has the messages of some items. */
  writeTask({ artifacts, ...task }: Task, taken: TakenItems = []): Snapshot {
    const text = this.write(taken.length === 0 ? task : { ...task, [takenMember]: taken });
    return { task: text, artifacts: this.writeOptional(artifacts) };
  }

  /** Reads a value out of JSON that was parsed. Throws if it cannot be decrypted. */
  open(value: unknown): unknown {
    if (this.#encryption === undefined || typeof value !== "string") return value;
    return JSON.parse(this.#encryption.open(value));
  }

  /** Reads a value. Throws if it is not JSON, or cannot be decrypted. */
  read(json: string): unknown {
    return this.open(JSON.parse(json));
  }
}
