import { visibleLines } from "../../../support/visible.js";
import { confirmLink, outsideLink } from "./confirm.js";
import { h, type Child } from "./dom.js";
import { beforeFrame } from "./frames.js";
import { GrowingMarkdown, type Block, type Cell } from "./markdown.js";
import type { Inline, InlineTag } from "./markdown-inline.js";
import { brief, type Display } from "./text.js";

/** Deepest nesting of tags in a line. */
const maxTags = 16;

/** Part of the time that drawing may take while a text grows: one of this many milliseconds. */
const share = 10;

/** Displays text that grows as formatted Markdown. */
export class MarkdownDisplay implements Display {
  readonly element = h("div", { class: "markdown" });
  readonly #markdown = new GrowingMarkdown();
  #open: Node[] = [];
  #pending = "";
  #waits = false;
  #nextAt = 0;

  append(text: string): void {
    this.#pending += text;
    if (this.#waits) return;
    this.#waits = true;
    // A long block is drawn again with each chunk of text, so draw it less often.
    const delay = this.#nextAt - performance.now();
    if (delay > 0) setTimeout(() => beforeFrame(this.#draw), delay);
    else beforeFrame(this.#draw);
  }

  readonly #draw = (): void => {
    const started = performance.now();
    this.#waits = false;
    const { settled, open } = this.#markdown.append(this.#pending);
    this.#pending = "";
    for (const node of this.#open) node.parentNode?.removeChild(node);
    this.#open = open.map(blockView);
    this.element.append(...settled.map(blockView), ...this.#open);
    const ended = performance.now();
    this.#nextAt = ended + share * (ended - started);
  };
}

function blockView(block: Block): HTMLElement {
  switch (block.kind) {
    case "paragraph":
      return h("p", {}, inlineView(block.content));
    case "heading":
      // The page itself is the first level.
      return h(headings[block.level - 1] ?? "h6", {}, inlineView(block.content));
    case "code":
      return h(
        "pre",
        { tabindex: 0 },
        block.language !== "" && h("small", {}, brief(block.language, 500)),
        h("code", {}, visibleLines(block.text)),
      );
    case "quote":
      return h("blockquote", {}, block.blocks.map(blockView));
    case "list": {
      const items = block.items.map((item) => h("li", {}, itemView(item)));
      return block.start === undefined
        ? h("ul", {}, items)
        : h("ol", { start: block.start }, items);
    }
    case "table":
      return tableView(block.head, block.rows);
    case "rule":
      return h("hr", {});
  }
}

const headings = ["h2", "h3", "h4", "h5", "h6", "h6"] as const;

/** Displays the text of an item beside its marker. */
function itemView(blocks: readonly Block[]): Child[] {
  return blocks.map((block) =>
    block.kind === "paragraph" ? h("span", {}, inlineView(block.content)) : blockView(block),
  );
}

function tableView(head: readonly Cell[], rows: readonly (readonly Cell[])[]): HTMLElement {
  const rowView = (name: "th" | "td", cells: readonly Cell[]): HTMLElement =>
    h(
      "tr",
      {},
      cells.map((cell) => h(name, {}, inlineView(cell))),
    );
  return h(
    "div",
    { class: "table", tabindex: 0 },
    h(
      "table",
      {},
      h("thead", {}, rowView("th", head)),
      h(
        "tbody",
        {},
        rows.map((cells) => rowView("td", cells)),
      ),
    ),
  );
}

/** Creates the nodes of a line. Tags that are nested too deeply, and links in links, are text. */
function inlineView(content: readonly Inline[]): Node {
  const root = document.createDocumentFragment();
  const path: (HTMLElement | undefined)[] = [];
  let parent: ParentNode = root;
  let isInLink = false;
  for (const token of content) {
    if (token.kind === "text") parent.append(visibleLines(token.text));
    else if (token.kind === "code") parent.append(h("code", {}, visibleLines(token.text)));
    else if (token.kind === "open") {
      const isText = path.length >= maxTags || (token.tag.kind === "link" && isInLink);
      const element = isText ? undefined : tagView(token.tag);
      if (element instanceof HTMLAnchorElement) isInLink = true;
      if (element !== undefined) parent.append(element);
      path.push(element);
      parent = element ?? parent;
    } else {
      const closed = path.pop();
      if (closed === undefined) continue;
      if (closed instanceof HTMLAnchorElement) isInLink = false;
      parent = path.findLast((element) => element !== undefined) ?? root;
    }
  }
  return root;
}

function tagView(tag: InlineTag): HTMLElement {
  return tag.kind === "link" ? linkView(tag.url, tag.title) : h(tag.kind);
}

/** Creates a link that displays its address before the browser follows it. */
function linkView(url: string, title: string): HTMLElement {
  const link = outsideLink(url, "");
  if (title !== "") link.title = brief(title, 500);
  const ask = (event: Event): void => {
    event.preventDefault();
    void confirmLink(url);
  };
  link.addEventListener("click", ask);
  // The middle button follows links, too.
  link.addEventListener("auxclick", (event) => event.button === 1 && ask(event));
  return link;
}
