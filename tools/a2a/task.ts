import { openAgent, type Agent, type Run } from "./agent.js";
import { hasCredentials } from "./credentials.js";
import { usage } from "./errors.js";
import { follow } from "./follow.js";
import { TaskState } from "../../generated/1.0/models.js";
import { readablePage, type Task } from "../agents/index.js";
import type { ValuesOf } from "../terminal/program.js";
import type { listOptions } from "./options.js";
import { Renderer } from "./render.js";

/** Opens the agent, calls a function, and closes the client. */
export async function withAgent<T>(
  run: Run,
  call: (agent: Agent) => Promise<T>,
  validate?: boolean,
): Promise<T> {
  const agent = await openAgent(run, validate);
  try {
    return await call(agent);
  } finally {
    agent.client.close();
  }
}

/** Runs `a2a task get`. */
export async function getCommand(
  run: Run,
  { id, wait = false }: { readonly id: string; readonly wait?: boolean | undefined },
): Promise<void> {
  const { settings, signal } = run;
  const history = settings.text("history");
  const historyLength = history === undefined ? 0 : Number(history);
  await withAgent(run, async ({ client }) => {
    if (wait) await follow(client, { id }, run);
    const task = await client.getTask({ id, historyLength }, { signal });
    await printTask(task, run, { withHistory: history !== undefined });
  });
}

/** Runs `a2a task cancel`. */
export async function cancelCommand(run: Run, id: string): Promise<void> {
  await withAgent(run, async ({ client }) =>
    printTask(await client.cancelTask({ id }, { signal: run.signal }), run),
  );
}

/** Runs `a2a task subscribe`. */
export async function subscribeCommand(run: Run, id: string): Promise<void> {
  const { output, settings, signal } = run;
  await withAgent(run, async ({ client }) => {
    const { task } = await follow(client, { id }, run);
    if (!output.isStream) return printTask(await client.getTask({ id }, { signal }), run);
    if (output.isJson || task === undefined) return;
    const renderer = new Renderer(output, settings);
    await renderer.identifiers(task);
    await renderer.nextStep(task);
  });
}

/** Options of `a2a task list`. */
export type ListArguments = ValuesOf<typeof listOptions>;

const anonymousNote =
  "Note: No credentials were sent, and an agent may only list tasks to their owner: add " +
  "credentials, or --context-id";

/** Runs `a2a task list`. */
export async function listCommand(
  run: Run,
  { status, pageSize, pageToken }: ListArguments,
): Promise<void> {
  const { output, settings, environment, signal } = run;
  const contextId = settings.text("context-id");
  const request = {
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && { status: stateCalled(status) }),
    ...(pageSize !== undefined && { pageSize }),
    ...(pageToken !== undefined && { pageToken }),
  };
  const page = await readablePage(({ validate }) =>
    withAgent(run, ({ client }) => client.listTasks(request, { signal }), validate),
  );
  if (page.problem !== undefined) output.note(`Note: ${page.problem}`);
  if (output.isJson) {
    if (!output.isStream) return output.json(page);
    for (const task of page.tasks) await output.json(task);
    return;
  }
  const renderer = new Renderer(output, settings);
  for (const task of page.tasks) {
    await renderer.identifiers(task);
    await output.field("Updated", task.status.timestamp);
    await output.blank();
  }
  await output.field(
    "Tasks",
    `${page.tasks.length} of ${Math.max(page.totalSize, page.tasks.length)}`,
  );
  await output.field("Next-Page", page.nextPageToken);
  if (page.tasks.length === 0 && !hasCredentials(settings, environment)) output.note(anonymousNote);
}

function stateCalled(name: string): Task["status"]["state"] {
  const states = Object.values(TaskState);
  const wanted = name.toUpperCase().replaceAll("-", "_");
  const found = states.find((state) => state === wanted || state === `TASK_STATE_${wanted}`);
  if (found !== undefined) return found;
  const names = states.slice(1).map((state) => state.replace("TASK_STATE_", ""));
  throw usage(`--status cannot be "${name}"`, `Use one of ${names.join(", ")}`);
}

async function printTask(
  task: Task,
  { output, settings }: Run,
  options: { readonly withHistory?: boolean } = {},
): Promise<void> {
  if (output.isJson) await output.json(task);
  else await new Renderer(output, settings).task(task, options);
}
