import { specRegistry } from "../project.js";
import { targets } from "../targets/registry.js";
import { exit, print, printJson } from "./output.js";

const sourceNames = { proto: "proto", schema: "JSON Schema" } as const;

/** `a2a-codegen list`. */
export function listCommand({ cwd, json }: { readonly cwd: string; readonly json: boolean }): number {
  const versions = specRegistry(cwd).list();
  if (json) {
    printJson({ ok: true, versions, targets: targets.map(({ name, summary, needs }) => ({ name, summary, needs })) });
    return exit.fine;
  }
  print("Versions:");
  for (const { id, version, sources } of versions) {
    print(`  ${id.padEnd(12)} A2A ${version.padEnd(10)} ${sources.map((source) => sourceNames[source]).join(" and ")}`);
  }
  print("Targets:");
  for (const { name, summary, onRequest } of targets)
    print(`  ${name.padEnd(12)} ${summary}${onRequest === true ? "; only where it is named" : ""}`);
  return exit.fine;
}
