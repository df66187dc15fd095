import type { TaskPushNotificationConfig } from "../agents/index.js";
import { visibleToken } from "./redact.js";
import type { Run } from "./agent.js";
import { secretOf } from "./secrets.js";
import { withAgent } from "./task.js";

/** Runs `a2a task push-config create`. */
export async function createPushCommand(
  run: Run,
  taskId: string,
  {
    url,
    token,
    id,
  }: {
    readonly url: string;
    readonly token?: string | undefined;
    readonly id?: string | undefined;
  },
): Promise<void> {
  const secret = token === undefined ? undefined : await secretOf("token", token, run.environment);
  const request = {
    taskId,
    url,
    ...(secret !== undefined && { token: secret }),
    ...(id !== undefined && { id }),
  };
  const config = await withAgent(run, ({ client }) =>
    client.createTaskPushNotificationConfig(request, { signal: run.signal }),
  );
  await printConfig(config, run);
}

/** Runs `a2a task push-config get`. */
export async function getPushCommand(run: Run, taskId: string, id: string): Promise<void> {
  const config = await withAgent(run, ({ client }) =>
    client.getTaskPushNotificationConfig({ taskId, id }, { signal: run.signal }),
  );
  await printConfig(config, run);
}

/** Runs `a2a task push-config list`. */
export async function listPushCommand(run: Run, taskId: string): Promise<void> {
  const page = await withAgent(run, ({ client }) =>
    client.listTaskPushNotificationConfigs({ taskId }, { signal: run.signal }),
  );
  if (run.output.isJson) return run.output.json(page);
  for (const config of page.configs ?? []) await printConfig(config, run);
  await run.output.field("Webhooks", (page.configs ?? []).length);
}

/** Runs `a2a task push-config delete`. */
export async function deletePushCommand(run: Run, taskId: string, id: string): Promise<void> {
  await withAgent(run, ({ client }) =>
    client.deleteTaskPushNotificationConfig({ taskId, id }, { signal: run.signal }),
  );
  if (run.output.isJson) await run.output.json({});
  else await run.output.field("Deleted", id);
}

async function printConfig(config: TaskPushNotificationConfig, { output }: Run): Promise<void> {
  if (output.isJson) return output.json(config);
  await output.field("Webhook", config.id);
  await output.field("Task", config.taskId);
  await output.field("URL", config.url);
  await output.field("Token", config.token === undefined ? undefined : visibleToken(config.token));
  await output.field("Authentication", config.authentication?.scheme);
}
