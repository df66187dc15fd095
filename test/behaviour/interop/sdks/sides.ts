import { cardOf, extendedCard, extension } from "../card.js";
import { v03, v1, type Dialect } from "../dialect.js";
import { asJson, at, isObject, textAt, type Json } from "../json.js";
import {
  Gate,
  type Asked,
  type Caller,
  type CallerOptions,
  type Connect,
  type StartHost,
} from "../peers.js";
import { actsFor } from "../play.js";
import { canceled } from "../scenes.js";
import { Peer, type Command } from "./peer.js";

/** A program on an SDK of another language, and the version of the protocol that it speaks. */
export interface Sdk {
  readonly name: string;
  readonly version: "1.0" | "0.3.0";
  readonly command: Command;
  /**
   * The version of its types if it converts between versions, and the version of the control
   * program.
   */
  readonly model?: "1.0";
  /** Whether its client uses 0.3 only if a card has no members of other versions. */
  readonly isStrict?: boolean;
}

/** Name of 0.3 in the interfaces of a card of 1.0. */
const served = "0.3";

/** Returns what starts a server of an SDK. */
export function serverOf({ version, model, command }: Sdk): StartHost {
  const dialect = dialectOf(model ?? version);
  return async (options) => {
    const [gate, asked]: [Gate, Asked[]] = [new Gate(), []];
    const peer = new Peer(command, (question) => answering(question, { dialect, gate, asked }));
    try {
      const { result } = await peer.request("listen");
      const addresses = { url: textAt(result, "url"), grpcUrl: textAt(result, "grpcUrl") };
      const card = cardOf(addresses, model === undefined ? version : served, options);
      await peer.request("serve", {
        card: dialect.card(card),
        extendedCard: dialect.card(extendedCard(card)),
      });
      const { url } = addresses;
      return {
        dialect,
        card,
        url,
        asked,
        ownTexts: true,
        lateHistory: true,
        release: () => gate.release(),
        close: () => peer.close(),
      };
    } catch (error) {
      await peer.close();
      throw error;
    }
  };
}

/** Returns what connects a client of an SDK. */
export function clientOf({ version, model, command }: Sdk): Connect {
  return async (url, binding) => {
    const peer = new Peer(command);
    try {
      const { result: card } = await peer.request("connect", { url, binding });
      return {
        dialect: dialectOf(model ?? version),
        ...(model !== undefined && { speaks: version }),
        keepsTexts: version === "1.0",
        card,
        ...callsOf(peer),
        close: () => void peer.close(),
      };
    } catch (error) {
      await peer.close();
      throw error;
    }
  };
}

function callsOf(peer: Peer): Pick<Caller, "call" | "stream" | "headers"> {
  let last: Headers | undefined;
  const made = (method: string, request: Json, { extensions }: CallerOptions = {}): Json => ({
    method,
    request: asJson(request),
    extensions,
  });
  const ended = (message: Json) => {
    last = isObject(message["headers"])
      ? new Headers(message["headers"] as Record<string, string>)
      : undefined;
    return message["result"];
  };
  return {
    headers: () => last,
    call: async (...given) => ended(await peer.request("call", made(...given))),
    stream: async function* (...given) {
      ended(yield* peer.requestStream("stream", made(...given)));
    },
  };
}

interface Stage {
  readonly dialect: Dialect;
  readonly gate: Gate;
  readonly asked: Asked[];
}

/** Plays the scene that a message asks for, and notes what the server is asked. */
async function* answering(question: Json, { dialect, gate, asked }: Stage): AsyncGenerator<Json> {
  const { about, method, request, extensions = [] } = question;
  const known = extensions as readonly string[];
  if (about === "asked") {
    asked.push({ method: String(method), request, extensions: known });
    return;
  }
  const ids = { taskId: textAt(question, "taskId"), contextId: textAt(question, "contextId") };
  if (about === "cancel") {
    yield { act: dialect.event(canceled(ids)) };
    gate.cancel(ids.taskId);
    return;
  }
  if (!isObject(question["message"])) throw new Error("A question about a message has one");
  const message = { ...question["message"], ...ids };
  if (known.includes(extension)) yield { activate: extension };
  for (const act of actsFor(message, ids, dialect)) {
    if (act !== "wait") yield { act: asJson(withTask(act, question["task"], message)) };
    else if (!(await gate.wait(ids.taskId))) return;
  }
}

/**
 * Adds the previous task and the answered message to a task event, because agents of these SDKs
 * must include them.
 */
function withTask(act: Json, earlier: unknown, message: Json): Json {
  if (!isObject(earlier)) return act;
  if (isObject(act["task"])) return { ...act, task: merged(act["task"], earlier, message) };
  return act["kind"] === "task" ? merged(act, earlier, message) : act;
}

function merged(task: Json, earlier: Json, message: Json): Json {
  const said = Object.entries(task).filter(
    ([, value]) => !Array.isArray(value) || value.length > 0,
  );
  const history = Array.isArray(earlier["history"])
    ? (earlier["history"] as readonly unknown[])
    : [];
  const isNoted = history.some((one) => at(one, "messageId") === message["messageId"]);
  return {
    ...earlier,
    history: isNoted ? history : [...history, message],
    ...Object.fromEntries(said),
  };
}

function dialectOf(version: Sdk["version"]) {
  return version === "1.0" ? v1 : v03;
}
