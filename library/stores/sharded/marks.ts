import { newId } from "../../kit/ids.js";
import { isObject } from "../../runtime/base/json.js";
import { errorOf } from "../../kit/thrown.js";
import { within } from "../../kit/timer.js";
import { type Assigned, rangesOf } from "./shards.js";

/** Thrown if the databases do not match the configuration of a sharded store. */
export class ShardError extends Error {
  override readonly name = "ShardError";
}

/** Maximum time in milliseconds to wait for the marks of other stores before a store is used. */
export const othersWithinMs = 1_000;

/** The marks that shardedStore sets in its databases. */
const names = { id: "id", shards: "shards", neighbor: "neighbor ", ready: "ready" };

/** The configuration of a sharded store. */
export interface Layout {
  readonly all: readonly Assigned[];
  readonly count: number;
  /** Result of the function `key` for some owners, by which a changed function is found. */
  readonly key: string;
}

/** Shards that a database holds, as its mark contains them. */
interface Held {
  readonly of: number;
  readonly shards: readonly number[];
  /** The shards of all stores, as {@link partsOf} returns them. */
  readonly parts: string;
  readonly key: string;
}

/**
 * Checks that the database of a store holds exactly the shards that the configuration assigns to
 * it. Returns `false` if the database must first be set up with {@link setUp}.
 *
 * The neighbor, which is the next store, remembers the id of the database. If the neighbor does not
 * respond, this check is skipped, because a store must work while other stores are down.
 * @param databases The stores of the databases that were checked so far, by the ids of the
 *   databases. The check adds its own.
 * @throws A {@link ShardError} if the database does not match, and errors of the database.
 */
export async function checkMarks(
  assigned: Assigned,
  layout: Layout,
  databases: Map<string, Assigned>,
): Promise<boolean> {
  if (!(await isReady(assigned))) return false;
  const id = await setMark(assigned, names.id, newId());
  compareOwner(assigned, id, databases);
  await markShards(assigned, layout);
  const known = await within(
    markNeighbor(assigned, id, layout).catch(() => undefined),
    othersWithinMs,
  );
  compareId(assigned, known ?? id, id);
  return true;
}

/**
 * Marks all databases with their shards before their first use. Rejects until all databases
 * respond. Therefore, an empty database cannot replace a database with tasks, and processes with
 * different configurations cannot use the same new databases.
 * @param databases As in {@link checkMarks}.
 * @throws A {@link ShardError} if a database does not match, and errors of the databases.
 */
export async function setUp(layout: Layout, databases: Map<string, Assigned>): Promise<void> {
  const { all } = layout;
  const withIds = await Promise.all(
    all.map(async (assigned) => ({
      assigned,
      id: await setMark(assigned, names.id, newId()),
    })),
  );
  for (const { assigned, id } of withIds) compareOwner(assigned, id, databases);
  if (all.length > 1) await Promise.all(all.map(checkNew));
  const ids = new Map(withIds.map(({ assigned, id }) => [assigned, id]));
  // All processes mark databases in the order of their ids, whatever their configurations are. If
  // two configurations differ, one of them therefore gets all of its databases, and the other one
  // stops at the first database that both of them contain.
  withIds.sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const { assigned } of withIds) {
    await markShards(assigned, layout);
    const previous = neighborOf(assigned, all, -1);
    const id = ids.get(previous);
    if (id === undefined || previous === assigned) continue;
    compareId(previous, await markNeighbor(previous, id, layout), id);
  }
  await Promise.all(all.map((assigned) => setMark(assigned, names.ready, "1")));
}

/**
 * Throws a {@link ShardError} if a database already contains tasks of a single store, because most
 * of them would belong to other databases.
 */
async function checkNew({ store, name }: Assigned): Promise<void> {
  const isEmpty = (await store.isEmpty?.()) ?? true;
  // Another process may have set up the databases in the meantime.
  if (isEmpty || (await store.mark?.(names.shards)) !== undefined) return;
  throw misplacedTasks(name, "tasks of a single store");
}

/** The error of a store whose database has tasks that belong to other stores. */
export function misplacedTasks(name: string, tasks: string): ShardError {
  return new ShardError(
    `The store ${name} contains ${tasks}: use a new database, because a database with tasks of a ` +
      "single store can only become the only store of shardedStore",
  );
}

async function isReady({ store }: Assigned): Promise<boolean> {
  return (await store.mark?.(names.ready)) !== undefined;
}

/** Sets a mark of a database unless it exists, and returns its value. */
async function setMark({ store, name }: Assigned, mark: string, value: string): Promise<string> {
  try {
    // The constructor has checked that the stores have this method.
    return (await store.mark?.(mark, value)) ?? value;
  } catch (error) {
    throw namedError(name, error);
  }
}

/** Marks a database with its shards. Throws a {@link ShardError} if it already holds others. */
async function markShards(assigned: Assigned, layout: Layout): Promise<void> {
  const { name, shards } = assigned;
  const { all, count, key } = layout;
  const own: Held = { of: count, shards, parts: partsOf(all), key };
  const held = heldOf(await setMark(assigned, names.shards, JSON.stringify(own)));
  if (held === undefined)
    throw new ShardError(`The store ${name} has a mark of a later release: update the package`);
  const difference = differenceOf(assigned, held, layout);
  if (difference === undefined) return;
  const hint = (await isReady(assigned))
    ? ""
    : ". The database contains no tasks yet, so an empty database can replace it";
  throw new ShardError(difference + hint);
}

/** Lets the neighbor of a store remember the id of its database. Returns the id that it knows. */
function markNeighbor(assigned: Assigned, id: string, { all }: Layout): Promise<string> {
  const neighbor = neighborOf(assigned, all, 1);
  if (neighbor === assigned) return Promise.resolve(id);
  return setMark(neighbor, names.neighbor + String(assigned.shards[0] ?? 0), id);
}

/** Returns the next store in the order of the shards, or the previous store if `step` is -1. */
function neighborOf(assigned: Assigned, all: readonly Assigned[], step: 1 | -1): Assigned {
  const ring = inOrder(all);
  return ring.at((ring.indexOf(assigned) + step) % ring.length) ?? assigned;
}

/** Returns stores in the order of their shards, which does not depend on the order of the list. */
function inOrder(all: readonly Assigned[]): Assigned[] {
  return [...all].sort((one, other) => (one.shards[0] ?? 0) - (other.shards[0] ?? 0));
}

/** Returns the shards of all stores as text, such as "0-7; 8-15". */
function partsOf(all: readonly Assigned[]): string {
  return inOrder(all)
    .map(({ shards }) => rangesOf(shards))
    .join("; ");
}

/** Throws a {@link ShardError} if another store has the same database. */
function compareOwner(assigned: Assigned, id: string, databases: Map<string, Assigned>): void {
  const owner = databases.get(id) ?? assigned;
  databases.set(id, owner);
  if (owner === assigned) return;
  throw new ShardError(
    `The stores ${owner.name} and ${assigned.name} have the same database: connect each store ` +
      "to a database of its own, or set another schema or prefix",
  );
}

function compareId({ name, shards }: Assigned, known: string, id: string): void {
  if (known === id) return;
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
  const { of, shards, parts, key } = value;
  const hasShards = Array.isArray(shards) && shards.every(Number.isInteger);
  if (typeof of !== "number" || !hasShards) return undefined;
  if (typeof parts !== "string" || typeof key !== "string") return undefined;
  return { of, shards: shards as number[], parts, key };
}

/** Compares a mark with the configuration, and returns the message of the error if they differ. */
function differenceOf(
  { name, shards }: Assigned,
  held: Held,
  { all, count, key }: Layout,
): string | undefined {
  const heldShards = rangesOf(held.shards);
  const holds = `The store ${name} holds the shards ${heldShards} of ${String(held.of)}`;
  if (held.of !== count)
    return (
      `${holds}, but the configuration has ${String(count)} shards: set \`shards\` to ` +
      `${String(held.of)}, because the number cannot change`
    );
  const parts = partsOf(all);
  if (held.parts !== parts)
    return (
      `The store ${name} was set up together with stores that hold the shards ${held.parts}, but ` +
      `the stores of the configuration hold the shards ${parts}: restore the earlier ` +
      "configuration. To move shards, stop all processes and move the whole database with all " +
      "its shards"
    );
  if (heldShards !== rangesOf(shards)) {
    const owner = all.find((other) => rangesOf(other.shards) === heldShards)?.name ?? "no store";
    return (
      `${holds}, but the configuration assigns these shards to ${owner}: connect each store to ` +
      "the database with its shards"
    );
  }
  if (held.key === key) return undefined;
  return (
    `The store ${name} was set up with another function \`key\`: restore the earlier function, ` +
    "because the tasks of most owners would not be found"
  );
}

/** An error with the name of the store that caused it. */
class FailedStoreError extends Error {}

/** Returns an error with the name of the store that caused it. */
export function namedError(name: string, thrown: unknown): Error {
  if (thrown instanceof ShardError || thrown instanceof FailedStoreError) return thrown;
  const cause = errorOf(thrown);
  return new FailedStoreError(`The store ${name} failed: ${cause.message}`, { cause });
}
