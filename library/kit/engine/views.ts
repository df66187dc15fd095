import type { ListTasksRequest, ListTasksResponse, Task } from "../model.js";
import type { InvalidParamsError } from "../../errors.js";
import { counted } from "../log/events.js";
import type { Environment } from "./environment.js";
import type { ServiceFacts } from "../kit-facts.js";
import { sizeOf } from "../limits/size.js";
import { invalid } from "../invalid.js";
import { CursorError, type Scope, type Stored, type TaskPage, type TaskQuery } from "../store.js";

/**
 * Returns a task for a caller, with its generation and at most the last `historyLength` messages.
 */
export function shown(
  { task, generation }: Pick<Stored, "task" | "generation">,
  facts: Pick<ServiceFacts, "mismatch">,
  historyLength?: number,
): Task {
  return counted(trimmed(task, historyLength), generation, facts);
}

/** Returns a task with at most the last `historyLength` messages of its history. */
export function trimmed(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || (task.history?.length ?? 0) <= historyLength) return task;
  const { history = [], ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}

const defaultPageSize = 50;

function unknownToken(): InvalidParamsError {
  return invalid("pageToken", "was not issued by this agent");
}

/** Returns a page of the tasks of a scope. */
export async function listTasks(
  { store, accounts, report, facts }: Pick<Environment, "store" | "accounts" | "report" | "facts">,
  scope: Scope,
  request: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { pageSize = defaultPageSize, historyLength, includeArtifacts = false } = request;
  const query = queryOf(request, pageSize);
  const { pace } = accounts.of(scope);
  const entering = pace.enter();
  const endTurn = entering && (await entering);
  const since = performance.now();
  let page: TaskPage | undefined;
  try {
    page = await store.list(scope, query);
  } catch (error) {
    if (error instanceof CursorError) throw unknownToken();
    throw error;
  } finally {
    pace.leave(page === undefined ? 0 : (page.bytes ?? sizeOf(page.tasks)), since, endTurn);
  }
  const { tasks, next = "", total, unreadable = [] } = page;
  for (const error of unreadable) report(error);
  return {
    tasks: tasks.map((stored) => {
      const task = shown(stored, facts, historyLength);
      if (includeArtifacts) return { ...task, artifacts: task.artifacts ?? [] };
      const rest = { ...task };
      delete rest.artifacts;
      return rest;
    }),
    nextPageToken: next,
    pageSize,
    totalSize: total,
  };
}

/**
 * Returns an empty page, for a caller that may not list any tasks. Such a caller never receives a
 * page token, so every token is unknown.
 */
export function emptyPage(request: ListTasksRequest): ListTasksResponse {
  const { pageSize = defaultPageSize } = request;
  if (queryOf(request, pageSize).cursor !== undefined) throw unknownToken();
  return { tasks: [], nextPageToken: "", pageSize, totalSize: 0 };
}

function queryOf(request: ListTasksRequest, limit: number): TaskQuery {
  const { contextId, status, statusTimestampAfter, pageToken, includeArtifacts = false } = request;
  const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter);
  if (Number.isNaN(since)) throw invalid("statusTimestampAfter", "must be a timestamp");
  // Empty and unspecified filters match all tasks.
  return {
    ...(contextId !== undefined && contextId !== "" && { contextId }),
    ...(status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && { state: status }),
    ...(since !== undefined && { since }),
    ...(pageToken !== undefined && pageToken !== "" && { cursor: pageToken }),
    ...(includeArtifacts && { artifacts: true }),
    limit,
  };
}
