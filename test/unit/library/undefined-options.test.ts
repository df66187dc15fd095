import { describe, expect, it } from "vitest";
import { connect, type ConnectOptions } from "../../../generated/1.0/client/index.js";
import {
  completed,
  memoryStore,
  pushReceiver,
  taskService,
  textOf,
  type TurnGenerator,
  working,
} from "../../../generated/1.0/kit/index.js";
import type { Message } from "../../../generated/1.0/models.js";
import { createAgent, fetchHandler } from "../../../generated/1.0/server/index.js";
import { jwt } from "../../../library/auth/jwt.js";
import { oauth } from "../../../library/auth/oauth.js";
import { card as sample } from "../../hostile/sample.js";
import { optionNames, presenceTests } from "../../support/option-names.js";

/** Echoes a message. */
async function* run({ message }: { readonly message: Message }): TurnGenerator {
  yield working();
  return completed(await Promise.resolve(textOf(message)));
}

const url = "https://agent.example/";
const card = {
  ...sample,
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
};

interface Given {
  readonly agent?: object;
  readonly service?: object;
  readonly http?: object;
  readonly client?: object;
}

/**
 * Returns what a caller gets of an agent with some options: the text of its answer, or the name of
 * the error.
 */
async function answer({
  agent = {},
  service = {},
  http = {},
  client = {},
}: Given): Promise<unknown> {
  const made = taskService({ run, ...service });
  const serve = fetchHandler(
    createAgent({
      authenticate: ({ headers }) => headers.get("x-user"),
      card,
      service: made,
      ...agent,
    }),
    http,
  );
  const call = (user: Readonly<Record<string, string>>) => async () => {
    const direct = (to: string, init: RequestInit) => serve(new Request(to, init));
    const options: ConnectOptions = { headers: user, ...client };
    const { headers, fetch = direct, ...others } = options;
    const peer = await connect(url, {
      ...others,
      fetch: (to, init) =>
        fetch(to, { ...init, headers: { ...(init.headers as object), ...headers } }),
    });
    const { task } = await peer.sendMessage({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
    });
    return [
      task?.status.state,
      task?.status.message === undefined ? "" : textOf(task.status.message),
    ];
  };
  const answers = [];
  for (const one of [call({ "x-user": "ada" }), call({})])
    answers.push(
      await one().catch((error: unknown) => (error instanceof Error ? error.name : error)),
    );
  await made.close();
  return answers;
}

/** Options of a function, and what the function does with some options. */
const functions: Readonly<Record<string, readonly [string[], (options: object) => unknown]>> = {
  createAgent: [
    optionNames("CoreOptions").filter((name) => name !== "authenticate"),
    (options) => answer({ agent: options }),
  ],
  "streams of createAgent": [
    optionNames("StreamOptions"),
    (streams) => answer({ agent: { streams } }),
  ],
  "rates of createAgent": [optionNames("RateOptions"), (rates) => answer({ agent: { rates } })],
  "rates.perCaller of createAgent": [
    optionNames("Rate"),
    (rate) =>
      answer({ agent: { rates: { perCaller: { perSecond: 9, ...rate }, callerOf: String } } }),
  ],
  "rates.forwarded of createAgent": [
    optionNames("ForwardedAddress"),
    (forwarded) =>
      answer({ agent: { rates: { forwarded: { header: "x-real-ip", ...forwarded } } } }),
  ],
  taskService: [optionNames("TaskServiceSettings"), (options) => answer({ service: options })],
  "limits of taskService": [
    ["maxQueue", "maxTaskBytes", "turnWithinMs", "perOwner"],
    (limits) => answer({ service: { limits } }),
  ],
  "push of taskService": [
    optionNames("PushOptions", "WebhookRules", "RetryOptions"),
    (push) => answer({ service: { push } }),
  ],
  "retention of taskService": [
    optionNames("RetentionOptions", "Retention"),
    (retention) => answer({ service: { retention, store: memoryStore() } }),
  ],
  memoryStore: [
    optionNames("MemoryStoreOptions"),
    (options) => answer({ service: { store: memoryStore(options) } }),
  ],
  httpHandler: [
    ["jsonRpc", "rest", ...optionNames("HttpHandlerOptions").filter((name) => !name.includes("{"))],
    (options) => answer({ http: options }),
  ],
  "a binding of httpHandler": [
    optionNames("HttpLimits", "JsonRpcOptions", "RestOptions"),
    (options) => answer({ http: { jsonRpc: options, rest: options } }),
  ],
  "the card of httpHandler": [
    optionNames("CardOptions"),
    (options) => answer({ http: { card: options } }),
  ],
  connect: [
    optionNames("ConnectOptions", "ClientOptions", "HttpOptions").filter(
      (name) => !["fetch", "headers"].includes(name),
    ),
    (options) => answer({ client: options }),
  ],
  pushReceiver: [
    optionNames("PushReceiverOptions").filter((name) => name !== "token"),
    (options) => Object.keys(pushReceiver({ token: "secret", ...options })),
  ],
  jwt: [
    optionNames("JwtOptions").filter((name) => name !== "issuer"),
    (options) => typeof jwt({ issuer: "https://login.example", audience: url, ...options }),
  ],
  oauth: [
    optionNames("OAuthSettings").filter((name) => name !== "issuer"),
    (options) => {
      const grant = { clientCredentials: { clientId: "c", clientSecret: "s" } };
      return Object.keys(oauth({ issuer: "https://login.example", ...grant, ...options }));
    },
  ],
};

for (const [name, [names, call]] of Object.entries(functions))
  describe(`an option of ${name} that is undefined`, () => {
    it.each(names)("the option counts as absent: %s", async (option) => {
      expect(await call({ [option]: undefined })).toEqual(await call({}));
    });
  });

it("an agent without options answers its user, and refuses a caller without a user", async () => {
  expect(await answer({})).toEqual([["TASK_STATE_COMPLETED", "hi"], "UnauthenticatedError"]);
});

it("the presence of an option never counts: no module tests options with `in` or `hasOwn`", () => {
  expect(presenceTests()).toEqual([]);
});
