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

/** The stores of a sharded store, with the number of shards. */
export interface Layout {
  readonly all: readonly Assigned[];
  readonly count: number;
}

/** Shards that a database holds, as its mark contains them. */
interface Held {
  readonly of: number;
  readonly shards: readonly number[];
  /** The shards of all stores, as {@link partsOf} returns them. */
  readonly parts: string | undefined;
}

/**
 * Checks that the database of a store holds exactly the shards that the configuration assigns to
 * it. Returns `false` if the database must first be set up with {@link setUp}.
 *
 * The neighbor, which is the next store, remembers the id of the database. If the neighbor does not
 * respond, this check is skipped, because a store must work while other stores are down.
 * @throws A {@link ShardError} if the database does not match, and errors of the database.
 */
export async function checkMarks(assigned: Assigned, layout: Layout): Promise<boolean> {
  if (!(await isReady(assigned))) return false;
  await markShards(assigned, layout);
  const id = await setMark(assigned, names.id, newId());
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
 * @throws A {@link ShardError} if a database does not match, and errors of the databases.
 */
export async function setUp(layout: Layout): Promise<void> {
  const { all } = layout;
  const withIds = await Promise.all(
    all.map(async (assigned) => ({
      assigned,
      id: await setMark(assigned, names.id, newId()),
    })),
  );
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
  const parts = partsOf(layout.all);
  const own = { of: layout.count, shards, parts };
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
  const { of, shards, parts } = value;
  const isValid = typeof of === "number" && Array.isArray(shards) && shards.every(Number.isInteger);
  if (!isValid) return undefined;
  return {
    of,
    shards: shards as number[],
    parts: typeof parts === "string" ? parts : undefined,
  };
}

/** Compares a mark with the configuration, and returns the message of the error if they differ. */
function differenceOf(
  { name, shards }: Assigned,
  held: Held,
  { all, count }: Layout,
): string | undefined {
  const holds = `The store ${name} holds the shards ${rangesOf(held.shards)} of ${String(held.of)}`;
  if (held.of !== count)
    return (
      `${holds}, but the configuration has ${String(count)} shards: set \`shards\` to ` +
      `${String(held.of)}, because the number cannot change`
    );
  const lost = held.shards.find((shard) => !shards.includes(shard));
  const added = shards.find((shard) => !held.shards.includes(shard));
  const shard = lost ?? added;
  const advice =
    "restore the earlier configuration. To move shards, stop all processes and move the whole " +
    "database with all its shards";
  if (shard !== undefined) {
    const assignedTo = all.find((other) => other.shards.includes(shard))?.name ?? "no store";
    return `${holds}, but the configuration assigns the shard ${String(shard)} to ${assignedTo}: ${advice}`;
  }
  const parts = partsOf(all);
  if (held.parts === undefined || held.parts === parts) return undefined;
  return (
    `The store ${name} belongs to stores with the shards ${held.parts}, but the stores of the ` +
    `configuration have the shards ${parts}: ${advice}`
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
