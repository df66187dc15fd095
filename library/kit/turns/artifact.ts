import type { JsonObject, JsonValue } from "../../runtime/base/json.js";
import type { Artifact, Part } from "../model.js";
import { extended } from "../copy.js";
import type { ArtifactChunk } from "./artifact-chunk.js";
import { abortable, type Source } from "./source.js";
import type { Update } from "./updates.js";

/** Options for an artifact. */
export interface ArtifactOptions {
  /**
   * Id of the artifact within its task; its name by default, so that a repeated turn replaces the
   * artifact.
   */
  readonly id?: string;
  readonly description?: string;
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
  /**
   * Whether the first chunk of this writer continues the artifact if the task already has it;
   * `false` by default, so that the first chunk replaces the artifact.
   */
  readonly append?: boolean;
  /**
   * Default of {@link SourceOptions.everyMs}, which also applies to chunks that are not created
   * from a source.
   */
  readonly everyMs?: number;
}

/** Options for a chunk of an artifact. */
export interface ChunkOptions {
  /** Whether the artifact is complete with this chunk; `false` by default. */
  readonly last?: boolean;
  /** Members to add to the `metadata` of the artifact. */
  readonly metadata?: JsonObject;
}

/** Options for the chunks created from a source. */
export interface SourceOptions {
  /**
   * Minimum interval in milliseconds between the events of an artifact. Chunks that arrive within
   * the interval are sent as one event when the interval ends, even if the source is silent. All
   * other updates are sent immediately, after the chunks before them. By default, each chunk is an
   * event. Set this option for models that emit many tokens per second.
   */
  readonly everyMs?: number;
  /**
   * Signal that closes the source, even while it is silent. Pass the turn's `signal` if the source
   * itself does not observe it.
   */
  readonly signal?: AbortSignal;
}

/**
 * Returns a writer for an artifact. Yield the chunks that it creates. Keep the writer for further
 * chunks: the first chunk of a writer replaces the artifact, also within a turn, unless `append` is
 * set.
 */
export function artifact(
  name: string,
  mediaType?: string,
  options: ArtifactOptions = {},
): ArtifactWriter {
  return new ArtifactWriter(name, mediaType, options);
}

/**
 * Creates the chunks of an artifact. The first chunk begins the artifact, and later chunks append
 * to it.
 */
export class ArtifactWriter {
  readonly #head: Omit<Artifact, "parts">;
  readonly #mediaType: string | undefined;
  readonly #everyMs: number | undefined;
  readonly #append: boolean;
  #isFirst = true;

  constructor(
    name: string,
    mediaType: string | undefined,
    { id = name, description, extensions, metadata, append = false, everyMs }: ArtifactOptions,
  ) {
    const head: Omit<Artifact, "parts"> = { artifactId: id, name };
    if (description !== undefined) head.description = description;
    if (extensions !== undefined) head.extensions = [...extensions];
    if (metadata !== undefined) head.metadata = metadata;
    this.#head = head;
    this.#mediaType = mediaType;
    this.#everyMs = everyMs;
    this.#append = append;
  }

  /** Returns a chunk that contains text. */
  text(text: string, options?: ChunkOptions): ArtifactChunk {
    return this.#chunk([this.#typed({ text })], options);
  }

  /** Returns a chunk that contains a data part. */
  data(data: JsonValue, options?: ChunkOptions): ArtifactChunk {
    return this.#chunk([this.#typed({ data })], options);
  }

  /** Returns a chunk with the given parts, which may be of any kind. */
  parts(...parts: readonly Part[]): ArtifactChunk {
    return this.#chunk(parts);
  }

  /**
   * Returns the last chunk, which contains text or parts. If no other chunk precedes this chunk, it
   * is the whole artifact.
   */
  finish(
    content: string | readonly Part[],
    { metadata }: Pick<ChunkOptions, "metadata"> = {},
  ): ArtifactChunk {
    const parts = typeof content === "string" ? [this.#typed({ text: content })] : content;
    return this.#chunk(parts, metadata === undefined ? { last: true } : { last: true, metadata });
  }

  /**
   * Returns the chunks created from a source of strings and parts. Each chunk is yielded as soon as
   * the source yields it, and empty strings are omitted. If the source also yields updates, they
   * are yielded between the chunks. If the source throws, the error is rethrown.
   *
   * @example
   * yield* artifact("answer", "text/markdown").from(tokens, { everyMs: 50 });
   */
  from(source: Source, options?: SourceOptions): AsyncGenerator<ArtifactChunk, void>;
  from<U extends Update>(
    source: Source<Part, U>,
    options?: SourceOptions,
  ): AsyncGenerator<ArtifactChunk | U, void>;
  async *from(
    source: Source<Part, Update>,
    { everyMs, signal }: SourceOptions = {},
  ): AsyncGenerator<Update, void> {
    for await (const item of signal === undefined ? source : abortable(source, signal)) {
      if (typeof item === "string") {
        if (item !== "") yield this.#chunk([this.#typed({ text: item })], undefined, everyMs);
      } else if (isPart(item)) yield this.#chunk([item], undefined, everyMs);
      else yield item;
    }
  }

  #typed(part: Part): Part {
    return this.#mediaType === undefined ? part : { ...part, mediaType: this.#mediaType };
  }

  #chunk(
    parts: readonly Part[],
    { last = false, metadata }: ChunkOptions = {},
    everyMs: number | undefined = this.#everyMs,
  ): ArtifactChunk {
    const append = this.#append || !this.#isFirst;
    const own = [...parts];
    const { artifactId } = this.#head;
    const artifact: Artifact = this.#isFirst
      ? extended(this.#head, { parts: own })
      : { artifactId, parts: own };
    if (metadata !== undefined) artifact.metadata = { ...artifact.metadata, ...metadata };
    this.#isFirst = false;
    return everyMs === undefined ? { artifact, append, last } : { artifact, append, last, everyMs };
  }
}

/**
 * Returns whether an item of a source is a part. The task service checks all other items as
 * updates.
 */
function isPart(item: unknown): item is Part {
  return typeof item === "object" && item !== null && !("artifact" in item || "state" in item);
}
