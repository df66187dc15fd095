import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from "../kit/model.js";
import { joined } from "./differences.js";
import type { ArtifactHead, AnswerUpdate } from "./answer.js";
import { Repetition } from "./repetition.js";
import { isSame } from "./same.js";

/** An artifact, as far as its updates were yielded. */
interface Yielded {
  head: ArtifactHead;
  /** The parts that were yielded. Adjacent texts are one part. */
  parts: Part[];
  /** An artifact that the agent writes again, as long as it repeats what was yielded. */
  repetition: Repetition | undefined;
}

/** Converts the changes to a task to updates. */
export class AnswerUpdates {
  readonly #artifacts = new Map<string, Yielded>();
  #progress: Message | undefined;

  /** Treats the content of a task as yielded, because it belongs to an earlier answer. */
  skip({ artifacts = [], status }: Task): void {
    for (const { parts, ...head } of artifacts)
      this.#artifacts.set(head.artifactId, { head, parts: joined(parts), repetition: undefined });
    this.#progress = status.message;
  }

  /** Returns the updates of an event. */
  *after({ task, statusUpdate, artifactUpdate }: StreamResponse): Generator<AnswerUpdate> {
    if (task !== undefined) {
      yield* this.#whole(task);
    } else if (artifactUpdate !== undefined) {
      yield* this.#changed(artifactUpdate.artifact, artifactUpdate.append === true);
    } else if (statusUpdate !== undefined) {
      yield* this.#said(statusUpdate.status);
    }
  }

  /** Returns the updates that replace artifacts which the agent has not written again completely. */
  *rest(): Generator<AnswerUpdate> {
    for (const yielded of this.#artifacts.values()) {
      const { repetition } = yielded;
      if (repetition !== undefined) yield* replaced(yielded, repetition.parts);
    }
  }

  *#whole({ artifacts = [], status }: Task): Generator<AnswerUpdate> {
    const ids = new Set(artifacts.map(({ artifactId }) => artifactId));
    for (const [id, { head }] of this.#artifacts) {
      if (ids.has(id)) continue;
      this.#artifacts.delete(id);
      yield { type: "replaced", artifact: head };
    }
    for (const artifact of artifacts) yield* this.#changed(artifact, false);
    yield* this.#said(status);
  }

  *#said({ state, message }: TaskStatus): Generator<AnswerUpdate> {
    if (message === undefined || state !== TaskState.Working) return;
    if (isSame(message, this.#progress)) return;
    this.#progress = message;
    yield { type: "progress", message };
  }

  *#changed({ parts, ...head }: Artifact, append: boolean): Generator<AnswerUpdate> {
    const known = this.#artifacts.get(head.artifactId);
    const yielded = known ?? { head, parts: [], repetition: undefined };
    this.#artifacts.set(head.artifactId, yielded);
    yielded.head = { ...yielded.head, ...head };
    const before = append ? known?.repetition : undefined;
    if (known === undefined || (append && before === undefined)) {
      yield* added(yielded, parts);
      return;
    }
    const repetition = before ?? new Repetition(known.parts);
    const { isRepeated, more } = repetition.add(parts);
    known.repetition = isRepeated && more === undefined ? repetition : undefined;
    if (!isRepeated) yield* replaced(known, repetition.parts);
    else if (more !== undefined) yield* added(known, more);
  }
}

function* replaced(yielded: Yielded, parts: readonly Part[]): Generator<AnswerUpdate> {
  yielded.parts = [];
  yielded.repetition = undefined;
  yield { type: "replaced", artifact: yielded.head };
  yield* added(yielded, parts);
}

/** Returns the updates of parts that are added to an artifact. */
function* added(yielded: Yielded, parts: readonly Part[]): Generator<AnswerUpdate> {
  const artifact = yielded.head;
  for (const part of joined(parts)) {
    const { text, mediaType } = part;
    if (text === undefined) yield { type: "part", part, artifact };
    else if (text !== "")
      yield { type: "text", text, artifact, ...(mediaType !== undefined && { mediaType }) };
  }
  // Copying all parts for each chunk would take quadratic time.
  for (const part of joined(parts)) {
    const last = yielded.parts.pop();
    for (const each of last === undefined ? [part] : joined([last, part])) yielded.parts.push(each);
  }
}
