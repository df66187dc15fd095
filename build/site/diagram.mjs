import { Buffer } from "node:buffer";
import { renderMermaidSVG } from "beautiful-mermaid";

const themes = [
  ["light", { bg: "#ffffff", fg: "#2c2c33", muted: "#45454e", line: "#767680", border: "#8a8a94" }],
  ["dark", { bg: "#1b1b1f", fg: "#f2f2ec", muted: "#d0d0c8", line: "#9a9a94", border: "#85857f" }],
];

/**
 * The renderer computes boxes for the wide letters of Inter at 11 pixels. In these fonts, labels of
 * 12 pixels fit into them.
 */
const look = {
  font: "Arial', 'Helvetica Neue', 'Liberation Sans', 'DejaVu Sans Condensed",
  padding: 8,
  nodeSpacing: 16,
  layerSpacing: 24,
};

/**
 * Renders a Mermaid diagram as images for the light and the dark theme. Browsers run no scripts in
 * images, and the images load nothing: the font of the renderer is replaced by a font of the
 * system.
 */
export function diagram(source) {
  const label = escapeAttribute(`Diagram: ${source.trim().replaceAll(/\s+/g, " ")}`);
  const images = themes.map(([theme, colors]) => {
    const svg = renderMermaidSVG(source, { ...colors, ...look })
      .replace(/@import url\([^)]*\);/, "")
      .replaceAll('font-size="11"', 'font-size="12"')
      // Borders of labels look like nodes.
      .replaceAll('stroke="var(--_inner-stroke)"', "");
    const [, width, height] = / width="([\d.]+)" height="([\d.]+)"/.exec(svg).map(Math.ceil);
    const data = Buffer.from(svg).toString("base64");
    return (
      `<img class="${theme}-only" alt="${label}" ` +
      `width="${width}" height="${height}" ` +
      `src="data:image/svg+xml;base64,${data}">`
    );
  });
  return `<div class="diagram" tabindex="0" v-pre>${images.join("")}</div>\n`;
}

function escapeAttribute(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
