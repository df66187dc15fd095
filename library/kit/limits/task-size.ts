import type { Artifact, TaskArtifactUpdateEvent } from "../model.js";
import type { Account } from "./account.js";
import { isTerminal } from "../states.js";
import {
  maxQueueBytes,
  sizeOf,
  sizeOfCheckpoint,
  sizeOfEvent,
  sizeOfItem,
  TaskTooLargeError,
} from "./size.js";
import type { InboxItem, Stored, TaskEvent } from "../store.js";

/**
 * Size up to which the end of a turn is always accepted, so that a turn can still report that its
 * task is full.
 */
const endBytes = 4_096;

/**
 * Tracks the size of a task while this process works on it, and updates the account of its owner.
 */
export class TaskSize {
  readonly #account: Account;
  readonly #maxBytes: number;
  #bytes: number;
  /** Number of inbox items that the size already includes. */
  #countedItems: number;
  /**
   * Bytes that the account has counted for this task. When the task ends, the account subtracts
   * them.
   */
  #addedBytes: number;
  readonly #admittedBytes: number;
  #checkpointBytes: number;
  /**
   * Artifacts that the task already had. The size of such an artifact is only computed if the
   * artifact is replaced.
   */
  readonly #earlierArtifacts: readonly Artifact[] | undefined;
  /**
   * Id of the last changed artifact, and its size, which is subtracted if the artifact is replaced.
   */
  #artifact: string | undefined;
  #artifactBytes = 0;
  /** Sizes of the other artifacts; absent for most tasks, because they have only one artifact. */
  #otherSizes: Map<string, number> | undefined;

  /**
   * `admitted` is the number of bytes that the account has counted for the message that begins the
   * task; 0 for an existing task.
   */
  constructor(
    { task, bytes, inbox, checkpoint }: Stored,
    account: Account,
    max: number,
    admitted: number,
  ) {
    this.#bytes = bytes;
    this.#countedItems = inbox.length;
    this.#admittedBytes = this.#addedBytes = admitted;
    this.#checkpointBytes = sizeOfCheckpoint(checkpoint);
    this.#earlierArtifacts = task.artifacts;
    this.#account = account;
    this.#maxBytes = max;
    account.hold();
  }

  /**
   * Adds an event and returns its size. Throws a {@link TaskTooLargeError} if the task would become
   * too large, or if too many bytes would wait to be written. `waiting` is the number of bytes that
   * currently wait. The second check is necessary because a callback can replace an artifact
   * repeatedly without waiting.
   */
  add(event: TaskEvent, waiting: number): number {
    const size = sizeOfEvent(event);
    const growth = size - ("artifactUpdate" in event ? this.#replacedBy(event.artifactUpdate) : 0);
    const excess = Math.max(this.#bytes + growth, waiting + size - maxQueueBytes) - this.#maxBytes;
    if (excess > 0 && !isShortEnd(event, size)) throw new TaskTooLargeError(this.#maxBytes);
    if ("artifactUpdate" in event) this.#artifactBytes += growth;
    this.#grow(growth);
    return size;
  }

  /** Returns whether the task has an artifact. */
  hasArtifact(id: string): boolean {
    if (id === this.#artifact || this.#otherSizes?.has(id) === true) return true;
    return this.#earlierArtifacts?.some(({ artifactId }) => artifactId === id) === true;
  }

  /** Adds a checkpoint. Throws a {@link TaskTooLargeError} if the task would become too large. */
  keep(checkpoint: unknown): void {
    const size = sizeOfCheckpoint(checkpoint);
    const growth = size - this.#checkpointBytes;
    if (this.#bytes + growth > this.#maxBytes) throw new TaskTooLargeError(this.#maxBytes);
    this.#checkpointBytes = size;
    this.#grow(growth);
  }

  /** Adds a posted item, which the owner's account has already counted. */
  take(item: InboxItem): void {
    if (this.#countedItems === 0) this.#bytes += sizeOfItem(item);
    else this.#countedItems -= 1;
  }

  /**
   * Ends the tracking, because this process no longer works on the task. If the task was never
   * stored, only subtracts its growth, because the failed call itself releases the admitted bytes.
   */
  close(isStored: boolean, hasEnded: boolean): void {
    this.#account.release();
    // Only subtract bytes that were counted here. Stores also count JSON escapes, so subtracting
    // the store's size would make the usage too small.
    if (!isStored) this.#account.grow(this.#admittedBytes - this.#addedBytes);
    else if (hasEnded) this.#account.end(this.#addedBytes);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#addedBytes += bytes;
    this.#account.grow(bytes);
  }

  /** Returns the size of the artifact that a chunk replaces. */
  #replacedBy({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): number {
    if (artifactId !== this.#artifact) {
      if (this.#artifact !== undefined)
        (this.#otherSizes ??= new Map()).set(this.#artifact, this.#artifactBytes);
      this.#artifact = artifactId;
      this.#artifactBytes = this.#otherSizes?.get(artifactId) ?? this.#earlierBytesOf(artifactId);
    }
    return append === true ? 0 : this.#artifactBytes;
  }

  #earlierBytesOf(artifactId: string): number {
    const artifact = this.#earlierArtifacts?.find((artifact) => artifact.artifactId === artifactId);
    return artifact === undefined ? 0 : sizeOf(artifact);
  }
}

function isShortEnd(event: TaskEvent, size: number): boolean {
  return "statusUpdate" in event && isTerminal(event.statusUpdate.status.state) && size <= endBytes;
}
