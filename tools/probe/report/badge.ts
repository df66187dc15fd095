import { visible } from "../../../support/visible.js";
import { isFailure } from "../result.js";
import { groupsOf } from "./groups.js";
import { markup } from "./markup.js";
import { isUnexpected, type Judged } from "./summary.js";

/** Width of a character in the font of the badge, in pixels. */
const characterWidth = 6.5;

const colors = { passed: "#1f7a1f", known: "#8f5200", failed: "#b3261e", none: "#5f6368" };

/**
 * Returns an SVG badge with the number of `must` rules that the agent follows on all interfaces.
 * The badge has no scripts and no external resources.
 */
export function badgeReport({ report, results }: Judged): string[] {
  const checks = results.filter(({ level, state }) => level === "must" && state !== "skip");
  const groups = groupsOf(checks).map(({ first, others }) => [first, ...others]);
  const failed = groups.filter((group) => group.some(isFailure)).length;
  const unexpected = groups.filter((group) => group.some(isUnexpected)).length;
  const passed = groups.length - failed;
  const label = "A2A must rules";
  const counts = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  const value = groups.length === 0 ? "not checked" : counts;
  const known = failed === 0 ? colors.passed : colors.known;
  const checked = unexpected === 0 ? known : colors.failed;
  const color = groups.length === 0 ? colors.none : checked;
  const [left, right] = [widthOf(label), widthOf(value)];
  const title = `${visible(report.agent).slice(0, 100) || "Agent"}: ${label}: ${value}`;
  const size = markup`width="${left + right}" height="20"`;
  const font = markup`font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"`;
  const lines = [
    markup`<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`,
    markup`<title>${title}</title>`,
    markup`<rect ${size} fill="#3c4043"/>`,
    markup`<rect x="${left}" width="${right}" height="20" fill="${color}"/>`,
    markup`<g fill="#fff" ${font}>`,
    markup`<text x="6" y="14" textLength="${left - 12}">${label}</text>`,
    markup`<text x="${left + 6}" y="14" textLength="${right - 12}">${value}</text>`,
    markup`</g></svg>`,
  ];
  return lines.map(String);
}

/** Returns the width of a text with its padding. */
function widthOf(text: string): number {
  return Math.ceil(text.length * characterWidth) + 12;
}
