import type { ServiceDef } from "../protocol/model/types.js";
import type { TypeMatches } from "./match-types.js";
import type { Change } from "./types.js";

/** Compares the services of two versions. Their rpcs report what changes for peers. */
export function compareServices(matches: TypeMatches<ServiceDef>): Change[] {
  const about = ({ name }: ServiceDef) => ({ subject: "service", name }) as const;
  return [
    ...matches.pairs.flatMap(({ from, to }): Change[] => {
      if (from.name === to.name) return [];
      const breaks = { source: "its client, its interface and their functions have other names" };
      return [{ ...about(from), action: "renamed", to: to.name, breaks }];
    }),
    ...matches.removed.map((service): Change => {
      const breaks = { source: "its client and its interface are removed" };
      return { ...about(service), action: "removed", breaks };
    }),
    ...matches.added.map((service): Change => ({ ...about(service), action: "added", breaks: {} })),
  ];
}
