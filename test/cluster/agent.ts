import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAgent, type AgentCard } from "../../generated/1.1-draft/index.js";
import { nodeListener } from "../../generated/1.1-draft/server/node.js";
import type { TaskStore } from "../../library/kit/store.js";
import { taskService } from "../support/bound-kit.js";
import type { Turn } from "../../library/kit/turns/turn.js";
import {
  asleep,
  completed,
  type End,
  inputRequired,
  textOf,
  type Update,
  working,
} from "../../library/kit/turns/updates.js";
import { engineOf } from "./engines/engines.js";
import {
  type AgentSetting,
  type Append,
  clock,
  type Effect,
  manyUpdates,
  markText,
  ownerHeader,
  type Script,
  type Sleep,
  type State,
  type Told,
  type WakeCall,
} from "./protocol.js";
import { aCard } from "../support/cards.js";

// One of several processes of an agent. It reports the actions of its turns to its parent process.

// The process that starts this one says what it needs to know.
const {
  engine,
  address,
  leaseMs,
  skewMs = 0,
} = JSON.parse(process.argv[2] ?? "{}") as AgentSetting;
let runs = 0;

function tell(told: Told) {
  if (process.connected) process.send?.(told);
}

let effects: Effect[] = [];

/** Does something that must not be done by two processes, and tells of it, some of it at once. */
function act(effect: Effect) {
  if (effects.push(effect) > 1) return;
  setTimeout(() => {
    tell({ kind: "did", effects });
    effects = [];
  }, 10);
}

let appends: Append[] = [];

/** Tells what was appended, some of it at once. */
function appended(append: Append) {
  if (appends.push(append) > 1) return;
  setTimeout(() => {
    tell({ kind: "appended", appends });
    appends = [];
  }, 10);
}

/** Reports which tasks are claimed and which entries are appended. */
function telling(store: TaskStore) {
  const append = store.append.bind(store);
  store.append = async (lease, entries, options) => {
    const found = await append(lease, entries, options);
    const events = entries.filter((entry) => "event" in entry);
    const [first, last] = [events[0]?.generation, events.at(-1)?.generation];
    if (first !== undefined && last !== undefined)
      appended({ task: lease.id, epoch: lease.epoch, first, last });
    return found;
  };
  const expired = store.claimExpired.bind(store);
  store.claimExpired = async (claim, limit, everyMs) => {
    tell({ kind: "claiming", at: clock() });
    const tasks: string[] = [];
    try {
      const found = await expired(claim, limit, everyMs);
      tasks.push(...found.rows.map(({ lease }) => lease.id));
      return found;
    } finally {
      tell({ kind: "claimed", tasks, at: clock() });
    }
  };
  return store;
}

async function* work(
  turn: Turn<string, State>,
  run: string,
): AsyncGenerator<Update, End<State>, undefined> {
  const { state, message, checkpoint, pending, signal } = turn;
  const task = turn.task.id;
  // The rig wrote it.
  const { next, script } = state ?? { next: 0, script: JSON.parse(textOf(message)) as Script };
  for (let number = next; number < script.updates; number += 1) {
    if (script.everyMs > 0) await pause(script.everyMs, undefined, { signal });
    else await new Promise((resolve) => setImmediate(resolve));
    // Right before what must not happen twice, a turn looks whether its process may still work on
    // the task.
    turn.signal.throwIfAborted();
    act({ task, run, at: clock() });
    yield working(markText({ run, number, at: clock() }));
    for (let heard = pending.take(); heard !== undefined; heard = pending.take())
      yield working("Heard");
    if (number % manyUpdates === manyUpdates - 1) await checkpoint({ next: number + 1, script });
  }
  if (script.asks)
    return inputRequired("And?", { state: { next: 0, script: { ...script, asks: false } } });
  const slept = state?.sleep;
  if (slept !== undefined && turn.woken?.by === "message") yield working("Heard");
  const sleep = slept === undefined ? { woken: [], napped: 0 } : afterWaking(turn, slept);
  const napMs = script.naps[sleep.napped];
  if (napMs === undefined && sleep.woken.length === script.wakes) return completed();
  const saved = { next: script.updates, script };
  if (napMs === undefined) return asleep({ state: { ...saved, sleep } });
  const due = sleep.due ?? clock() + napMs;
  // The clock of this process may be wrong, but its errors have no effect on differences.
  const until = new Date(now() + due - clock());
  return asleep({ until, state: { ...saved, sleep: { ...sleep, due } } });
}

/** Returns the sleep of a task after something has woken it, and checks what it was. */
function afterWaking(turn: Turn<string, State>, sleep: Sleep): Sleep {
  const { due, ...rest } = sleep;
  const { task, woken } = turn;
  const problem = (text: string) => {
    tell({ kind: "problem", text: `task ${task.id} ${text}` });
  };
  switch (woken?.by) {
    case "wake": {
      const payload = Number(woken.payload);
      if (!sleep.woken.includes(payload)) return { ...sleep, woken: [...sleep.woken, payload] };
      problem(`was woken twice by request ${String(payload)}`);
      return sleep;
    }
    case "time":
      if (due === undefined) problem("was woken by a time that it did not set");
      else if (clock() < due - clockErrorMs)
        problem(`was woken ${String(Math.ceil(due - clock()))} ms before its time`);
      return { ...rest, napped: sleep.napped + 1 };
    case undefined:
      problem("was woken by nothing");
      return sleep;
    default:
      return sleep;
  }
}

/** Differences of the clock of a database from {@link clock}. */
const clockErrorMs = 20;

function now(): number {
  return Date.now() + skewMs;
}

const { store } = engineOf(engine).open(address);
const service = taskService<string, State>({
  owner: (user) => user,
  store: telling(store),
  leaseMs,
  now,
  push: { allowPrivateAddresses: true, firstDelayMs: 50, maxDelayMs: 500, timeoutMs: 500 },
  async *run(turn) {
    const task = turn.task.id;
    const { resumed, state } = turn;
    const due = state?.sleep?.due;
    const woken = turn.woken && { by: turn.woken.by, ...(due !== undefined && { due }) };
    const began = { resumed, from: state?.next ?? 0, at: clock() };
    tell({ kind: "began", task, ...began, ...(woken !== undefined && { woken }) });
    try {
      return yield* work(turn, `${String(process.pid)}:${String((runs += 1))}`);
    } finally {
      tell({ kind: "over", task });
    }
  },
});

const card: AgentCard = aCard(
  [{ url: "http://127.0.0.1/", protocolBinding: "JSONRPC", protocolVersion: "1.1" }],
  { name: "Clustered", capabilities: { streaming: true, pushNotifications: true } },
);
const server = createServer((request, response) => {
  listener(request, response);
});
server.listen(0, "127.0.0.1", () => {
  // A server of TCP has an address with a port.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  card.supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.1" }];
  tell({ kind: "ready", url });
});
const onError = (error: unknown) => {
  tell({
    kind: "error",
    text: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  });
};
const listener = nodeListener(
  createAgent({
    card,
    service,
    authenticate: ({ headers }) => headers.get(ownerHeader),
    onError,
  }),
);

async function wake({ call, task: taskId, owner, payload }: WakeCall) {
  try {
    // Calls are repeated, and their id must not depend on the process.
    await service.wake({ taskId, owner }, payload, { id: `${taskId} ${String(payload)}` });
    tell({ kind: "woken", call });
  } catch (error) {
    tell({ kind: "woken", call, error: String(error) });
  }
}

process.on("message", (message: WakeCall | "close") => {
  if (message === "close") void service.close().then(() => process.exit());
  else void wake(message);
});
process.on("disconnect", () => process.exit());
