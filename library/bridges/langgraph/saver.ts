import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { DataSerializer } from "./serializer.js";

/** Member of `configurable` that contains the checkpoints of a turn. */
export const checkpointsKey = "kitCheckpoints";

/** Bytes are lists with their text, so that they differ from the strings beside them. */
type Leaf = (string | null | [string])[];

/** The checkpoints of a task as JSON. */
export interface SavedCheckpoints {
  /** Thread, namespace, and id of each checkpoint. */
  readonly storage: [string, string, string, Leaf][];
  /** Keys of each write. */
  readonly writes: [string, string, Leaf][];
}

/**
 * The checkpoints of one turn: the newest one of each namespace, and its writes. Namespaces of
 * subgraphs that have ended are removed.
 */
export class TurnCheckpoints extends MemorySaver {
  override serde = new DataSerializer();
  readonly #save: () => Promise<void>;

  /** `save` stores the state of the turn, which contains {@link saved}. */
  constructor(saved: SavedCheckpoints | undefined, save: () => Promise<void>) {
    super();
    this.#save = save;
    for (const [thread, namespace, id, leaf] of saved?.storage ?? [])
      ((this.storage[thread] ??= record())[namespace] ??= record())[id] = fromJson(leaf);
    for (const [key, inner, leaf] of saved?.writes ?? [])
      (this.writes[key] ??= record())[inner] = fromJson(leaf);
  }

  /** Returns the checkpoints as JSON. */
  saved(): SavedCheckpoints {
    return {
      storage: Object.entries(this.storage).flatMap(([thread, namespaces]) =>
        Object.entries(namespaces).flatMap(([namespace, checkpoints]) =>
          Object.entries(checkpoints).map(([id, leaf]): SavedCheckpoints["storage"][number] => [
            thread,
            namespace,
            id,
            toJson(leaf),
          ]),
        ),
      ),
      writes: Object.entries(this.writes).flatMap(([key, written]) =>
        Object.entries(written).map(([inner, leaf]): SavedCheckpoints["writes"][number] => [
          key,
          inner,
          toJson(leaf),
        ]),
      ),
    };
  }

  override async put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    const [{ configurable = {} }, checkpoint, metadata] = args;
    const thread = String(configurable["thread_id"]);
    const namespace = String(configurable["checkpoint_ns"] ?? "");
    const before = Object.keys(this.storage[thread] ?? {});
    const next = await super.put(...args);
    for (const each of before) if (isEnded(each, namespace)) this.#remove(thread, each);
    // A checkpoint with changes since a snapshot of a channel requires the checkpoints before it.
    if (Object.keys(metadata.counters_since_delta_snapshot ?? {}).length === 0)
      this.#remove(thread, namespace, checkpoint.id);
    await this.#save();
    return next;
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await super.putWrites(...args);
    await this.#save();
  }

  /** Removes the checkpoints of a namespace, except for the given one, and their writes. */
  #remove(thread: string, namespace: string, except?: string): void {
    const checkpoints = this.storage[thread]?.[namespace] ?? {};
    for (const id of Object.keys(checkpoints)) {
      if (id === except) continue;
      Reflect.deleteProperty(checkpoints, id);
      Reflect.deleteProperty(this.writes, JSON.stringify([thread, namespace, id]));
    }
    if (except === undefined) Reflect.deleteProperty(this.storage[thread] ?? {}, namespace);
  }
}

/** Keeps the checkpoints of a graph in the tasks of its agent. */
class KitSaver extends MemorySaver {
  override serde = new DataSerializer();

  override async getTuple(...args: Parameters<MemorySaver["getTuple"]>) {
    return checkpointsOf(args[0])?.getTuple(...args) ?? super.getTuple(...args);
  }

  override list(...args: Parameters<MemorySaver["list"]>) {
    return checkpointsOf(args[0])?.list(...args) ?? super.list(...args);
  }

  override async put(...args: Parameters<MemorySaver["put"]>) {
    return checkpointsOf(args[0])?.put(...args) ?? super.put(...args);
  }

  override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
    return checkpointsOf(args[0])?.putWrites(...args) ?? super.putWrites(...args);
  }

  override async getDeltaChannelHistory(
    ...args: Parameters<MemorySaver["getDeltaChannelHistory"]>
  ) {
    const checkpoints = checkpointsOf(args[0].config);
    return checkpoints?.getDeltaChannelHistory(...args) ?? super.getDeltaChannelHistory(...args);
  }
}

/**
 * Returns a checkpointer that keeps the checkpoints of a graph in the tasks of its agent, so that
 * the store of the agent is the only database. A task contains the newest checkpoint of each
 * namespace; nothing is kept in the process after a turn. Outside of the turns of `graphAgent`, the
 * checkpointer is a `MemorySaver`.
 *
 * @example
 * const graph = builder.compile({ checkpointer: kitSaver() });
 * const service = taskService(graphAgent(graph));
 */
export function kitSaver(): BaseCheckpointSaver {
  return new KitSaver();
}

/** Returns whether a checkpointer keeps checkpoints in tasks. */
export function isKitSaver(checkpointer: unknown): boolean {
  return checkpointer instanceof KitSaver;
}

function checkpointsOf({
  configurable,
}: Parameters<MemorySaver["put"]>[0]): TurnCheckpoints | undefined {
  const found: unknown = configurable?.[checkpointsKey];
  return found instanceof TurnCheckpoints ? found : undefined;
}

/**
 * Returns whether a namespace belongs to a subgraph that has ended if its parent has a new
 * checkpoint. The namespace of a subgraph that keeps its state contains no ids of its runs.
 */
function isEnded(namespace: string, parent: string): boolean {
  const prefix = parent === "" ? "" : `${parent}|`;
  return (
    namespace !== parent &&
    namespace.startsWith(prefix) &&
    namespace.slice(prefix.length).includes(":")
  );
}

/** Returns an object without a prototype, because callers may choose keys. */
function record<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function toJson(leaf: readonly (string | Uint8Array | undefined)[]): Leaf {
  return leaf.map((item) =>
    item instanceof Uint8Array ? [new TextDecoder().decode(item)] : (item ?? null),
  );
}

/** Restores a tuple of `MemorySaver`. */
function fromJson(leaf: Leaf): never {
  return leaf.map((item) =>
    Array.isArray(item) ? new TextEncoder().encode(item[0]) : (item ?? undefined),
  ) as never;
}
