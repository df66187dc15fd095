import type { Protocol } from "../../../generator/protocol/model/types.js";
import { mapVersions } from "../../../generator/protocol/versions/map-versions.js";
import { earlier, later, opposite } from "../../../generator/protocol/versions/sides.js";
import type {
  Side,
  VersionLoss,
  VersionMapping,
} from "../../../generator/protocol/versions/types.js";

const kinds: Readonly<Record<VersionLoss["kind"], string>> = {
  operation: "operations",
  error: "errors",
  alternative: "alternatives",
  field: "fields",
  value: "values",
  form: "some values of",
  default: "absent",
};

/** A version for the report: its name for `--spec`, and its protocol. */
export interface ReportedVersion {
  readonly id: string;
  readonly protocol: Protocol;
}

/**
 * Returns the losses between each pair of versions as Markdown. `own` lists the versions of
 * applications.
 */
export function versionsReport(
  versions: readonly ReportedVersion[],
  own: readonly string[],
): string {
  const applications = versions.filter(({ id }) => own.includes(id));
  return applications.flatMap((one) => sectionOf(one, versions)).join("\n");
}

function sectionOf(own: ReportedVersion, versions: readonly ReportedVersion[]) {
  const others = versions.filter(({ id }) => id !== own.id);
  const found = others.map((other) => ({
    other,
    mapping: mapVersions(own.protocol, other.protocol),
  }));
  const rows = found.map(({ other, mapping }) => {
    const side = sideOf(own, mapping);
    const sums = [side, opposite(side)].map((one) => String(countOf(mapping, one)));
    return row([
      other.id,
      String(mapping.operations.length),
      missing(own, other, mapping),
      ...sums,
    ]);
  });
  const head = [
    "Other version",
    "Operations",
    "Not in both",
    `Lost from ${own.id}`,
    `Lost to ${own.id}`,
  ];
  return [
    `### ${own.id} and others\n`,
    row(head),
    row(head.map(() => "---")),
    ...rows,
    "",
    ...found.flatMap(({ other, mapping }) => pairOf(own, other, mapping)),
  ];
}

/**
 * Lists what is lost between two versions: what one has and the other has not, and what arrives
 * otherwise.
 */
function pairOf(own: ReportedVersion, other: ReportedVersion, mapping: VersionMapping) {
  const side = sideOf(own, mapping);
  const parts = [
    ...partOf(own.id, other.id, lossesOf(mapping, side)),
    ...partOf(other.id, own.id, lossesOf(mapping, opposite(side))),
  ];
  if (parts.length === 0) return [];
  return [`<details><summary>${own.id} and ${other.id}</summary>\n`, ...parts, "</details>\n"];
}

function partOf(from: string, to: string, losses: readonly VersionLoss[]) {
  const defaults = losses
    .filter(({ kind }) => kind === "default")
    .map(({ subject }) => code(subject));
  const rest = losses.filter(({ kind }) => kind !== "default");
  const groups = new Map<string, VersionLoss[]>();
  for (const loss of rest) {
    const key = `${loss.kind} ${loss.text}`;
    groups.set(key, [...(groups.get(key) ?? []), loss]);
  }
  const rows = [...groups.values()].map((group) => {
    const [{ kind, text } = { kind: "form" as const, text: "" }] = group;
    const subjects = [...new Set(group.map(({ subject }) => code(subject)))].join(", ");
    return `- ${kinds[kind]} ${subjects}: ${text}.`;
  });
  const missing = [...new Set(defaults)].join(", ");
  return [
    ...(losses.length === 0 ? [] : [`From ${from} to ${to}:\n`]),
    ...(rows.length === 0 ? [] : [...rows, ""]),
    ...(defaults.length === 0 ? [] : [`If absent, these get a default: ${missing}.\n`]),
  ];
}

function lossesOf({ losses }: VersionMapping, side: Side) {
  const order = ["operation", "error", "alternative", "field", "value", "form", "default"];
  const found = losses.filter((loss) => loss.side === side);
  return found.sort((one, two) => order.indexOf(one.kind) - order.indexOf(two.kind));
}

function countOf(mapping: VersionMapping, side: Side) {
  return lossesOf(mapping, side).filter(({ kind }) => kind !== "default").length;
}

/** Returns the operations that only one of two versions has. */
function missing(own: ReportedVersion, other: ReportedVersion, { operations }: VersionMapping) {
  const known = new Set(operations.flatMap(({ names }) => names));
  const names = [own, other].flatMap(({ protocol }) => protocol.operations.map(({ name }) => name));
  const rest = names.filter((name) => !known.has(name));
  return [...new Set(rest)].map(code).join(", ");
}

function sideOf({ protocol }: ReportedVersion, { names }: VersionMapping): Side {
  return names[earlier] === protocol.binding?.version ? earlier : later;
}

function code(text: string) {
  return text === "" ? "" : `\`${text}\``;
}

function row(cells: readonly string[]) {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
