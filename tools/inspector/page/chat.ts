import { h } from "./dom.js";
import { Composer, type Draft } from "./composer.js";
import { paced } from "./frames.js";
import { isInterrupted, isTerminal } from "../../agents/index.js";
import { eventOf, messageOf, stateText, type Message, type StreamResponse } from "./model.js";
import { partView } from "./part-view.js";
import type { Session } from "./session.js";
import { Signal } from "./signal.js";
import { TurnView, type TurnActions } from "./turn-view.js";

/** Number of messages and turns that stay on the page. */
const keptTurns = 200;

/** The conversation with the agent. */
export class Chat {
  readonly element: HTMLElement;
  /** The task of the last turn, for links. */
  readonly task = new Signal("");
  readonly #session: Session;
  readonly #turns = h("div", { class: "turns" });
  readonly #log = h(
    "div",
    { class: "log", role: "region", "aria-label": "Conversation", tabindex: 0 },
    this.#turns,
  );
  #isAtEnd = true;
  readonly #composer: Composer;
  readonly #running = new Set<AbortController>();
  /** For each task, the artifacts that earlier turns of the chat already display. */
  readonly #artifacts = new Map<string, Set<string>>();
  #context = "";
  #url = "";
  #addHook: (taskId: string) => void = () => undefined;

  constructor(session: Session) {
    this.#session = session;
    this.#composer = new Composer({
      session,
      send: (draft) => void this.#send(draft),
      stop: () => this.stop(),
      restart: () => {
        this.restart();
        this.#composer.focus();
      },
    });
    this.element = h("div", { class: "chat" }, this.#log, this.#composer.element);
    this.#followEnd();
    session.report.watch(() => {
      // A different agent does not know the context and the task of the current agent.
      if (session.url !== this.#url) this.restart();
      this.#url = session.url;
    });
    session.selected.watch((target) => {
      this.#composer.setEnabled(target?.isSupported === true);
    });
  }

  /** Sets the function that adds a webhook to a task. */
  set addHook(add: (taskId: string) => void) {
    this.#addHook = add;
  }

  /** Removes the conversation, and starts a new conversation. */
  restart(): void {
    this.stop();
    this.#turns.replaceChildren();
    this.#context = "";
    this.#artifacts.clear();
    this.task.set("");
    this.#composer.answer(undefined);
  }

  /** Ends the open calls. The agent continues its tasks. */
  stop(): void {
    for (const running of this.#running) running.abort();
  }

  /** Displays a task. */
  async show(id: string): Promise<void> {
    const turn = this.#newTurn();
    await this.#run(turn, async function* (client, signal) {
      yield { task: await client.getTask({ id }, { signal }) };
    });
  }

  /** Follows a task until it ends. */
  async subscribe(id: string): Promise<void> {
    const turn = this.#newTurn(id);
    await this.#run(turn, (client, signal) => client.subscribeToTask({ id }, { signal }));
  }

  async #cancel(id: string): Promise<void> {
    await this.#run(this.#newTurn(id), async function* (client, signal) {
      yield { task: await client.cancelTask({ id }, { signal }) };
    });
  }

  async #send(draft: Draft): Promise<void> {
    const { parts, taskId, mode, hookUrl } = draft;
    const message: Message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER",
      parts: [...parts],
      ...(this.#context !== "" && { contextId: this.#context }),
      ...(taskId !== undefined && { taskId }),
    };
    this.#append(
      h(
        "article",
        { class: "turn user", "aria-label": "You" },
        ...parts.map((part) => partView(part, this.#session)),
      ),
    );
    const configuration = {
      ...(mode === "background" && { returnImmediately: true }),
      ...(hookUrl !== undefined && { taskPushNotificationConfig: { url: hookUrl } }),
    };
    const request = { message, ...(Object.keys(configuration).length > 0 && { configuration }) };
    this.#composer.answer(undefined);
    await this.#run(this.#newTurn(taskId), (client, signal) => {
      if (mode === "stream") return client.sendStreamingMessage(request, { signal });
      return streamOf(client.sendMessage(request, { signal }));
    });
  }

  /** Displays the events of a call in a turn, and the error if it fails. */
  async #run(
    turn: TurnView,
    call: (
      client: ReturnType<Session["client"]>,
      signal: AbortSignal,
    ) => AsyncIterable<StreamResponse>,
  ): Promise<void> {
    const running = new AbortController();
    this.#running.add(running);
    this.#composer.setRunning(true);
    try {
      for await (const event of paced(call(this.#session.client(), running.signal)))
        await turn.add(event);
    } catch (error) {
      if (running.signal.aborted)
        turn.note("You have ended this call. The task continues until you cancel it");
      else turn.note(messageOf(error), { isError: true });
    } finally {
      this.#running.delete(running);
      this.#composer.setRunning(this.#running.size > 0);
    }
  }

  #newTurn(taskId = ""): TurnView {
    const known = this.#artifacts.get(taskId) ?? new Set<string>();
    const actions: TurnActions = {
      session: this.#session,
      cancel: (id) => void this.#cancel(id),
      subscribe: (id) => void this.subscribe(id),
      hook: (id) => this.#addHook(id),
      changed: (task, state) => this.#taskChanged(task, state, turn),
    };
    const turn = new TurnView(actions, new Set(known));
    this.#append(turn.element);
    return turn;
  }

  #taskChanged(
    { id, contextId }: { readonly id: string; readonly contextId?: string },
    state: string,
    turn: TurnView,
  ): void {
    this.#context = contextId ?? this.#context;
    if (id === "") return;
    const known = this.#artifacts.get(id) ?? new Set<string>();
    for (const artifact of turn.artifactIds) known.add(artifact);
    this.#artifacts.set(id, known);
    this.task.set(id);
    if (isInterrupted(state)) this.#composer.answer({ id, state: stateText(state) });
    else if (isTerminal(state)) this.#composer.answer(undefined);
  }

  #append(element: HTMLElement): void {
    this.#turns.append(element);
    if (this.#turns.childElementCount > keptTurns) this.#turns.firstElementChild?.remove();
    this.#isAtEnd = true;
  }

  /** Keeps the end visible while content grows, unless the user has scrolled up. */
  #followEnd(): void {
    const log = this.#log;
    log.addEventListener(
      "scroll",
      () => (this.#isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40),
    );
    const observer = new ResizeObserver(() => {
      if (this.#isAtEnd) log.scrollTop = log.scrollHeight;
    });
    observer.observe(this.#turns);
    observer.observe(log);
  }
}

/** Returns a response without a stream as a stream of one event. */
async function* streamOf(
  response: Promise<Parameters<typeof eventOf>[0]>,
): AsyncGenerator<StreamResponse> {
  const event = eventOf(await response);
  if (event !== undefined) yield event;
}
