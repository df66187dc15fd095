import { specRegistry } from "../input/registry.js";
import { targets } from "../targets/registry.js";
import { exit, print, printJson } from "./output.js";

const sourceNames = { proto: "proto", schema: "JSON Schema" } as const;

/** `a2a-codegen list`. */
export function listCommand({ cwd, json }: { readonly cwd: string; readonly json: boolean }): number {
  const versions = specRegistry(cwd).list();
  if (json) {
    printJson({
      ok: true,
      versions,
      targets: targets.map(({ name, summary, needs, brings }) => ({ name, summary, needs, brings })),
    });
    return exit.fine;
  }
  print("Versions:");
  for (const { id, version, sources } of versions) {
    print(`  ${id.padEnd(12)} A2A ${version.padEnd(10)} ${sources.map((source) => sourceNames[source]).join(" and ")}`);
  }
  print("Targets:");
  for (const { name, summary, onRequest, brings } of targets) {
    const along = brings === undefined ? "" : `; brings ${brings.join(", ")} along`;
    print(`  ${name.padEnd(12)} ${summary}${along}${onRequest === true ? "; only where it is named" : ""}`);
  }
  return exit.fine;
}
