import { Buffer } from "node:buffer";
import { renderMermaidSVG } from "beautiful-mermaid";

const themes = [
  ["light", { bg: "#ffffff", fg: "#3c3c43" }],
  ["dark", { bg: "#1b1b1f", fg: "#dfdfd6" }],
];

/**
 * Renders a Mermaid diagram as images for the light and the dark theme. Browsers run no scripts in
 * images, and the images load nothing: the font of the renderer is replaced by a font of the
 * system.
 */
export function diagram(source) {
  const label = escapeAttribute(`Diagram: ${source.trim().replaceAll(/\s+/g, " ")}`);
  const images = themes.map(([theme, colors]) => {
    const svg = renderMermaidSVG(source, { ...colors, font: "system-ui" }).replace(
      /@import url\([^)]*\);/,
      "",
    );
    const data = Buffer.from(svg).toString("base64");
    return (
      `<img class="diagram ${theme}-only" alt="${label}" ` +
      `src="data:image/svg+xml;base64,${data}">`
    );
  });
  return `<p v-pre>${images.join("")}</p>\n`;
}

function escapeAttribute(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
