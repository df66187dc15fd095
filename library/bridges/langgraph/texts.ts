import type { ArtifactChunk } from "../../kit/turns/artifact-chunk.js";
import type { AnswerText } from "../answer.js";

/** The text of one message of the graph. */
interface Block {
  readonly id: string;
  /** Ids of the graph's tasks that write the message: a subgraph's task is in a task around it. */
  readonly tasks: readonly string[];
  text: string;
  /** Number of characters that are written. */
  written: number;
}

/**
 * The texts of the graph's messages, as paragraphs in the order in which the messages began. Texts
 * of nodes that run in parallel do not mix: each waits until those before it are complete.
 */
export class Texts {
  readonly #answer: AnswerText;
  readonly #blocks: Block[] = [];
  readonly #ended = new Set<string>();
  readonly #isReplaced: boolean;
  #complete: string;

  /**
   * `complete` is the text of the tasks of the graph that ended earlier. It is written again if the
   * artifact is replaced.
   */
  constructor(answer: AnswerText, complete: string, isReplaced: boolean) {
    this.#answer = answer;
    this.#complete = complete;
    this.#isReplaced = isReplaced;
  }

  /** Text of the tasks of the graph that have ended. A resumed turn does not run them again. */
  get complete(): string {
    return paragraphs([
      this.#complete,
      ...this.#blocks.filter((block) => this.#hasEnded(block)).map(({ text }) => text),
    ]);
  }

  /** Whether the graph has written any text. */
  get isEmpty(): boolean {
    return this.#complete === "" && this.#blocks.length === 0;
  }

  /** Writes the complete text again if the artifact is replaced. */
  *again(): Generator<ArtifactChunk> {
    if (this.#isReplaced) yield* this.#answer.text(this.#complete, this);
  }

  /** Writes reasoning, if callers see it. */
  *reasoning(text: string): Generator<ArtifactChunk> {
    yield* this.#answer.reasoning(text);
  }

  /** Adds text to a message. */
  *add(id: string, tasks: readonly string[], added: string): Generator<ArtifactChunk> {
    const known = this.#blocks.find((block) => block.id === id);
    // A blank line separates the messages already.
    const text = known === undefined && !this.isEmpty ? added.replace(/^\n+/, "") : added;
    if (text === "") return;
    if (known === undefined) this.#blocks.push({ id, tasks, text, written: 0 });
    else known.text += text;
    yield* this.#write(false);
  }

  /** Ends a task of the graph: its messages are complete. */
  *end(task: string): Generator<ArtifactChunk> {
    this.#ended.add(task);
    yield* this.#write(false);
    for (;;) {
      const [first] = this.#blocks;
      if (first === undefined || !this.#hasEnded(first)) return;
      this.#complete = paragraphs([this.#complete, first.text]);
      this.#blocks.shift();
    }
  }

  /** Writes all texts, because the graph has stopped. */
  *rest(): Generator<ArtifactChunk> {
    yield* this.#write(true);
  }

  *#write(all: boolean): Generator<ArtifactChunk> {
    for (const [index, block] of this.#blocks.entries()) {
      yield* this.#answer.text(block.text.slice(block.written), block);
      block.written = block.text.length;
      const writer = block.tasks.at(-1);
      const hasNext = this.#blocks.slice(index + 1).some(({ tasks }) => tasks.at(-1) === writer);
      if (!all && !hasNext && !this.#hasEnded(block)) return;
    }
  }

  #hasEnded({ tasks }: Block): boolean {
    return tasks.some((task) => this.#ended.has(task));
  }
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
