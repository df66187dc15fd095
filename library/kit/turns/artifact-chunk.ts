import type { Artifact } from "../model.js";

/** A chunk of an artifact, or a whole artifact, to yield from a turn. */
export interface ArtifactChunk {
  readonly artifact: Artifact;
  /**
   * Whether the parts are appended to the artifact, if the task already has it. Otherwise, the
   * artifact is created or replaced.
   */
  readonly append: boolean;
  /**
   * Whether the artifact is complete with this chunk. The end of a completed task also completes
   * its artifacts.
   */
  readonly last: boolean;
  /** The shortest time between two events for chunks of the artifact, in milliseconds. */
  readonly everyMs?: number;
}
