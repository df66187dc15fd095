import type { Json } from "../../agents/findings.js";
import { outline, taskIn } from "../reply.js";
import { Inapplicable } from "../rule.js";
import type { Session } from "../session.js";

/** Returns the probe's task from a GetTask call. */
export async function readTask(session: Session, more: object = {}): Promise<Json> {
  const { id } = await session.task();
  const reply = await session.call("GetTask", { id, ...more });
  const task = taskIn(reply.result);
  if (task === undefined) throw new Inapplicable(`GetTask failed: ${outline(reply)}`);
  return task;
}
