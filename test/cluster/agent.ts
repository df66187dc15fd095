import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAgent, type AgentCard } from "../../generated/1.1-draft/index.js";
import { nodeListener } from "../../generated/1.1-draft/server/node.js";
import type { TaskStore } from "../../library/kit/store.js";
import { taskService } from "../support/bound-kit.js";
import type { Turn } from "../../library/kit/turns/turn.js";
import {
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
  type Script,
  type State,
  type Told,
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
  store.claimExpired = async (claim, limit) => {
    tell({ kind: "claiming", at: clock() });
    const tasks: string[] = [];
    try {
      const found = await expired(claim, limit);
      tasks.push(...found.rows.map(({ lease }) => lease.id));
      return found;
    } finally {
      tell({ kind: "claimed", tasks, at: clock() });
    }
  };
  return store;
}

async function* work(
  turn: Turn<unknown, State>,
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
  if (!script.asks) return completed();
  return inputRequired("And?", { state: { next: 0, script: { ...script, asks: false } } });
}

const { store } = engineOf(engine).open(address);
const service = taskService<unknown, State>({
  store: telling(store),
  leaseMs,
  now: () => Date.now() + skewMs,
  push: { allowPrivateAddresses: true, firstDelayMs: 50, maxDelayMs: 500, timeoutMs: 500 },
  async *run(turn) {
    const task = turn.task.id;
    tell({ kind: "began", task, resumed: turn.resumed, from: turn.state?.next ?? 0, at: clock() });
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
const listener = nodeListener(createAgent({ card, service, onError }));

process.on("message", () => {
  void service.close().then(() => process.exit());
});
process.on("disconnect", () => process.exit());
