import type { Part, TaskArtifactUpdateEvent } from "../model.js";
import { longestMs } from "../timer.js";
import type { ArtifactChunk } from "../turns/artifact-chunk.js";

/** Length of the text, and number of the parts, from which a chunk is no longer held. */
const maxLength = 2 ** 16;
const maxParts = 1_000;

/**
 * Holds the newest chunk of an artifact for a short time, so that the chunks after it become part
 * of the same event.
 */
export class HeldChunk {
  readonly #onTime: () => void;
  #event: TaskArtifactUpdateEvent | undefined;
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time at which the last chunk was taken. */
  #takenAt = -Infinity;

  /** `onTime` is called when the time of the held chunk is over. */
  constructor(onTime: () => void) {
    this.#onTime = onTime;
  }

  /** Returns whether a chunk continues the held chunk. */
  isContinuedBy({ artifact, append }: ArtifactChunk): boolean {
    return append && this.#event?.artifact.artifactId === artifact.artifactId;
  }

  /**
   * Holds an event, or adds its parts to the held event of the same artifact. The event belongs to
   * this object. Returns whether the held event must be sent now, because it is the last or large.
   */
  add(event: TaskArtifactUpdateEvent, everyMs: number): boolean {
    const { parts, metadata } = event.artifact;
    for (const { text } of parts) this.#length += text?.length ?? 0;
    if (this.#event === undefined) {
      this.#event = event;
      const delayMs = Math.min(this.#takenAt + everyMs - performance.now(), longestMs);
      this.#timer = setTimeout(this.#onTime, Math.max(delayMs, 0));
    } else {
      const { artifact } = this.#event;
      for (const part of parts) addPart(artifact.parts, part);
      if (metadata !== undefined) artifact.metadata = { ...artifact.metadata, ...metadata };
      if (event.lastChunk === true) this.#event.lastChunk = true;
    }
    const { artifact, lastChunk } = this.#event;
    return lastChunk === true || this.#length >= maxLength || artifact.parts.length >= maxParts;
  }

  /** Removes the held event and returns it. */
  take(): TaskArtifactUpdateEvent | undefined {
    const event = this.#event;
    if (event === undefined) return undefined;
    clearTimeout(this.#timer);
    this.#event = undefined;
    this.#length = 0;
    this.#takenAt = performance.now();
    return event;
  }
}

/** Adds a part. If the part and the part before it only contain text, joins the texts. */
function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  if (before !== undefined && isText(before) && isText(part) && before.mediaType === part.mediaType)
    before.text += part.text;
  else parts.push(part);
}

/** Returns whether a part has no members other than its text and its media type. */
function isText(part: Part): part is Part & { text: string } {
  return part.text !== undefined && Object.keys(part).length === ("mediaType" in part ? 2 : 1);
}
