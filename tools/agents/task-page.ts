import type { ListTasksResponse } from "../../generated/1.0/models.js";
import { InvalidAgentResponseError } from "../../generated/1.0/errors.js";
import { TaskSchema } from "../../generated/1.0/validators.js";
import { check } from "a2a-codegen-runtime/internal/schema";
import { isObject } from "./findings.js";

/** A page of tasks, and the problem of the tasks that were left out. */
export type ReadablePage = ListTasksResponse & { readonly problem?: string };

/**
 * Reads a page of tasks. If the page is invalid, reads it again without checks, and leaves out the
 * invalid tasks.
 *
 * @param read - reads the page with this value of the client's option `validate`, or with its
 *   default
 */
export async function readablePage(
  read: (options: { readonly validate?: boolean }) => Promise<ListTasksResponse>,
): Promise<ReadablePage> {
  try {
    return await read({});
  } catch (thrown) {
    if (!(thrown instanceof InvalidAgentResponseError)) throw thrown;
    const page: unknown = await read({ validate: false });
    if (!isObject(page) || !Array.isArray(page["tasks"])) throw thrown;
    const checked = page["tasks"].map((task: unknown) => check(TaskSchema, task, "tolerant"));
    const tasks = checked.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const [issue] = checked.flatMap(({ issues = [] }) => issues);
    const omitted = checked.length - tasks.length;
    // All tasks are valid, so the page is invalid for another reason.
    if (omitted === 0 || issue === undefined) throw thrown;
    const token = page["nextPageToken"];
    const total = page["totalSize"];
    return {
      tasks,
      nextPageToken: typeof token === "string" ? token : "",
      pageSize: checked.length,
      totalSize: typeof total === "number" ? total : checked.length,
      problem: `${String(omitted)} invalid tasks are left out, such as one with ${issue.message}`,
    };
  }
}
