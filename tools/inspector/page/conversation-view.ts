import {
  agentTest,
  callerTest,
  compareConversations,
  readConversation,
  replay,
  writeConversation,
  type Conversation,
  type ConversationAgent,
  type Difference,
} from "../../agents/conversation/index.js";
import { announce, button, fill, h } from "./dom.js";
import { problemView } from "./problem-view.js";
import type { Session } from "./session.js";
import { brief, longText } from "./text.js";

/** Maximum size of a file in bytes. */
const maxFile = 2 ** 27;

/** A replay and the conversation that it repeats. */
interface Replayed {
  readonly saved: Conversation;
  readonly actual: Conversation;
}

/** Saves and exports the conversation, and replays conversations against the agent. */
export class ConversationView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #about = h("p", {});
  readonly #source = h("p", {});
  readonly #note = h("p", { class: "note", role: "status", hidden: true });
  readonly #results = h("ol", { class: "replayed", "aria-label": "Turns of the replay" });
  readonly #file = h("input", {
    type: "file",
    accept: ".json,application/json",
    class: "visually-hidden",
    id: "conversation-file",
  });
  readonly #events = h("input", { type: "checkbox", onchange: () => this.#drawResults() });
  readonly #replay = button("Replay", () => void this.#start(), { class: "primary" });
  readonly #stop = button("Stop", () => this.#running?.abort(), { hidden: true });
  readonly #exports: readonly HTMLButtonElement[];
  #running: AbortController | undefined;
  #replayed: Replayed | undefined;
  /** The conversation of the chosen file. */
  #chosen: { readonly name: string; readonly conversation: Conversation } | undefined;

  constructor(session: Session) {
    this.#session = session;
    this.#exports = [
      button("Save", () => this.#export((conversation) => writeConversation(conversation), "json")),
      button("Export as a test of the agent", () => this.#export(agentTest, "test.ts"), {
        title: "A file for Vitest that sends the messages, and expects the same results",
      }),
      button("Export as a test of a caller", () => this.#export(callerTest, "caller.test.ts"), {
        title: "A file for Vitest with a scripted agent that responds in the same way",
      }),
    ];
    this.#file.addEventListener("change", () => void this.#choose());
    const events = h("label", { class: "check" }, this.#events, " Compare each event, too");
    this.element = h(
      "div",
      { class: "page" },
      h("h2", {}, "This conversation"),
      this.#about,
      h("div", { class: "bar" }, ...this.#exports),
      h("h2", {}, "Replay"),
      this.#source,
      h(
        "div",
        { class: "bar" },
        this.#file,
        h("label", { for: "conversation-file", class: "button" }, "Choose a file"),
        events,
        h("span", { class: "spacer" }),
        this.#stop,
        this.#replay,
      ),
      this.#note,
      this.#results,
    );
    session.conversationChanged.watch(() => this.#draw());
    session.selected.watch(() => this.#draw());
  }

  /** The conversation to replay. */
  get #saved(): Conversation | undefined {
    if (this.#chosen !== undefined) return this.#chosen.conversation;
    return this.#session.log.length > 0 ? this.#session.conversation() : this.#session.previous;
  }

  #draw(): void {
    const { log, selected } = this.#session;
    const isEmpty = log.length === 0;
    for (const each of this.#exports) each.disabled = isEmpty;
    this.#about.textContent = isEmpty
      ? "Send a message in the chat to begin a conversation"
      : `${countOf(log.length)}, without headers, ids and times`;
    const hasSource =
      !isEmpty || this.#session.previous !== undefined || this.#chosen !== undefined;
    this.#replay.disabled = !hasSource || selected.value?.isSupported !== true;
    const sentence = this.#chosen
      ? `The messages of ${brief(this.#chosen.name, 60)} are sent to this agent: `
      : "The messages of this conversation are sent to this agent again. To compare agents or " +
        "versions, select another interface, open another agent, or choose a saved file";
    const isPrevious =
      this.#chosen === undefined && isEmpty && this.#session.previous !== undefined;
    fill(
      this.#source,
      isPrevious ? "The messages of the previous conversation are sent to this agent: " : sentence,
      this.#chosen && describe(this.#chosen.conversation),
      isPrevious && this.#session.previous && describe(this.#session.previous),
    );
  }

  #export(write: (conversation: Conversation) => string, ending: string): void {
    void this.#attempt(() => {
      const conversation = this.#session.conversation();
      const file = new Blob([write(conversation)], { type: "application/octet-stream" });
      const href = URL.createObjectURL(file);
      h("a", { href, download: `${fileName(conversation.agent)}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
      this.#remark("");
    });
  }

  async #choose(): Promise<void> {
    const file = this.#file.files?.[0];
    if (file === undefined) return;
    await this.#attempt(async () => {
      if (file.size > maxFile) throw new Error(`${file.name} is too large`);
      const text = await file.text();
      this.#chosen = { name: file.name, conversation: readConversation(text) };
      this.#remark("");
      this.#draw();
    });
    this.#file.value = "";
  }

  async #start(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#show(undefined);
    this.#setRunning(true);
    try {
      const saved = this.#saved;
      if (saved === undefined) return;
      const { agent } = this.#session;
      const actual = await replay(saved, this.#session.unrecordedClient(), {
        agent,
        signal: running.signal,
        onTurn: (turn) => this.#remark(`Message ${turn} of ${saved.turns.length}`),
      });
      this.#show({ saved, actual });
    } catch (error) {
      if (running.signal.aborted) this.#remark("You have ended the replay");
      else this.#fail(error);
    } finally {
      this.#setRunning(false);
    }
  }

  #setRunning(isRunning: boolean): void {
    this.#stop.hidden = !isRunning;
    this.#replay.hidden = isRunning;
  }

  #show(replayed: Replayed | undefined): void {
    this.#replayed = replayed;
    this.#drawResults();
  }

  #drawResults(): void {
    this.#results.replaceChildren();
    if (this.#replayed === undefined) return;
    const { saved, actual } = this.#replayed;
    const differences = compareConversations(saved, actual, { events: this.#events.checked });
    const turns = saved.turns.map(({ message: { parts } }, index) => {
      const text = parts.map((part) => part.text ?? part.filename ?? "data").join(" ");
      return turnView(
        text,
        differences.filter(({ turn }) => turn === index + 1),
      );
    });
    this.#results.append(...turns);
    const count = new Set(differences.map(({ turn }) => turn)).size;
    const versions = `${saved.agent.version} and ${actual.agent.version}`;
    const differ = count === 1 ? "differs" : "differ";
    const result =
      count === 0
        ? "The agent responds as saved"
        : `${count} of ${countOf(turns.length)} ${differ}`;
    this.#remark(`${result} (versions ${brief(versions, 60)})`);
  }

  async #attempt(action: () => void | Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #remark(text: string): void {
    this.#note.hidden = text === "";
    this.#note.className = "note";
    fill(this.#note, longText(text, 600));
  }

  #fail(error: unknown): void {
    const problem = this.#session.problemOf(error);
    this.#note.hidden = false;
    this.#note.className = "note error";
    fill(this.#note, problemView(problem));
    announce(brief(problem.headline, 300));
  }
}

/** Creates the element for a turn of a replay. */
function turnView(text: string, differences: readonly Difference[]): HTMLElement {
  const isSame = differences.length === 0;
  return h(
    "li",
    { class: isSame ? "same" : "different" },
    h("strong", {}, isSame ? "same" : "different"),
    h("span", {}, brief(text, 120)),
    !isSame && h("ul", {}, ...differences.map((each) => h("li", {}, longText(each.text, 600)))),
  );
}

function describe({ agent, turns }: Conversation): string {
  const { name, binding, version } = agent;
  return brief(`${countOf(turns.length)} to ${name} (${binding} ${version})`, 160);
}

function countOf(count: number): string {
  return `${count} ${count === 1 ? "message" : "messages"}`;
}

/** Returns the name of a file for conversations with an agent. */
function fileName({ name }: ConversationAgent): string {
  const words = name.toLowerCase().match(/[a-z\d]+/g) ?? ["agent"];
  return `conversation-${words.join("-").slice(0, 40)}`;
}
