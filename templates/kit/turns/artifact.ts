import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import type { Artifact, Models, Part } from "../model.js";
import { batches, singles, type Source } from "./batches.js";
import { extended } from "../copy.js";

/** A piece of an artifact, or all of it, as a turn yields it. */
export interface ArtifactPiece<M extends Models = Models> {
  readonly artifact: M["Artifact"];
  /** Whether the parts follow those that the artifact has; without it, it is new, or replaced. */
  readonly append: boolean;
  /** Whether it is complete with this piece. */
  readonly last: boolean;
}

/** What an artifact is called and described with. */
export interface ArtifactOptions {
  /** The id of the artifact within its task; its name by default, so that a repeated turn replaces it. */
  readonly id?: string;
  readonly description?: string;
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
}

/** Options for one piece of an artifact. */
export interface PieceOptions {
  /** Whether the artifact is complete with this piece; `false` by default. */
  readonly last?: boolean;
}

/** Options for the pieces of a source. */
export interface SourceOptions {
  /**
   * How many milliseconds of what comes go into a piece; by default each part is a piece. A model that says a hundred
   * tokens a second needs no hundred events.
   */
  readonly everyMs?: number;
}

/** Returns a writer for an artifact, to be yielded as a whole or in pieces. */
export function artifact<M extends Models = Models>(
  name: string,
  mediaType?: string,
  options: ArtifactOptions = {},
): ArtifactWriter<M> {
  return new ArtifactWriter<M>(name, mediaType, options);
}

/** Makes the pieces of one artifact: the first one begins it, the others add to it. */
export class ArtifactWriter<M extends Models = Models> {
  readonly #head: Omit<Artifact, "parts">;
  readonly #mediaType: string | undefined;
  #hasBegun = false;

  constructor(
    name: string,
    mediaType: string | undefined,
    { id = name, description, extensions, metadata }: ArtifactOptions,
  ) {
    const head: Omit<Artifact, "parts"> = { artifactId: id, name };
    if (description !== undefined) head.description = description;
    if (extensions !== undefined) head.extensions = [...extensions];
    if (metadata !== undefined) head.metadata = metadata;
    this.#head = head;
    this.#mediaType = mediaType;
  }

  /** A piece of text. */
  text(text: string, { last = false }: PieceOptions = {}): ArtifactPiece<M> {
    return this.#piece([this.#typed({ text })], last);
  }

  /** A piece of data. */
  data(data: JsonValue, { last = false }: PieceOptions = {}): ArtifactPiece<M> {
    return this.#piece([this.#typed({ data })], last);
  }

  /** A piece of any parts. */
  parts(...parts: readonly M["Part"][]): ArtifactPiece<M> {
    return this.#piece(parts, false);
  }

  /** The last piece: a text or parts. Alone, it is the whole artifact. */
  last(content: string | readonly M["Part"][]): ArtifactPiece<M> {
    return this.#piece(typeof content === "string" ? [this.#typed({ text: content })] : content, true);
  }

  /**
   * The pieces of what comes bit by bit, texts or parts. Each is held back until the next one is there, as the last
   * one says that it is. With `everyMs`, texts that come within that time become one.
   */
  async *from(source: Source<M["Part"]>, { everyMs = 0 }: SourceOptions = {}): AsyncGenerator<ArtifactPiece<M>, void> {
    let held: readonly Part[] | undefined;
    try {
      for await (const bits of everyMs > 0 ? batches(source, everyMs) : singles(source)) {
        if (held !== undefined) yield this.#piece(held, false);
        held = bits.map((bit) => (typeof bit === "string" ? this.#typed({ text: bit }) : bit));
      }
    } catch (error) {
      // What came before the error is said, too.
      if (held !== undefined) yield this.#piece(held, false);
      throw error;
    }
    if (held !== undefined) yield this.#piece(held, true);
  }

  #typed(part: Part): Part {
    return this.#mediaType === undefined ? part : { ...part, mediaType: this.#mediaType };
  }

  #piece(parts: readonly Part[], last: boolean): ArtifactPiece<M> {
    const append = this.#hasBegun;
    this.#hasBegun = true;
    const { artifactId } = this.#head;
    const head = append ? { artifactId } : this.#head;
    return { artifact: extended(head, { parts: [...parts] }), append, last };
  }
}
