import { agentView } from "./agent-view.js";
import { callsView } from "./calls-view.js";
import { Chat } from "./chat.js";
import { Command } from "./command.js";
import { headersField } from "./credentials-view.js";
import { confirmOrigin } from "./confirm.js";
import { ConversationView } from "./conversation-view.js";
import { announce, button, byId, fill, h } from "./dom.js";
import { HooksView } from "./hooks-view.js";
import { readLink, writeLink } from "./link.js";
import { problemView } from "./problem-view.js";
import { problemOf, type Problem } from "./problems.js";
import { nameOf, Session, withScheme } from "./session.js";
import { brief } from "./text.js";
import { TasksView } from "./tasks-view.js";
import { TimelineView } from "./timeline-view.js";

/** Names and panels of the page, in the order of display. */
type Panels = readonly (readonly [string, HTMLElement])[];

/** Creates buttons that display one of several panels. */
function switcher(
  label: string,
  panels: Panels,
  setVisible: (panel: HTMLElement, isVisible: boolean) => void,
) {
  const select = (wanted: HTMLElement): void => {
    panels.forEach(([, panel], index) => {
      setVisible(panel, panel === wanted);
      buttons[index]?.setAttribute("aria-pressed", String(panel === wanted));
    });
  };
  const buttons = panels.map(([name, panel]) => button(name, () => select(panel)));
  const [first] = panels;
  if (first !== undefined) select(first[1]);
  return {
    element: h("div", { class: "tabs", role: "group", "aria-label": label }, ...buttons),
    select,
  };
}

async function start(): Promise<void> {
  const session = new Session(await Command.open(confirmOrigin));
  const chat = new Chat(session);
  const hooks = new HooksView(session);
  const tasks = new TasksView(session, chat.tasks, {
    show: (id) => {
      tabs.select(chat.element);
      void chat.show(id);
    },
    showTimeline: (id) => showTimeline(id),
  });
  const { current } = chat.tasks;
  const timeline = new TimelineView({ session, task: current, delivery: hooks.latest });
  const showTimeline = (id: string): void => {
    tabs.select(timeline.element);
    timeline.open(id);
    timeline.focus();
  };
  const conversation = new ConversationView(session);
  const talk: Panels = [
    ["Chat", chat.element],
    ["Tasks", tasks.element],
    ["Timeline", timeline.element],
    ["Webhooks", hooks.element],
    ["Replay", conversation.element],
  ];
  const tabs = switcher("View", talk, (panel, isVisible) => {
    panel.hidden = !isVisible;
    if (isVisible && panel === tasks.element) tasks.open();
    if (isVisible && panel === timeline.element) timeline.open();
  });
  current.watch((task) => hooks.setCurrent(task?.id ?? ""));
  chat.showTimeline = showTimeline;
  chat.addHook = (taskId) => {
    tabs.select(hooks.element);
    void hooks.add(taskId);
  };
  const tryExample = (example: string): void => {
    areaTabs.select(byId("talk"));
    tabs.select(chat.element);
    chat.fill(example);
  };
  byId("agent").append(agentView(session, tryExample));
  byId("talk").append(tabs.element, ...talk.map(([, panel]) => panel));
  byId("calls").append(callsView(session));
  const areas: Panels = [
    ["Agent", byId("agent")],
    ["Talk", byId("talk")],
    ["Calls", byId("calls")],
  ];
  const areaTabs = switcher("Area", areas, (panel, isVisible) =>
    panel.classList.toggle("current", isVisible),
  );
  byId("areas").append(areaTabs.element);
  // A narrow screen displays one area.
  areaTabs.select(byId("talk"));
  showOpening(session);
  bindAddress(session);
  followLink(session, chat);
}

function showOpening(session: Session): void {
  const status = byId("status");
  const again = (): void => void session.open(session.url);
  session.opening.watch(({ state, message, problem }) => {
    document.body.className = state;
    status.hidden = message === undefined;
    fill(status, brief(message ?? "", 600));
    fill(byId("start"), state === "none" ? welcome() : problem && failureView(problem));
    if (state === "open")
      announce(`Connected to ${brief(session.report.value?.card?.name ?? session.url, 100)}`);
    else if (problem !== undefined) announce(brief(problem.headline, 300));
  });

  /** Without a card, the schemes are unknown, so the user can only enter headers. */
  function failureView(problem: Problem): HTMLElement {
    const fields = problem.needsCredentials === true ? [headersField(session)] : [];
    return h("div", { class: "note error" }, problemView(problem, again, ...fields));
  }
}

/** Creates the text of the page before the user has named an agent. */
function welcome(): HTMLElement {
  return h(
    "div",
    { class: "welcome" },
    h("h2", {}, "Which agent should the inspector open?"),
    h(
      "p",
      {},
      "Enter its URL above, for example ",
      h("code", {}, "http://127.0.0.1:4000"),
      ". The inspector reads the card of the agent, and tests its interfaces.",
    ),
    h("p", {}, "To try the page without an agent, start one, and enter the URL that it prints:"),
    h("pre", { tabindex: 0 }, "npx -p a2a-codegen a2a demo-server"),
  );
}

function bindAddress(session: Session): void {
  const input = byId("url") as HTMLInputElement;
  byId("address").addEventListener("submit", (event) => {
    event.preventDefault();
    const url = input.value.trim();
    // The user has typed this URL. A URL from a link is confirmed by the dialog instead.
    if (url !== "") void session.command.allow(withScheme(url)).then(() => session.open(url));
  });
}

/** Opens the agent of the link, and keeps the link up to date. */
function followLink(session: Session, chat: Chat): void {
  const input = byId("url") as HTMLInputElement;
  const update = (): void => {
    const target = session.selected.value;
    if (session.opening.value.state !== "open") return;
    const link = {
      url: session.url,
      interface: target === undefined ? "" : nameOf(target),
      task: chat.tasks.current.value?.id ?? "",
    };
    history.replaceState(null, "", writeLink(link));
  };
  session.selected.watch(update);
  session.opening.watch(update);
  chat.tasks.current.watch(update);
  const open = async (): Promise<void> => {
    const link = readLink(location.hash);
    // A page that an agent serves does not follow links to other URLs, because its requests may
    // contain cookies.
    const isOwn = link.url === "" || session.command.config.isAgent === true;
    const url = isOwn ? session.command.agentUrl : link.url;
    input.value = url;
    if (url === "") {
      input.focus();
      return;
    }
    await session.open(url, link);
    if (link.task !== "" && session.opening.value.state === "open") await chat.show(link.task);
  };
  addEventListener("hashchange", () => void open());
  void open();
}

start().catch((error: unknown) => {
  document.body.className = "failed";
  fill(byId("start"), problemView(problemOf(error)));
});
