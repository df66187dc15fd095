import { newId } from "../../kit/ids.js";
import { isObject } from "../../runtime/base/json.js";
import { errorOf } from "../../kit/thrown.js";
import { within } from "../../kit/timer.js";
import { type Assigned, rangesOf } from "./shards.js";

/** Thrown if the databases do not match the configuration of a sharded store. */
export class ShardError extends Error {
  override readonly name = "ShardError";
}

/** Maximum time in milliseconds to wait for the store that remembers the id of another store. */
const neighborWithinMs = 1_000;

/** The marks that shardedStore sets in its databases. */
const names = { shards: "shards", id: "id", neighbor: "neighbor " };

/** Shards that a database holds, as its mark contains them. */
interface Held {
  readonly of: number;
  readonly shards: readonly number[];
}

/**
 * Checks that the database of a store holds exactly the shards that the configuration assigns to
 * it. A new database is marked with these shards.
 *
 * The neighbor, which is the next store, remembers the id of the database. Therefore, an empty
 * database cannot silently replace a database with tasks. If the neighbor does not respond, this
 * check is skipped, because a store must work while other stores are down.
 * @throws A {@link ShardError} if the database does not match, and errors of the database.
 */
export async function checkMarks(
  { store, name, shards }: Assigned,
  all: readonly Assigned[],
  count: number,
): Promise<void> {
  // The constructor has checked that the stores have this method.
  const mark = (markName: string, value: string): Promise<string> =>
    store.mark?.(markName, value) ?? Promise.resolve(value);
  const found = heldOf(await mark(names.shards, JSON.stringify({ of: count, shards })));
  if (found === undefined)
    throw new ShardError(`The store ${name} has a mark of a later release: update the package`);
  compare(name, shards, found, all, count);
  const id = await mark(names.id, newId());
  const at = all.findIndex((other) => other.store === store);
  const neighbor = all.at((at + 1) % all.length);
  if (neighbor === undefined || neighbor.store === store) return;
  const marked = neighbor.store.mark?.(names.neighbor + String(shards[0] ?? 0), id);
  const known = await within(
    Promise.resolve(marked).catch(() => undefined),
    neighborWithinMs,
  );
  if (known === undefined || known === id) return;
  throw new ShardError(
    `The store ${name} is not the database that held the shards ${rangesOf(shards)} so far: ` +
      "connect it to that database, or to a copy that contains its tasks",
  );
}

function heldOf(text: string): Held | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { of, shards } = value;
  const isValid = typeof of === "number" && Array.isArray(shards) && shards.every(Number.isInteger);
  return isValid ? { of, shards: shards as number[] } : undefined;
}

/** Compares the shards in the mark of a database with the configuration. */
function compare(
  name: string,
  shards: readonly number[],
  held: Held,
  all: readonly Assigned[],
  count: number,
): void {
  const holds = `The store ${name} holds the shards ${rangesOf(held.shards)} of ${String(held.of)}`;
  if (held.of !== count)
    throw new ShardError(
      `${holds}, but the configuration has ${String(count)} shards: set \`shards\` to ` +
        `${String(held.of)}, because the number cannot change`,
    );
  const lost = held.shards.find((shard) => !shards.includes(shard));
  const added = shards.find((shard) => !held.shards.includes(shard));
  const shard = lost ?? added;
  if (shard === undefined) return;
  const assignedTo = all.find((other) => other.shards.includes(shard))?.name ?? "no store";
  throw new ShardError(
    `${holds}, but the configuration assigns the shard ${String(shard)} to ${assignedTo}: ` +
      "restore the earlier configuration. To move shards, stop all processes and move the whole " +
      "database with all its shards",
  );
}

/** Returns an error with the name of the store that caused it. */
export function namedError(name: string, thrown: unknown): Error {
  if (thrown instanceof ShardError) return thrown;
  const cause = errorOf(thrown);
  return new Error(`The store ${name} failed: ${cause.message}`, { cause });
}
