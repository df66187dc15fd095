import { pageBytes } from "../../kit/limits/size.js";
import { cursorOf, positionOf } from "../../kit/memory/cursor.js";
import type {
  ListedTask,
  Scope,
  TaskPage,
  TaskQuery,
  UnreadableTaskError,
} from "../../kit/store.js";
import type { Codec } from "../log/codec.js";
import { collect, listedOf, readable, readableBytes } from "../log/decode.js";
import { listLagMs } from "./append-function.js";
import type { Row } from "./database.js";
import type { PostgresEngine } from "./log.js";
import { parsed, textIn } from "./results.js";

/** Number of tasks after which a list stops counting. */
const maxTotal = 10_000;

/**
 * Returns a page of a list.
 * @throws A `CursorError` if the cursor was not issued by a store.
 */
export async function list(
  { database, codec }: PostgresEngine,
  scope: Scope,
  query: TaskQuery,
): Promise<TaskPage> {
  const { schema } = database;
  const { artifacts = false } = query;
  const { values, most, counted, first } = partsOf(schema, scope, query);
  const size = artifacts ? "h.bytes" : "h.bytes - coalesce(octet_length(t.artifacts), 0)";
  const rows = await database.rows(
    `SELECT c.total::int, p.status_time, p.id, p.found::int,
        ${schema}.stored(p.id, ${String(artifacts)}, false) AS stored
     FROM (SELECT count(*) AS total FROM (SELECT FROM (${counted}) a LIMIT ${String(maxTotal)}) b) c
       LEFT JOIN (
       SELECT l.status_time, l.id, count(*) OVER () AS found, row_number() OVER o AS at,
         sum(least(${size}, ${String(readableBytes)})) OVER o AS upto
       FROM (
         SELECT * FROM (${first}) u ORDER BY status_time DESC, id DESC LIMIT ${most} + 1
       ) l JOIN ${schema}.heads h ON h.id = l.id JOIN ${schema}.tasks t ON t.id = l.id
       WINDOW o AS (ORDER BY l.status_time DESC, l.id DESC)
     ) p ON p.at <= ${most} AND (p.at = 1 OR p.upto <= ${String(pageBytes)})
     ORDER BY p.status_time DESC, p.id DESC`,
    values,
  );
  return pageOf(rows, codec);
}

/** Parts of the query for a page. */
interface Parts {
  readonly values: readonly unknown[];
  /** Placeholder for the maximum number of tasks on the page. */
  readonly most: string;
  /** Query with a row for each task to count. */
  readonly counted: string;
  /** Query for the ids and status times of the first tasks after the cursor, in any order. */
  readonly first: string;
}

/**
 * Returns the parts of a query. Tasks at rest are read in the order of an index. The indexed status
 * time of a moving task lags behind the exact time in its head, by less than {@link listLagMs}. The
 * query therefore first reads as many moving tasks as the page needs, in the order of the index.
 * The exact times of these tasks are not before their earliest indexed time, so the indexed times
 * of all moving tasks on the page are after this time minus the lag. The condition `<= 'infinity'`
 * excludes no task. Without it, Postgres estimates that a third of all tasks match, and compiles
 * the query, which takes longer than executing it.
 */
function partsOf(schema: string, scope: Scope, query: TaskQuery): Parts {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${String(values.push(value))}`;
  const most = place(Math.max(1, query.limit));
  const { all, after, unsure } = filtersOf(scope, query, place);
  const resting = (filters: Filters): string =>
    `FROM ${schema}.tasks t WHERE NOT t.moving${filters.listed}`;
  // With OFFSET, Postgres reads the head of each task by its id, and does not join all heads.
  const heads =
    `, LATERAL (SELECT h.status_time FROM ${schema}.heads h WHERE h.id = t.id ` + "OFFSET 0) s";
  const moving = (filters: Filters): string =>
    `FROM ${schema}.tasks t${heads} WHERE t.moving${filters.lagging}${filters.exact}`;
  const [limited, total] = [`LIMIT ${most} + 1`, `LIMIT ${String(maxTotal)}`];
  const counts = [resting(all), `FROM ${schema}.tasks t WHERE t.moving${all.listed}`];
  if (unsure !== undefined) counts.push(moving(unsure));
  return {
    values,
    most,
    counted: counts.map((part) => `(SELECT ${part} ${total})`).join(" UNION ALL "),
    first: `(SELECT t.id, t.status_time ${resting(after)}
      ORDER BY t.status_time DESC, t.id DESC ${limited})
      UNION ALL (SELECT t.id, s.status_time ${moving(after)} AND t.status_time > (
        SELECT CASE WHEN count(*) > ${most} THEN min(n.status_time) - ${String(listLagMs)}
          ELSE '-infinity' END
        FROM (SELECT t.status_time ${moving(after)} ORDER BY t.status_time DESC ${limited}) n
      ) AND t.status_time <= 'infinity' ORDER BY s.status_time DESC, t.id DESC ${limited})`,
  };
}

/** Conditions, each of which begins with `AND`. */
interface Filters {
  /** Conditions on tasks at rest. Moving tasks that meet them also meet the other conditions. */
  readonly listed: string;
  /**
   * Conditions on the rows of moving tasks in `tasks`. They also match some tasks that `exact`
   * excludes.
   */
  readonly lagging: string;
  /** Conditions on the heads of moving tasks. */
  readonly exact: string;
}

/**
 * Returns the filters of a query, without and with its cursor. `unsure` matches the moving tasks of
 * which only the head tells whether they meet the filters, so that the number of tasks is known
 * without reading the other heads.
 */
function filtersOf(
  scope: Scope,
  { contextId, state, since, cursor }: TaskQuery,
  place: (value: unknown) => string,
): { readonly all: Filters; readonly after: Filters; readonly unsure?: Filters } {
  const lag = String(listLagMs);
  let fixed = ` AND t.tenant = ${place(scope.tenant)} AND t.owner = ${place(scope.owner)}`;
  if (contextId !== undefined) fixed += ` AND t.context_id = ${place(contextId)}`;
  if (state !== undefined) fixed += ` AND t.state = ${place(state)}`;
  let all: Filters = { listed: fixed, lagging: fixed, exact: "" };
  let unsure: Filters | undefined;
  if (since !== undefined) {
    const time = `${place(since)}::float8`;
    all = {
      listed: `${fixed} AND t.status_time >= ${time}`,
      lagging: `${fixed} AND t.status_time > ${time} - ${lag}`,
      exact: ` AND s.status_time >= ${time}`,
    };
    unsure = { ...all, lagging: `${all.lagging} AND t.status_time < ${time}` };
  }
  const rest = unsure === undefined ? {} : { unsure };
  if (cursor === undefined) return { all, after: all, ...rest };
  const position = positionOf(cursor);
  const [time, id] = [`${place(position.time)}::float8`, place(position.id)];
  const after = {
    listed: `${all.listed} AND (t.status_time, t.id) < (${time}, ${id})`,
    lagging: `${all.lagging} AND t.status_time <= ${time}`,
    exact: `${all.exact} AND (s.status_time, t.id) < (${time}, ${id})`,
  };
  return { all, after, ...rest };
}

function pageOf(rows: readonly Row[], codec: Codec): TaskPage {
  const total = Number(rows[0]?.["total"] ?? 0);
  const tasks: ListedTask[] = [];
  const unreadable: UnreadableTaskError[] = [];
  const found = rows.filter((row) => typeof row["id"] === "string");
  let bytes = 0;
  for (const row of found) {
    const id = textIn(row["id"]);
    bytes += textIn(row["stored"]).length;
    collect(unreadable, () =>
      tasks.push(readable(id, () => listedOf(parsed(id, row["stored"]), codec.of(id)))),
    );
  }
  const last = found.at(-1);
  const page = { tasks, total, bytes, ...(unreadable.length > 0 && { unreadable }) };
  if (last === undefined || Number(last["found"]) <= found.length) return page;
  return { ...page, next: cursorOf({ time: Number(last["status_time"]), id: textIn(last["id"]) }) };
}
