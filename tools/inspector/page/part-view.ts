import { AgentText } from "./agent-text.js";
import { button, h } from "./dom.js";
import type { Part } from "./model.js";
import type { Session } from "./session.js";
import { brief, jsonText, longText, sizeText, toJson } from "./text.js";

/** Types of images that browsers display without running scripts or loading other files. */
const images = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];

/** Maximum size in bytes of an image that is displayed before the user requests it. */
const maxPreview = 2 ** 23;

/** Creates the element for a part that an agent has sent. */
export function partView(part: Part, session: Session): HTMLElement {
  if (part.text === undefined) return sentView(part, session);
  return new AgentText(part.mediaType, part.text).element;
}

/** Creates the element for a part of the user's message, with the text as the user wrote it. */
export function sentView(part: Part, session: Session): HTMLElement {
  const { filename, mediaType = "" } = part;
  const name = filename ?? "file";
  if (part.text !== undefined) return longText(part.text);
  if (part.raw !== undefined) return fileView(name, mediaType, bytesOf(part.raw));
  if (part.url !== undefined) return linkView(name, mediaType, part.url, session);
  return h(
    "div",
    { class: "data" },
    h("span", { class: "tag" }, "data"),
    jsonText(toJson(part.data)),
  );
}

/** Decodes base64. Returns an empty array if the input is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
      sign.charCodeAt(0),
    );
  } catch {
    return new Uint8Array();
  }
}

function fileView(name: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>): HTMLElement {
  const label = brief(name, 60);
  // Use a type that the browser does not display. If it opened the file as a page, the page would
  // have this origin.
  const file = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const about = [brief(mediaType, 40), sizeText(bytes.length)]
    .filter((text) => text !== "")
    .join(", ");
  const isImage = images.includes(mediaType.toLowerCase()) && bytes.length <= maxPreview;
  return h(
    "figure",
    { class: "file" },
    isImage &&
      h("img", { src: URL.createObjectURL(new Blob([bytes], { type: mediaType })), alt: label }),
    h(
      "figcaption",
      {},
      h("a", { href: file, download: name.replace(/[/\\]/g, "_") }, `Download ${label}`),
      h("small", {}, about),
    ),
  );
}

/**
 * Creates the element for a file that the agent links to. The page only loads the file if the user
 * requests it, because the request tells the agent when the file is read.
 */
function linkView(name: string, mediaType: string, url: string, session: Session): HTMLElement {
  const status = h("small", { role: "status" }, brief(mediaType, 40));
  const load = button(`Load ${brief(name, 60)}`, () => {
    load.disabled = true;
    status.textContent = "Loading…";
    void session.download(url).then(
      ({ bytes, type }) =>
        element.replaceWith(fileView(name, mediaType === "" ? type : mediaType, bytes)),
      (error: unknown) => {
        load.disabled = false;
        status.textContent = error instanceof Error ? error.message : String(error);
      },
    );
  });
  const element = h(
    "figure",
    { class: "file" },
    h("code", {}, brief(url, 200)),
    h("figcaption", {}, load, status),
  );
  return element;
}
