import { fill, h } from "./dom.js";
import { Composer, type Draft } from "./composer.js";
import { exampleButton } from "./example.js";
import { beforeFrame, paced } from "./frames.js";
import { KnownTasks, type KnownTask } from "./known-tasks.js";
import { eventOf, taskIdOf, type Message, type StreamResponse, type Task } from "./model.js";
import { sentView } from "./part-view.js";
import type { Session } from "./session.js";
import { TurnView } from "./turn-view.js";

/** Number of messages and turns that stay on the page. */
const keptTurns = 200;

type A2AClient = ReturnType<Session["client"]>;

interface CallOptions {
  readonly signal: AbortSignal;
}

/** A call whose events a turn displays. */
interface Call {
  readonly isStream: boolean;
  readonly open: (client: A2AClient, options: CallOptions) => AsyncIterable<StreamResponse>;
}

/** The conversation with the agent. */
export class Chat {
  readonly element: HTMLElement;
  /** The tasks of the conversation. */
  readonly tasks = new KnownTasks();
  readonly #session: Session;
  readonly #turns = h("div", { class: "turns" });
  readonly #first = h("div", { class: "first" });
  readonly #log = h(
    "div",
    { class: "log", role: "region", "aria-label": "Conversation", tabindex: 0 },
    this.#turns,
    this.#first,
  );
  #isAtEnd = true;
  readonly #composer: Composer;
  readonly #running = new Set<AbortController>();
  #context = "";
  /** The last turn, whose task the next message can continue. */
  #last: TurnView | undefined;
  #url = "";
  #addHook: (taskId: string) => void = () => undefined;
  #showTimeline: (taskId: string) => void = () => undefined;

  constructor(session: Session) {
    this.#session = session;
    this.#composer = new Composer({
      session,
      task: this.tasks.current,
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
      this.#drawFirst();
    });
    session.selected.watch((target) => {
      this.#composer.setEnabled(target?.isSupported === true);
    });
  }

  /** Sets the function that adds a webhook to a task. */
  set addHook(add: (taskId: string) => void) {
    this.#addHook = add;
  }

  /** Sets the function that displays the timeline of a task. */
  set showTimeline(show: (taskId: string) => void) {
    this.#showTimeline = show;
  }

  /** Fills in a message that the user can change and send. */
  fill(message: string): void {
    this.#composer.fill(message);
  }

  /** Displays examples before the first message. */
  #drawFirst(): void {
    const skills = this.#session.report.value?.card?.skills ?? [];
    const examples = skills.flatMap(({ examples: [example] = [] }) => example ?? []);
    fill(
      this.#first,
      h("p", {}, "Write a message to the agent"),
      examples.slice(0, 3).map((example) => exampleButton(example, () => this.fill(example))),
    );
  }

  /** Removes the conversation, and starts a new conversation. */
  restart(): void {
    this.stop();
    this.#session.endConversation();
    this.#turns.replaceChildren();
    this.#context = "";
    this.#last = undefined;
    this.tasks.clear();
  }

  /** Ends the open calls. The agent continues its tasks. */
  stop(): void {
    for (const running of this.#running) running.abort();
  }

  /** Displays a task, in its last turn if it has one. */
  async show(id: string): Promise<void> {
    const turn = this.#turnOf(id);
    this.#last = turn;
    this.tasks.current.set(this.tasks.find(id));
    await this.#run(
      turn,
      once(async (client, options) => await client.getTask({ id }, options)),
    );
    turn.element.scrollIntoView({ block: "nearest" });
  }

  /** Follows a task until it ends. */
  async subscribe(id: string): Promise<void> {
    await this.#run(this.#turnOf(id), {
      isStream: true,
      open: (client, options) => client.subscribeToTask({ id }, options),
    });
  }

  async #cancel(id: string): Promise<void> {
    const call = once(async (client, options) => await client.cancelTask({ id }, options));
    await this.#run(this.#turnOf(id), call);
  }

  async #send({ parts, taskId, mode, hookUrl }: Draft): Promise<void> {
    const task = taskId === undefined ? undefined : this.tasks.at(taskId);
    const contextId = task?.contextId ?? this.#context;
    const message: Message = {
      messageId: crypto.randomUUID(),
      role: "ROLE_USER",
      parts: [...parts],
      ...(contextId !== "" && { contextId }),
      ...(taskId !== undefined && { taskId }),
    };
    this.#append(
      h(
        "article",
        { class: "turn user", "aria-label": "You" },
        ...parts.map((part) => sentView(part, this.#session)),
      ),
    );
    const configuration = {
      ...(mode === "background" && { returnImmediately: true }),
      ...(hookUrl !== undefined && { taskPushNotificationConfig: { url: hookUrl } }),
    };
    const request = { message, ...(Object.keys(configuration).length > 0 && { configuration }) };
    const turn = this.#newTurn(task);
    task?.setAnswered(true);
    const open: Call["open"] = (client, options) => client.sendStreamingMessage(request, options);
    const call = once((client, options) => client.sendMessage(request, options));
    await this.#run(turn, mode === "stream" ? { isStream: true, open } : call);
    // The last events wait for the same frame.
    beforeFrame(() => task?.setAnswered(false));
  }

  /** Displays the events of a call in a turn, and the error if it fails. */
  async #run(turn: TurnView, call: Call): Promise<void> {
    const { isStream, open } = call;
    const running = new AbortController();
    const { signal } = running;
    let task: KnownTask | undefined;
    turn.clearNote();
    this.#running.add(running);
    this.#composer.setRunning(true);
    try {
      for await (const event of paced(open(this.#session.client(), { signal }))) {
        if (task === undefined) {
          const id = taskIdOf(event);
          task = id === undefined ? undefined : this.tasks.at(id);
          if (task !== undefined && (isStream || task.source === undefined)) task.source = running;
        }
        const isSource = task === undefined || task.source === running;
        if (isSource) await turn.add(event);
        // The stream of the task reports its artifacts.
        else if (!isStream && event.task !== undefined)
          await turn.add({ task: { ...event.task, artifacts: [] } });
      }
    } catch (error) {
      if (signal.aborted)
        turn.note("You have ended this call. The task continues until you cancel it");
      else turn.complain(this.#session.problemOf(error), () => void this.#run(turn, call));
    } finally {
      if (task?.source === running) task.source = undefined;
      this.#running.delete(running);
      this.#composer.setRunning(this.#running.size > 0);
    }
  }

  /** Returns the last turn of a task, or a new turn if the task is not on the page. */
  #turnOf(id: string): TurnView {
    const turn = this.tasks.find(id)?.turn;
    if (turn instanceof TurnView && turn.element.isConnected) return turn;
    this.tasks.forget(id);
    return this.#newTurn();
  }

  #newTurn(task?: KnownTask): TurnView {
    const isLast = (): boolean => this.#last === turn;
    const turn: TurnView = new TurnView({
      session: this.#session,
      tasks: this.tasks,
      cancel: (id) => void this.#cancel(id),
      subscribe: (id) => void this.subscribe(id),
      hook: (id) => this.#addHook(id),
      timeline: (id) => this.#showTimeline(id),
      setContext: (id) => isLast() && (this.#context = id),
      setTask: (changed) => isLast() && this.tasks.current.set(changed),
    });
    this.#last = turn;
    this.tasks.current.set(task);
    if (task !== undefined) turn.setTask(task);
    this.#append(turn.element);
    return turn;
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

/** Calls the agent without a stream. The response is displayed as an event. */
function once(
  call: (client: A2AClient, options: CallOptions) => Promise<Task | Parameters<typeof eventOf>[0]>,
): Call {
  return {
    isStream: false,
    async *open(client, options) {
      const response = await call(client, options);
      const event = "id" in response ? { task: response } : eventOf(response);
      if (event !== undefined) yield event;
    },
  };
}
