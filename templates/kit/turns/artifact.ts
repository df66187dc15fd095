import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import type { Artifact, Models, Part } from "../model.js";
import { batches, singles, type Source } from "./batches.js";
import { extended } from "../copy.js";

/** A chunk of an artifact, or a whole artifact, to yield from a turn. */
export interface ArtifactChunk<M extends Models = Models> {
  readonly artifact: M["Artifact"];
  /** Whether the parts are appended to the artifact. Otherwise, the artifact is created or replaced. */
  readonly append: boolean;
  /** Whether the artifact is complete with this chunk. */
  readonly last: boolean;
}

/** Options for an artifact. */
export interface ArtifactOptions {
  /** Id of the artifact within its task; its name by default, so that a repeated turn replaces the artifact. */
  readonly id?: string;
  readonly description?: string;
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
}

/** Options for a chunk of an artifact. */
export interface ChunkOptions {
  /** Whether the artifact is complete with this chunk; `false` by default. */
  readonly last?: boolean;
}

/** Options for the chunks created from a source. */
export interface SourceOptions {
  /**
   * Interval in milliseconds. Parts that arrive within the interval are combined into one chunk. By default, each part
   * is a separate chunk. Set this option for models that emit many tokens per second, to avoid an event for each token.
   */
  readonly everyMs?: number;
}

/** Returns a writer for an artifact. Yield the chunks that it creates. */
export function artifact<M extends Models = Models>(
  name: string,
  mediaType?: string,
  options: ArtifactOptions = {},
): ArtifactWriter<M> {
  return new ArtifactWriter<M>(name, mediaType, options);
}

/** Creates the chunks of an artifact. The first chunk begins the artifact, and later chunks append to it. */
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

  /** Returns a chunk that contains text. */
  text(text: string, { last = false }: ChunkOptions = {}): ArtifactChunk<M> {
    return this.#chunk([this.#typed({ text })], last);
  }

  /** Returns a chunk that contains a data part. */
  data(data: JsonValue, { last = false }: ChunkOptions = {}): ArtifactChunk<M> {
    return this.#chunk([this.#typed({ data })], last);
  }

  /** Returns a chunk with the given parts, which may be of any kind. */
  parts(...parts: readonly M["Part"][]): ArtifactChunk<M> {
    return this.#chunk(parts, false);
  }

  /**
   * Returns the last chunk, which contains text or parts. If no other chunk precedes this chunk, it is the whole
   * artifact.
   */
  last(content: string | readonly M["Part"][]): ArtifactChunk<M> {
    return this.#chunk(typeof content === "string" ? [this.#typed({ text: content })] : content, true);
  }

  /**
   * Returns the chunks created from a source of strings or parts. Each chunk is delayed until the next chunk is
   * available, because the last chunk must be marked as last. With `everyMs`, strings that arrive within that time are
   * joined.
   */
  async *from(source: Source<M["Part"]>, { everyMs = 0 }: SourceOptions = {}): AsyncGenerator<ArtifactChunk<M>, void> {
    let held: readonly Part[] | undefined;
    try {
      for await (const bits of everyMs > 0 ? batches(source, everyMs) : singles(source)) {
        if (held !== undefined) yield this.#chunk(held, false);
        held = bits.map((bit) => (typeof bit === "string" ? this.#typed({ text: bit }) : bit));
      }
    } catch (error) {
      // If the source throws, the chunks before the error are still sent.
      if (held !== undefined) yield this.#chunk(held, false);
      throw error;
    }
    if (held !== undefined) yield this.#chunk(held, true);
  }

  #typed(part: Part): Part {
    return this.#mediaType === undefined ? part : { ...part, mediaType: this.#mediaType };
  }

  #chunk(parts: readonly Part[], last: boolean): ArtifactChunk<M> {
    const append = this.#hasBegun;
    this.#hasBegun = true;
    const { artifactId } = this.#head;
    const own = [...parts];
    return { artifact: append ? { artifactId, parts: own } : extended(this.#head, { parts: own }), append, last };
  }
}
