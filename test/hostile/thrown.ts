import { setTimeout as delay } from "node:timers/promises";
import type { Classes } from "./subject.js";

/** Text that callers must not see. */
export const secret = "secret at /srv/agent.ts:7";
/** Things that code throws, on purpose or not, with the class of an error of the version. */
export const thrown = ({ TaskNotFoundError }: Classes): [string, () => unknown][] => [
  ["an error", () => new Error(secret)],
  ["text", () => secret],
  ["undefined", () => undefined],
  ["null", () => null],
  ["a number", () => 42],
  ["a symbol", () => Symbol(secret)],
  ["a function", () => () => secret],
  ["an object", () => ({ message: secret, code: -32001 })],
  [
    "a getter that throws",
    () => ({
      get message() {
        throw new Error(secret);
      },
    }),
  ],
  ["a proxy that throws at every touch", () => new Proxy({}, trap)],
  ["an error with a cause that points to itself", () => circular()],
  ["an error without a prototype", () => ({ __proto__: null })],
  ["a promise", () => Promise.resolve(secret)],
  [
    "what looks like a protocol error",
    () => ({ name: "TaskNotFoundError", reason: "TASK_NOT_FOUND", message: secret }),
  ],
  [
    "a protocol error with a cycle in it",
    () => new TaskNotFoundError(secret, { details: [cyclicDetail()] }),
  ],
  [
    "a protocol error with a bigint",
    () => new TaskNotFoundError(secret, { metadata: { id: 1n as never } }),
  ],
  [
    "a protocol error with wrong details",
    () => new TaskNotFoundError(secret, { details: [7] as never }),
  ],
  [
    "a protocol error with an invalid status",
    () => new TaskNotFoundError(secret, { httpStatus: 7 }),
  ],
  [
    "a protocol error with a status of success",
    () => new TaskNotFoundError(secret, { httpStatus: 204 }),
  ],
  [
    "a protocol error with a status of a cache",
    () => new TaskNotFoundError(secret, { httpStatus: 304 }),
  ],
  ["a protocol error with a message that throws", () => unreadable(TaskNotFoundError)],
];

/** Throws at every touch. */
export const trap: ProxyHandler<object> = {
  get: () => {
    throw new Error(secret);
  },
  has: () => {
    throw new Error(secret);
  },
  ownKeys: () => {
    throw new Error(secret);
  },
  getPrototypeOf: () => {
    throw new Error(secret);
  },
};

function unreadable(TaskNotFoundError: Classes["TaskNotFoundError"]): Error {
  const get = (): never => {
    throw new Error(secret);
  };
  return Object.defineProperty(new TaskNotFoundError(), "message", { get });
}

function circular() {
  const error = new Error(secret);
  error.cause = error;
  return error;
}

function cyclicDetail(): never {
  const detail: Record<string, unknown> = { "@type": "x" };
  detail["self"] = detail;
  return detail as never;
}

/** Makes a method that throws when it is called. */
export function failAtOnce(make: () => unknown): () => never {
  return () => {
    throw make();
  };
}

/** Makes a method whose stream throws in place of its first event. */
export function failFirst(make: () => unknown): () => AsyncGenerator<never> {
  // eslint-disable-next-line require-yield -- It fails before there is anything to give.
  return async function* () {
    await delay(0);
    throw make();
  };
}
