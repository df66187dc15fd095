import type { Message, StreamResponse, Task } from "../../../generated/1.0/models.js";
import type { Interceptor } from "../clients.js";
import { CallRecorder } from "./call-recorder.js";
import { ConversationError, type Conversation, type ConversationAgent } from "./conversation.js";
import { Names } from "./names.js";
import { lengthOf, type Part } from "./parts.js";
import { TurnLog, type LoggedTask, type SharedLog } from "./turn-log.js";

/** Maximum number of characters of all parts, and of events. */
const maxRecorded = 2 ** 24;
const maxEvents = 50_000;

/**
 * Records a conversation: the messages of the user, and what the agent does. Ids are replaced by
 * numbers, so that two conversations can be compared.
 */
export class ConversationLog implements SharedLog {
  readonly tasks = new Map<string, LoggedTask>();
  readonly #onChange: () => void;
  readonly #names = { task: new Names("task"), context: new Names("context") };
  readonly #turns: TurnLog[] = [];
  readonly #sent = new Map<string, TurnLog>();
  #room = maxRecorded;
  #events = 0;

  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Number of turns. */
  get length(): number {
    return this.#turns.length;
  }

  /** Begins a turn with a message of the user. */
  begin(message: Message): TurnLog {
    const turn = new TurnLog(this, this.#turns.length + 1, message);
    this.#turns.push(turn);
    this.#onChange();
    return turn;
  }

  name(kind: "task" | "context", id: string, turn: number): string {
    return this.#names[kind].of(id, turn);
  }

  reserve(parts: readonly Part[], replaced?: readonly Part[]): boolean {
    if (this.isFull) return false;
    for (const part of parts) this.#room -= lengthOf(part);
    for (const part of replaced ?? []) this.#room += lengthOf(part);
    if (replaced === undefined) this.#events += 1;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#room < 0 || this.#events > maxEvents;
  }

  /**
   * Returns the conversation so far.
   * @throws {ConversationError} if it is too long
   */
  conversation({ url, name, binding, version }: ConversationAgent): Conversation {
    if (this.isFull)
      throw new ConversationError(
        `The conversation is too long to be saved: the limits are ${maxEvents} events and ` +
          `${maxRecorded / 2 ** 20} million characters`,
      );
    return {
      format: "a2a-conversation",
      version: 1,
      agent: { url: withoutCredentials(url), name, binding, version },
      turns: this.#turns.map((turn) => turn.saved()),
    };
  }

  /** Records the calls of a client. */
  readonly interceptor: Interceptor = {
    unary: async (call, next) => {
      const recorder = this.#recorderOf(call);
      if (recorder === undefined) return next(call);
      try {
        const response = await next(call);
        if (call.name === "CancelTask") recorder.turn.cancel();
        recorder.add(eventOf(response as Task | StreamResponse), false);
        return response;
      } catch (error) {
        recorder.fail(error, call.signal);
        throw error;
      }
    },
    stream: (call, next) => {
      const recorder = this.#recorderOf(call);
      return recorder === undefined ? next(call) : recorder.recorded(next(call), call.signal);
    },
  };

  #recorderOf(call: Parameters<NonNullable<Interceptor["unary"]>>[0]): CallRecorder | undefined {
    if (call.name === "SendMessage" || call.name === "SendStreamingMessage") {
      const { message } = call.request;
      // A client may send a message again.
      const turn = this.#sent.get(message.messageId) ?? this.begin(message);
      this.#sent.set(message.messageId, turn);
      return new CallRecorder(this.tasks, turn, true);
    }
    const isAboutTask =
      call.name === "GetTask" || call.name === "SubscribeToTask" || call.name === "CancelTask";
    const turn = isAboutTask ? this.tasks.get(call.request.id)?.turn : undefined;
    return turn && new CallRecorder(this.tasks, turn, false);
  }
}

/** Returns a URL without a user, a query and a fragment, which may contain credentials. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Returns the event that is equivalent to the response of a call without a stream. */
function eventOf(response: Task | StreamResponse): StreamResponse {
  return "status" in response ? { task: response } : response;
}
