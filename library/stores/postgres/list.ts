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
  const { values, limit, countedSql, firstSql } = partsOf(schema, scope, query);
  const size = artifacts ? "h.bytes" : "h.bytes - coalesce(octet_length(t.artifacts), 0)";
  const rows = await database.rows(
    `SELECT counts.total::int, page.status_time, page.id, page.found::int,
        ${schema}.stored(page.id, ${String(artifacts)}, false) AS stored
     FROM (
       SELECT count(*) AS total FROM (
         SELECT FROM (${countedSql}) counted LIMIT ${String(maxTotal)}
       ) limited
     ) counts LEFT JOIN (
       SELECT l.status_time, l.id, count(*) OVER () AS found, row_number() OVER newest AS nth,
         sum(least(${size}, ${String(readableBytes)})) OVER newest AS total_bytes
       FROM (
         SELECT * FROM (${firstSql}) u ORDER BY status_time DESC, id DESC LIMIT ${limit} + 1
       ) l JOIN ${schema}.heads h ON h.id = l.id JOIN ${schema}.tasks t ON t.id = l.id
       WINDOW newest AS (ORDER BY l.status_time DESC, l.id DESC)
     ) page ON page.nth <= ${limit} AND (page.nth = 1 OR page.total_bytes <= ${String(pageBytes)})
     ORDER BY page.status_time DESC, page.id DESC`,
    values,
  );
  return pageOf(rows, codec);
}

/** Parts of the query for a page. */
interface Parts {
  readonly values: readonly unknown[];
  /** Placeholder for the maximum number of tasks on the page. */
  readonly limit: string;
  /** Query with a row for each task to count. */
  readonly countedSql: string;
  /** Query for the ids and status times of the first tasks after the cursor, in any order. */
  readonly firstSql: string;
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
  const placeholder = (value: unknown): string => `$${String(values.push(value))}`;
  const limit = placeholder(Math.max(1, query.limit));
  const { all, after, unsure } = filtersOf(scope, query, placeholder);
  const resting = (filters: Filters): string =>
    `FROM ${schema}.tasks t WHERE NOT t.moving${filters.listed}`;
  // With OFFSET, Postgres reads the head of each task by its id, and does not join all heads.
  const heads =
    `, LATERAL (SELECT h.status_time FROM ${schema}.heads h WHERE h.id = t.id ` + "OFFSET 0) s";
  const moving = (filters: Filters): string =>
    `FROM ${schema}.tasks t${heads} WHERE t.moving${filters.lagging}${filters.exact}`;
  const [limited, total] = [`LIMIT ${limit} + 1`, `LIMIT ${String(maxTotal)}`];
  const counts = [resting(all), `FROM ${schema}.tasks t WHERE t.moving${all.listed}`];
  if (unsure !== undefined) counts.push(moving(unsure));
  return {
    values,
    limit,
    countedSql: counts.map((part) => `(SELECT ${part} ${total})`).join(" UNION ALL "),
    firstSql: `(SELECT t.id, t.status_time ${resting(after)}
      ORDER BY t.status_time DESC, t.id DESC ${limited})
      UNION ALL (SELECT t.id, s.status_time ${moving(after)} AND t.status_time > (
        SELECT CASE WHEN count(*) > ${limit} THEN min(n.status_time) - ${String(listLagMs)}
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
  placeholder: (value: unknown) => string,
): { readonly all: Filters; readonly after: Filters; readonly unsure?: Filters } {
  const lag = String(listLagMs);
  const [tenant, owner] = [placeholder(scope.tenant), placeholder(scope.owner)];
  let fixed = ` AND t.tenant = ${tenant} AND t.owner = ${owner}`;
  if (contextId !== undefined) fixed += ` AND t.context_id = ${placeholder(contextId)}`;
  if (state !== undefined) fixed += ` AND t.state = ${placeholder(state)}`;
  let all: Filters = { listed: fixed, lagging: fixed, exact: "" };
  let unsure: Filters | undefined;
  if (since !== undefined) {
    const time = `${placeholder(since)}::float8`;
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
  const [time, id] = [`${placeholder(position.time)}::float8`, placeholder(position.id)];
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
