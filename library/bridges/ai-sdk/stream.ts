import type { Update } from "../../kit/turns/updates.js";
import { json } from "../../kit/turns/json.js";
import { isObject, type JsonValue } from "../../runtime/base/json.js";
import { stringIn } from "../reading.js";
import { type AnswerText, fileArtifact, type ServingOptions, toolUpdates } from "../answer.js";

const sdk = "The AI SDK";

/** Converts the parts of a stream of the AI SDK to updates of a task. */
export class StreamReader {
  readonly #answer: AnswerText;
  readonly #files: string[];
  readonly #options: ServingOptions;
  readonly sources: JsonValue[] = [];
  finishReason: string | undefined;
  /** The block of text that was begun last. Its id is only unique within a step of the model. */
  #block: { readonly id: unknown } = { id: undefined };

  /** `files` receives the names of the artifacts with the files of the model. */
  constructor(answer: AnswerText, files: string[], options: ServingOptions) {
    this.#answer = answer;
    this.#files = files;
    this.#options = options;
  }

  /**
   * Yields the updates for a part of the stream.
   * @throws The error that the part contains, or a `TypeError` if the part is not valid.
   */
  *updates(part: unknown): Generator<Update> {
    if (!isObject(part)) throw invalid("a part", part);
    switch (part["type"]) {
      case "text-start":
        this.#block = { id: part["id"] };
        break;
      case "text-delta":
        if (this.#block.id !== part["id"]) this.#block = { id: part["id"] };
        yield* this.#answer.text(stringIn(part, "text", sdk), this.#block);
        break;
      case "reasoning-delta":
        yield* this.#answer.reasoning(stringIn(part, "text", sdk));
        break;
      case "file":
        yield this.#file(part["file"]);
        break;
      case "source":
        this.sources.push(json<object>(part));
        break;
      case "tool-call":
      case "tool-result":
      case "tool-error":
      case "tool-output-denied":
        yield* this.#tool(part["type"], part);
        break;
      case "finish":
        this.finishReason = stringIn(part, "finishReason", sdk);
        break;
      case "abort":
        throw new Error("The agent was aborted", { cause: part["reason"] });
      case "error":
        // The thrown value may have any type.
        throw part["error"] as Error;
    }
  }

  #file(file: unknown): Update {
    if (!isObject(file)) throw invalid("a file", file);
    const raw = stringIn(file, "base64", sdk);
    const chunk = fileArtifact(
      { raw, mediaType: stringIn(file, "mediaType", sdk) },
      this.#files.length + 1,
    );
    this.#files.push(chunk.artifact.artifactId);
    return chunk;
  }

  *#tool(
    type: "tool-call" | "tool-result" | "tool-error" | "tool-output-denied",
    part: Record<string, unknown>,
  ): Generator<Update> {
    // Preliminary results are followed by the result.
    if (part["preliminary"] === true) return;
    const [toolName, toolCallId] = [
      stringIn(part, "toolName", sdk),
      stringIn(part, "toolCallId", sdk),
    ];
    const { input, output } = part;
    // The error of a tool may contain internal data.
    const result = type === "tool-result" ? { output } : {};
    yield* toolUpdates({ type, toolName, toolCallId, input, ...result }, this.#options.tools);
  }
}

function invalid(name: string, value: unknown): TypeError {
  return new TypeError(`The stream of the AI SDK contains ${name} of type ${typeof value}`);
}
