import type { ServiceHost } from "../runtime/server/host.js";
import type { AgentCard } from "../models.js";
import type { A2AService } from "../server/service.js";
import { TaskEngine } from "./engine.js";
import { defaultLimits, type Environment } from "./environment.js";
import { memoryStore } from "./memory-store.js";
import type { TaskServiceOptions } from "./options.js";
import { TaskOperations } from "./service.js";

/** A service for `createAgent`, which does all that the protocol says of tasks. */
export interface TaskService<User = unknown> {
  /** Is called by `createAgent`, with what the service has to know of its agent. */
  (host: ServiceHost<AgentCard>): A2AService<User>;
  /** Ends all work in this process, and what goes out from it. */
  close(): void;
}

const defaultLeaseMs = 30_000;

/**
 * Returns a service that does what the protocol says of tasks, around the behavior of an agent. `User` is what
 * `authenticate` of the agent returns, `State` what turns keep for the next one.
 *
 * @example
 * const service = taskService({
 *   async *run({ message }) {
 *     yield working("Thinking");
 *     return completed(`You said ${textOf(message)}`);
 *   },
 * });
 *
 * @throws {TypeError} from `createAgent` where `options` make no sense
 */
export function taskService<User = unknown, State = unknown>(
  options: TaskServiceOptions<User, State>,
): TaskService<User> {
  // Inside, users and states are handed on and never looked at.
  const inner = options as unknown as TaskServiceOptions;
  const store = options.store ?? memoryStore({ ...(options.now && { now: options.now }) });
  const engines: TaskEngine[] = [];
  const make = (host: ServiceHost<AgentCard>): A2AService<User> => {
    const environment = environmentOf(inner, store, host);
    const engine = new TaskEngine(environment);
    engines.push(engine);
    return new TaskOperations(host, inner, environment, engine);
  };
  const close = (): void => {
    for (const engine of engines) engine.close();
  };
  return Object.assign(make, { close });
}

function environmentOf(
  options: TaskServiceOptions,
  store: Environment["store"],
  { report }: ServiceHost<AgentCard>,
): Environment {
  const { limits, now = Date.now, newId = () => crypto.randomUUID(), leaseMs = defaultLeaseMs } = options;
  return {
    store,
    behavior: options,
    claim: { holder: newId(), ttlMs: leaseMs },
    limits: { ...defaultLimits, ...limits },
    resumes: options.afterCrash !== "fail",
    now,
    newId,
    report,
  };
}
