import { artifact, type ArtifactWriter } from "../kit/turns/artifact.js";
import type { ArtifactChunk } from "../kit/turns/artifact-chunk.js";
import type { Turn } from "../kit/turns/turn.js";
import { type Progress, textOf, working } from "../kit/turns/updates.js";
import { json } from "../kit/turns/json.js";
import { reasoningKey } from "./conversation.js";
import type { FileOptions } from "./fetch-file.js";

/** Options of all bridges that serve an agent. */
export interface ServingOptions extends FileOptions {
  /** Number of earlier tasks of the conversation that the model sees; 20 by default. */
  readonly memory?: number;
  /**
   * The part of a tool call that callers see: nothing, the name of the tool, or all data.
   * Default: the name, because the output of a tool may be internal.
   */
  readonly tools?: "none" | "name" | "data";
  /** Whether callers see the reasoning of the model, as an artifact; `false` by default. */
  readonly reasoning?: boolean;
  /** Minimum interval in milliseconds between the events of an artifact; 50 by default. */
  readonly everyMs?: number;
  /** Returns whether a text approves an action. By default, a plain yes in English does. */
  readonly approves?: (text: string) => boolean;
}

const name = "answer";
const mediaType = "text/markdown";

/**
 * Writes the text of a model to the artifact `answer`. A later turn continues the artifact. A
 * resumed turn writes it again from its start, because the text of the unfinished step is void.
 */
export class AnswerText {
  readonly #writer: ArtifactWriter;
  readonly #reasoning: ArtifactWriter | undefined;
  readonly #saved: string;
  #written = "";
  /** Block of text that was written last. */
  #block: unknown;

  /** `saved` is the {@link written} text in the state of the turn. */
  constructor(
    { task, resumed }: Pick<Turn, "task" | "resumed">,
    { everyMs = 50, reasoning = false }: ServingOptions,
    saved = "",
  ) {
    const append = !resumed;
    this.#writer = artifact(name, mediaType, { append, everyMs });
    const metadata = { [reasoningKey]: true };
    if (reasoning)
      this.#reasoning = artifact("reasoning", mediaType, { append, everyMs, metadata });
    const before = task.artifacts?.find(({ artifactId }) => artifactId === name);
    if (append && before !== undefined) this.#written = textOf(before);
    this.#saved = resumed ? saved : "";
  }

  /** The text of the artifact, to be saved with a state. */
  get written(): string {
    return this.#written;
  }

  /** Returns the chunk with the saved text, if the turn is resumed and must write it again. */
  *restored(): Generator<ArtifactChunk> {
    yield* this.text(this.#saved, this);
  }

  /**
   * Returns the chunks for a text. Text of another `block` is a paragraph of its own, and texts of
   * the same block continue each other.
   */
  *text(text: string, block: unknown): Generator<ArtifactChunk> {
    if (text === "") return;
    const isNew = this.#block !== block;
    this.#block = block;
    const chunk = isNew && this.#written !== "" ? `\n\n${text}` : text;
    this.#written += chunk;
    yield this.#writer.text(chunk);
  }

  /** Returns the chunk for a part of the reasoning, if callers see the reasoning. */
  *reasoning(text: string): Generator<ArtifactChunk> {
    if (text !== "" && this.#reasoning !== undefined) yield this.#reasoning.text(text);
  }
}

/** Event of a tool, in the form that callers see. */
export interface ToolEvent {
  readonly type: "tool-call" | "tool-result" | "tool-error" | "tool-output-denied";
  readonly toolName: string;
  readonly toolCallId?: string | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** Returns the updates by which callers see an event of a tool. */
export function* toolUpdates(
  event: ToolEvent,
  tools: ServingOptions["tools"] = "name",
): Generator<Progress> {
  if (tools === "data") yield working([{ data: json<object>(event) }]);
  else if (tools === "name" && event.type === "tool-call")
    yield working(`Calling ${event.toolName}`);
}

/**
 * Returns an artifact with a file of a model. `number` counts the files of the task. The id does
 * not depend on the name, which may be the name of another artifact.
 */
export function fileArtifact(
  {
    raw,
    mediaType,
    filename = "",
  }: { raw: string; mediaType: string; filename?: string | undefined },
  number: number,
): ArtifactChunk {
  const subtype = mediaType.split("/")[1]?.split(/[+;]/)[0] ?? "bin";
  const id = `file-${String(number)}.${subtype}`;
  // Callers may save the file under its name.
  const named = filename.replace(/^.*[/\\]|\p{Cc}/gsu, "") || id;
  return artifact(named, undefined, { id }).finish([{ raw, filename: named, mediaType }]);
}
