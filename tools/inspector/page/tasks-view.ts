import { readablePage } from "../../agents/index.js";
import { button, fill, h } from "./dom.js";
import { messageOf, stateText, type Task } from "./model.js";
import type { Session } from "./session.js";
import { brief } from "./text.js";

/** Number of tasks on a page of the list. */
const pageSize = 20;

/** Creates the list of the agent's tasks. */
export function tasksView(session: Session, open: (id: string) => void): HTMLElement {
  const rows = h("tbody", {});
  const note = h(
    "p",
    { role: "status" },
    "Lists the tasks that the agent has for these credentials",
  );
  const more = button("Load more", () => void load(), { hidden: true });
  const table = h(
    "table",
    { hidden: true },
    h("thead", {}, h("tr", {}, ...headings.map(heading))),
    rows,
  );
  let token = "";
  const load = async (): Promise<void> => {
    note.textContent = "Loading…";
    try {
      const request = { pageSize, ...(token !== "" && { pageToken: token }) };
      const page = await readablePage(({ validate }) =>
        session.client(validate).listTasks(request),
      );
      rows.append(...page.tasks.slice(0, 100).map((task) => rowOf(task, open)));
      token = page.nextPageToken;
      more.hidden = token === "";
      table.hidden = rows.childElementCount === 0;
      const problem = page.problem === undefined ? "" : `; ${brief(page.problem, 300)}`;
      note.textContent = `${rows.childElementCount} of ${page.totalSize} tasks${problem}`;
    } catch (error) {
      note.textContent = brief(messageOf(error), 400);
    }
  };
  const reload = button(
    "List tasks",
    () => {
      token = "";
      fill(rows);
      void load();
    },
    { class: "primary" },
  );
  const form = h("form", { class: "bar", onsubmit: (event) => event.preventDefault() });
  const id = h("input", {
    "aria-label": "Id of a task",
    placeholder: "Id of a task",
    spellcheck: "false",
  });
  form.append(reload, h("span", { class: "spacer" }), id, h("button", { type: "submit" }, "Open"));
  form.addEventListener("submit", () => id.value !== "" && open(id.value.trim()));
  return h("div", { class: "page" }, form, note, table, more);
}

const headings = ["Task", "State", "Changed"];

function heading(text: string): HTMLElement {
  return h("th", { scope: "col" }, text);
}

function rowOf({ id, status }: Task, open: (id: string) => void): HTMLElement {
  return h(
    "tr",
    {},
    h(
      "td",
      {},
      button(brief(id, 40), () => open(id), { class: "link" }),
    ),
    h("td", {}, stateText(brief(status.state, 40))),
    h("td", {}, brief(status.timestamp?.replace("T", " ").replace(/\.\d+/, "") ?? "", 30)),
  );
}
