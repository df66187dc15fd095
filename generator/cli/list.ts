import { specRegistry } from "../input/registry.js";
import { targets } from "../targets/registry.js";
import { ExitCode, print, printJson } from "../../tools/terminal/output.js";

const sourceNames = { proto: "proto", schema: "JSON Schema" } as const;

/** Runs `a2a-codegen list`. */
export function listCommand({
  cwd,
  json,
}: {
  readonly cwd: string;
  readonly json: boolean;
}): number {
  const versions = specRegistry(cwd).list();
  if (json) {
    printJson({
      ok: true,
      versions,
      targets: targets.map(({ name, summary, needs }) => ({ name, summary, needs })),
    });
    return ExitCode.ok;
  }
  print("Versions:");
  const [ids, names] = [
    versions.map(({ id }) => id.length),
    versions.map(({ version }) => version.length),
  ];
  for (const { id, version, sources } of versions) {
    print(
      `  ${id.padEnd(Math.max(...ids))}  A2A ${version.padEnd(Math.max(...names))}  ` +
        sources.map((source) => sourceNames[source]).join(" and "),
    );
  }
  print("Targets:");
  const width = Math.max(...targets.map(({ name }) => name.length));
  for (const { name, summary, optIn } of targets)
    print(`  ${name.padEnd(width)}  ${summary}${optIn === true ? "; opt-in" : ""}`);
  return ExitCode.ok;
}
