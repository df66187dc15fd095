import { unmetText } from "../expected.js";
import { visible } from "../../../support/visible.js";
import { levels, type Level } from "../rule.js";
import { shortened } from "./evidence.js";
import { byLevel, factsOf, groupsOf, isAlike, type RuleGroup } from "./groups.js";
import { isUnexpected, type Judged } from "./summary.js";

/** Maximum length of the text of an annotation. */
const maxMessage = 1_000;

/**
 * Returns the report for the log of GitHub Actions: an annotation for each failed rule, and the
 * text report. GitHub executes lines that are commands, and lines of the text report come from the
 * agent. So the text report is between lines that stop and resume commands.
 *
 * @param text The text report
 * @param token Random text, which an agent cannot know
 */
export function githubReport(judged: Judged, text: readonly string[], token: string): string[] {
  const failures = groupsOf(judged.results.filter(isUnexpected));
  return [
    ...byLevel(failures).flatMap(({ level, groups }) =>
      groups.map((group) => annotationOf(group, kindOf(level, judged.failOn))),
    ),
    ...judged.unmet.map((entry) =>
      command("error", `Expected failure ${entry.id}`, [`${unmetText(entry)}: remove it`]),
    ),
    `::stop-commands::${token}`,
    ...text,
    `::${token}::`,
  ];
}

/** Rules that make the probe fail are errors. */
function kindOf(level: Level, failOn: Level): string {
  if (levels.indexOf(level) <= levels.indexOf(failOn)) return "error";
  return level === "should" ? "warning" : "notice";
}

function annotationOf({ id, title, lanes, first, others }: RuleGroup, kind: string): string {
  const further = others
    .filter(({ reason }) => !isAlike(reason, first.reason))
    .map(({ lane, reason }) => `${lane}: ${reason}`);
  const heading = `${id} on ${lanes.join(", ")} (${factsOf(first)})`;
  return command(kind, heading, [title, first.reason, ...further]);
}

/** Returns a command with a title and lines of text. */
function command(kind: string, title: string, lines: readonly string[]): string {
  const text = shortened(lines.map(visible).join("\n"), maxMessage);
  return `::${kind} title=${property(visible(title))}::${data(text)}`;
}

/** Escapes a text after a command. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a property, which ends at a colon or a comma. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
