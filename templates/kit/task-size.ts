import type { Message, TaskArtifactUpdateEvent } from "../models.js";
import type { Account } from "./accounts.js";
import { isTerminal } from "./states.js";
import { maxQueueBytes, sizeOf, sizeOfEvent, TaskTooLargeError } from "./size.js";
import type { Stored, TaskEvent } from "./store.js";

/** Size of an end that a task has room for in any case, so that a task that is full can say so. */
const endBytes = 4_096;

/** Counts the size of a task while this process works on it, also for the account of its owner. */
export class TaskSize {
  readonly #account: Account;
  readonly #max: number;
  #bytes: number;
  /** Items of the inbox that the size includes. */
  #counted: number;
  /** Artifact of the last piece, and its size, as far as it was made here: if it is replaced, its bytes are gone. */
  #artifact: string | undefined;
  #artifactBytes = 0;
  /** The sizes of the other ones. Most tasks have one artifact. */
  #others: Map<string, number> | undefined;

  constructor({ bytes, inbox }: Pick<Stored, "bytes" | "inbox">, account: Account, max: number) {
    this.#bytes = bytes;
    this.#counted = inbox.length;
    this.#account = account;
    this.#max = max;
    account.hold();
  }

  /**
   * Counts an event and returns its size. Throws a {@link TaskTooLargeError} where the task becomes larger than it may, or
   * what waits to be written, which is `waiting` bytes so far: callbacks may replace an artifact without waiting.
   */
  add(event: TaskEvent, waiting: number): number {
    const size = sizeOfEvent(event);
    const growth = size - ("artifactUpdate" in event ? this.#replacedBy(event.artifactUpdate) : 0);
    const excess = Math.max(this.#bytes + growth, waiting + size - maxQueueBytes) - this.#max;
    if (excess > 0 && !isShortEnd(event, size)) throw new TaskTooLargeError(this.#max);
    if ("artifactUpdate" in event) this.#artifactBytes += growth;
    this.#bytes += growth;
    this.#account.grow(growth);
    return size;
  }

  /** Counts a message that was posted, which its owner's account has already. */
  take(message: Message): void {
    if (this.#counted === 0) this.#bytes += sizeOf(message);
    else this.#counted -= 1;
  }

  /** Ends the count: this process no longer works on the task. */
  close(hasEnded: boolean): void {
    this.#account.release();
    if (hasEnded) this.#account.end(this.#bytes);
  }

  /** Returns how many bytes go with an artifact that a piece replaces. */
  #replacedBy({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): number {
    if (artifactId !== this.#artifact) {
      if (this.#artifact !== undefined) (this.#others ??= new Map()).set(this.#artifact, this.#artifactBytes);
      this.#artifact = artifactId;
      this.#artifactBytes = this.#others?.get(artifactId) ?? 0;
    }
    return append === true ? 0 : this.#artifactBytes;
  }
}

function isShortEnd(event: TaskEvent, size: number): boolean {
  return "statusUpdate" in event && isTerminal(event.statusUpdate.status.state) && size <= endBytes;
}
