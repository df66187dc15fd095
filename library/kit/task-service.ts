import { log } from "../runtime/base/async.js";
import type { JsonValue } from "../runtime/base/json.js";
import type { ServiceHost } from "../runtime/server/host.js";
import type { AgentCard } from "./model.js";
import { Accounts } from "./limits/accounts.js";
import { Background } from "./engine/background.js";
import { TaskEngine } from "./engine/engine.js";
import type { Environment } from "./engine/environment.js";
import { isOfOtherCopy } from "./store.js";
import { erasureOf, deleteTasks, type DeletionTarget } from "./engine/deletion.js";
import {
  wakeFromOutside,
  type WakeOptions,
  wakeRequestOf,
  type WakeTarget,
} from "./engine/wake.js";
import { auditOf } from "./observe/audit.js";
import { taskEndsOf } from "./observe/task-end.js";
import { Readiness } from "./observe/readiness.js";
import { checked, limitsOf } from "./limits/limits.js";
import { memoryStore } from "./memory/store.js";
import { isResponder } from "./extensions/respond.js";
import type { TaskServiceOptions } from "./options.js";
import type { ServiceFacts } from "./kit-facts.js";
import { bodiesOf } from "./push/notification.js";
import type { Push } from "./push/push.js";
import { PushConfigs } from "./push/push-configs.js";
import { PushSender } from "./push/push-sender.js";
import { TaskOperations } from "./calls/operations.js";
import { StoreFailures } from "./calls/store-failures.js";
import { TaskTooLargeError } from "./limits/size.js";
import { defaultEveryMs, type RetentionOptions, Cleanup } from "./engine/cleanup.js";
import { newId as randomId } from "./ids.js";
import { longestMs } from "./timer.js";
import type { Content } from "./turns/updates.js";

/** A service for `createAgent` that implements all task operations of the protocol. */
export interface TaskService<Service = TaskOperations> {
  /** Creates the operations. `createAgent` calls it with the facts and functions of its agent. */
  (host: ServiceHost<AgentCard>): Service;
  /**
   * Stops all work and all deliveries of this process, and waits until they have stopped. Other
   * processes that use the same store claim the unfinished tasks.
   */
  readonly close: () => Promise<void>;
  /**
   * Resolves if the service can process calls. If the store does not respond, or `close` was
   * called, rejects with an `Error` that states the reason.
   */
  readonly ready: () => Promise<void>;
  /**
   * Deletes tasks with all their data, including open tasks, and returns the number of deleted
   * tasks. Running turns of these tasks are aborted. Rejects with a `TypeError` if the target has
   * neither an owner nor `everyOwner`, or if the store has no `erase`.
   */
  readonly deleteTasks: (target: DeletionTarget) => Promise<number>;
  /**
   * Wakes a task whose turn has ended with `asleep`: its next turn receives the payload as
   * `turn.woken`. If a turn is running, or the task waits for its caller, the next turn begins when
   * the running turn has ended, or at once. Any process may call it, also a process without an
   * agent, if its service has the same store.
   *
   * Resolves when the request is stored: to `true`, or to `false` if the task has ended. Rejects
   * with a `TaskNotFoundError` if the owner has no such task, with an `UnsupportedOperationError`
   * if too many requests wait for it, and with a `TypeError` if the target is invalid or the
   * payload is not JSON.
   */
  readonly wake: (
    target: WakeTarget,
    payload?: JsonValue,
    options?: WakeOptions,
  ) => Promise<boolean>;
  /**
   * Claims the tasks and webhooks that are due now, deletes expired tasks, and resolves when this
   * process works on no task and posts to no webhook, at the latest after `withinMs` (10 minutes by
   * default). Call it on platforms that stop an idle process and start it at a time, such as in
   * `alarm` of a Durable Object. Errors are reported to the agent's `onError`. Rejects with a
   * `TypeError` if the service has no agent.
   */
  readonly workDue: (options?: WorkDueOptions) => Promise<void>;
}

/** Options for `workDue` of a {@link TaskService}. */
export interface WorkDueOptions {
  /** Milliseconds after which `workDue` resolves although turns are running; 600,000 by default. */
  readonly withinMs?: number;
}

const defaultWithinMs = 600_000;

const defaultLeaseMs = 30_000;

/**
 * Returns a service that implements the task operations of the protocol and calls the behavior of
 * an agent. `User` is the type of the user data that turns receive. `State` is the type of the
 * state that turns save for the next turn. `Caller` is the type of the value that the agent's
 * `authenticate` returns.
 *
 * @example
 * const service = taskService({
 *   async *run({ message }) {
 *     yield working("Thinking");
 *     return completed(`You said ${textOf(message)}`);
 *   },
 * });
 *
 * @throws {TypeError} from `createAgent` if `options` are invalid
 */
export function taskService<
  User = unknown,
  State = unknown,
  Caller = User,
  Service = TaskOperations,
>(options: TaskServiceOptions<User, State, Caller>, facts: ServiceFacts): TaskService<Service> {
  // Internal code does not read users and states, and only uses the members of models that exist in
  // all versions.
  const inner = options as unknown as TaskServiceOptions;
  const store = options.store ?? memoryStore({ ...(options.now && { now: options.now }) });
  const agents: {
    readonly engine: TaskEngine;
    readonly push: Push;
    readonly background: Background;
  }[] = [];
  const make = (host: ServiceHost<AgentCard>): Service => {
    if (typeof inner.run !== "function")
      throw new TypeError("`run` of a task service must be a function");
    if (isOfOtherCopy(store))
      throw new TypeError(
        "`store` is from another copy of a2a-codegen-runtime or of its modules: run `npm dedupe`",
      );
    const failures = new StoreFailures(host.report);
    const environment = environmentOf(
      { options: inner, store: failures.watch(store), facts },
      host,
    );
    const engine = new TaskEngine(environment);
    const push = pushOf(inner, environment, host);
    const sweep = inner.retention && new Cleanup(environment, retentionOf(inner.retention));
    const background = new Background({ host, store, engine, push, sweep });
    // Begin immediately, because unfinished tasks of other processes, or of this process before a
    // restart, must not wait for the next call.
    if (options.store !== undefined) background.start();
    agents.push({ engine, push, background });
    const operations = new TaskOperations({
      host,
      options: inner,
      environment,
      engine,
      push,
      background,
    });
    // The generated code, which passes the facts, also declares the type of the operations.
    return bound(operations, failures) as Service;
  };
  const readiness = new Readiness(store);
  const close = async (): Promise<void> => {
    readiness.close();
    await Promise.all(agents.map(({ background }) => background.close()));
  };
  const remove = async (target: DeletionTarget): Promise<number> => {
    const erasure = erasureOf(target);
    const count = await deleteTasks(store, erasure);
    for (const { engine } of agents) engine.drop(erasure);
    const { tenant, owner, taskId } = erasure;
    const audit = auditOf(inner.audit && ((event) => inner.audit?.(event)), log);
    audit?.({ action: "task.delete", tenant, owner, taskId, context: undefined, count });
    return count;
  };
  const wake = async (
    target: WakeTarget,
    payload?: JsonValue,
    wakeOptions: WakeOptions = {},
  ): Promise<boolean> => {
    const request = wakeRequestOf(target, payload, wakeOptions);
    const agent = agents.at(0);
    return agent === undefined
      ? wakeFromOutside(store, request, limitsOf(inner.limits), facts)
      : agent.engine.wake(request);
  };
  const workDue = async ({ withinMs = defaultWithinMs }: WorkDueOptions = {}): Promise<void> => {
    if (agents.length === 0)
      throw new TypeError("workDue requires an agent: pass the service to createAgent first");
    checked("withinMs", withinMs, 0);
    await Promise.all(agents.map(({ background }) => background.workDue(withinMs)));
  };
  const ready = (): Promise<void> => readiness.check();
  return Object.assign(make, { close, deleteTasks: remove, wake, workDue, ready });
}

/**
 * Returns an object with the operations as own properties, so that `{ ...service(host), more }`
 * contains them.
 */
function bound(operations: TaskOperations, failures: StoreFailures): object {
  const names = Object.getOwnPropertyNames(TaskOperations.prototype) as (keyof TaskOperations)[];
  const methods = names.map((name) => {
    const call: (...args: never[]) => unknown = operations[name].bind(operations);
    const method = async (...args: unknown[]): Promise<unknown> => {
      try {
        return await (Reflect.apply(call, undefined, args) as unknown);
      } catch (error) {
        throw failures.errorForCaller(error);
      }
    };
    return [name, method] as const;
  });
  return Object.fromEntries(methods);
}

/** Returns the content that the caller receives if a turn has thrown an error. */
function failureOf(
  { onFailure }: TaskServiceOptions,
  thrown: unknown,
  report: Environment["report"],
): Content | undefined {
  if (thrown instanceof TaskTooLargeError) return thrown.message;
  try {
    const content: unknown = onFailure?.(thrown);
    if (content === undefined || typeof content === "string" || Array.isArray(content))
      return content;
    throw new TypeError("`onFailure` must return a string, parts or undefined");
  } catch (error) {
    report(error);
    return undefined;
  }
}

function pushOf(
  { push: options }: TaskServiceOptions,
  environment: Environment,
  host: ServiceHost<AgentCard>,
): Push {
  const { store, claim, newId, report, now, facts } = environment;
  return {
    configs: new PushConfigs({ store, options, newId }),
    sender: new PushSender({
      protocol: facts.protocol,
      store,
      holder: claim.holder,
      leaseMs: claim.ttlMs,
      options,
      report,
      now,
      bodyOf: bodiesOf(host, store, facts.protocol),
      tracing: environment.tracing,
    }),
  };
}

function retentionOf({
  everyMs = defaultEveryMs,
  ...retention
}: RetentionOptions): RetentionOptions {
  for (const [name, value] of Object.entries<number | undefined>({ ...retention }))
    if (value !== undefined) checked(`retention.${name}`, value, 0);
  return { ...retention, everyMs: Math.min(checked("retention.everyMs", everyMs, 1), longestMs) };
}

function environmentOf(
  {
    options,
    store,
    facts,
  }: Pick<Environment, "store" | "facts"> & { readonly options: TaskServiceOptions },
  { report, extensions = [] }: ServiceHost<AgentCard>,
): Environment {
  const { now = Date.now, newId = randomId, leaseMs = defaultLeaseMs } = options;
  const limits = limitsOf(options.limits);
  return {
    store,
    facts,
    behavior: options,
    // Do not use `newId`. If it returned consecutive numbers, two processes would have the same
    // name and would hold each other's leases.
    claim: {
      holder: crypto.randomUUID(),
      ttlMs: Math.min(checked("leaseMs", leaseMs, 1), longestMs),
    },
    limits,
    accounts: new Accounts({ store, limits: limits.perOwner, report }),
    resumes: options.afterCrash !== "fail",
    endsAtAuth: options.endStreamAtAuth !== false,
    failureOf: (thrown) => failureOf(options, thrown, report),
    responders: extensions.filter(isResponder),
    tracing: options.tracing,
    audit: auditOf(options.audit && ((event) => options.audit?.(event)), report),
    ended: taskEndsOf(options.onTaskEnd && ((event) => options.onTaskEnd?.(event)), report),
    now,
    newId,
    report,
  };
}
