import type { Artifact, TaskArtifactUpdateEvent } from "../model.js";
import type { Account } from "./account.js";
import { isTerminal } from "../states.js";
import { maxQueueBytes, sizeOf, sizeOfCheckpoint, sizeOfEvent, sizeOfItem, TaskTooLargeError } from "./size.js";
import type { InboxItem, Stored, TaskEvent } from "../store.js";

/** Size of an end that a task has room for in any case, so that a task that is full can say so. */
const endBytes = 4_096;

/** Counts the size of a task while this process works on it, also for the account of its owner. */
export class TaskSize {
  readonly #account: Account;
  readonly #max: number;
  #bytes: number;
  /** Items of the inbox that the size includes. */
  #counted: number;
  /** What the account has counted for this task: it is what the end of the task gives back. */
  #added: number;
  readonly #admitted: number;
  #checkpointBytes: number;
  /** Artifacts that the task had before: their sizes are needed only if they are replaced. */
  readonly #earlier: readonly Artifact[] | undefined;
  /** Artifact of the last piece, and its size: if it is replaced, its bytes are gone. */
  #artifact: string | undefined;
  #artifactBytes = 0;
  /** The sizes of the other ones. Most tasks have one artifact. */
  #others: Map<string, number> | undefined;

  /** `admitted` is what the account has counted for the message that begins the task; 0 for a task that exists. */
  constructor({ task, bytes, inbox, checkpoint }: Stored, account: Account, max: number, admitted: number) {
    this.#bytes = bytes;
    this.#counted = inbox.length;
    this.#admitted = this.#added = admitted;
    this.#checkpointBytes = sizeOfCheckpoint(checkpoint);
    this.#earlier = task.artifacts;
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
    this.#grow(growth);
    return size;
  }

  /** Counts a checkpoint. Throws a {@link TaskTooLargeError} where the task becomes larger than it may. */
  keep(checkpoint: unknown): void {
    const size = sizeOfCheckpoint(checkpoint);
    const growth = size - this.#checkpointBytes;
    if (this.#bytes + growth > this.#max) throw new TaskTooLargeError(this.#max);
    this.#checkpointBytes = size;
    this.#grow(growth);
  }

  /** Counts an item that was posted, which its owner's account has already. */
  take(item: InboxItem): void {
    if (this.#counted === 0) this.#bytes += sizeOfItem(item);
    else this.#counted -= 1;
  }

  /**
   * Ends the count: this process no longer works on the task. A task that was never stored has not ended either: what it
   * has grown by is given back here, and what was admitted by the call that would have begun it.
   */
  close(isStored: boolean, hasEnded: boolean): void {
    this.#account.release();
    // Stores count escapes of JSON, too: an end that gave their count back would give more back than was counted.
    if (!isStored) this.#account.grow(this.#admitted - this.#added);
    else if (hasEnded) this.#account.end(this.#added);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#added += bytes;
    this.#account.grow(bytes);
  }

  /** Returns how many bytes go with an artifact that a piece replaces. */
  #replacedBy({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): number {
    if (artifactId !== this.#artifact) {
      if (this.#artifact !== undefined) (this.#others ??= new Map()).set(this.#artifact, this.#artifactBytes);
      this.#artifact = artifactId;
      this.#artifactBytes = this.#others?.get(artifactId) ?? this.#earlierBytesOf(artifactId);
    }
    return append === true ? 0 : this.#artifactBytes;
  }

  #earlierBytesOf(artifactId: string): number {
    const artifact = this.#earlier?.find((each) => each.artifactId === artifactId);
    return artifact === undefined ? 0 : sizeOf(artifact);
  }
}

function isShortEnd(event: TaskEvent, size: number): boolean {
  return "statusUpdate" in event && isTerminal(event.statusUpdate.status.state) && size <= endBytes;
}
