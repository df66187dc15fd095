import { visible } from "../../../support/visible.js";
import { button, h } from "./dom.js";
import { jsonTokens, type JsonToken } from "./json-tokens.js";
import { longText, LongText, moreText } from "./text.js";

/** Number of tokens that are displayed at first, and that each "Show more" adds. */
const shownAtFirst = 2_000;
const shownMore = 10_000;

/** Number of characters of a string that are displayed at first. */
const shownOfString = 2_000;

/** Text of this length or less is only displayed as JSON if it is valid. */
const maxChecked = 1_000_000;

/**
 * Creates an element for JSON, with line breaks and colors; other text stays unchanged. Displays the
 * beginning of long values, and more on request.
 */
export function jsonView(text: string): HTMLElement {
  const element = h("pre", { class: "json", tabindex: 0 });
  if (!isJson(text)) {
    element.append(longText(text));
    return element;
  }
  const tokens = jsonTokens(text);
  const code = h("code", {});
  const more = button("", () => show(shownMore), { class: "quiet" });
  const show = (count: number): void => {
    let plain = "";
    let end = 0;
    const flush = (): void => {
      code.append(plain);
      plain = "";
    };
    for (let shown = 0; shown < count; shown += 1) {
      const { value } = tokens.next();
      if (value === undefined) {
        flush();
        more.remove();
        return;
      }
      end = value.at;
      const { kind, text: token } = value;
      if (kind === undefined && token.length <= shownOfString) plain += breaksOf(token);
      else {
        flush();
        code.append(tokenView(value));
      }
    }
    flush();
    more.textContent = moreText(text.length - end);
  };
  element.append(code, more);
  show(shownAtFirst);
  return element;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  if (text.length > maxChecked) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function tokenView({ kind, text }: JsonToken): HTMLElement {
  const props = { class: kind && `json-${kind}` };
  if (text.length <= shownOfString) return h("span", props, visible(readable(text)));
  return h("span", props, new LongText(text, shownOfString).element);
}

/** Returns a string with its characters instead of their escapes, unless they need escapes. */
function readable(token: string): string {
  if (!token.includes("\\")) return token;
  try {
    return JSON.stringify(JSON.parse(token));
  } catch {
    return token;
  }
}

/** Keeps the line breaks that the tokens have for display. */
function breaksOf(text: string): string {
  return text.includes("\n") ? text : visible(text);
}
