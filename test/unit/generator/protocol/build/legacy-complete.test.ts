import { describe, expect, it } from "vitest";
import { compareVersions, releaseOf } from "../../../../../support/versions.js";
import type { LegacyDef } from "../../../../../generator/protocol/model/types.js";
import { has, isUsed, readVersions, unaccounted, type Version } from "./legacy-history.js";

const versions = readVersions();

/**
 * Tells whether a version lies behind all that have something, and not behind the first that
 * differs.
 */
function isBetween(since: string, last: Version | undefined, first: Version | undefined) {
  const isAfter = last === undefined || compareVersions(since, releaseOf(last.id)) > 0;
  return isAfter && first !== undefined && compareVersions(since, releaseOf(first.id)) <= 0;
}

/** Error in the version that an entry names as the first version with the new name, if any. */
function sinceProblem(entry: LegacyDef, version: Version) {
  const all = [...version.earlier, version];
  const last = all.findLastIndex((one) => has(one, entry, version));
  const next = all.findIndex(
    (one, index) => index > last && has(one, { kind: entry.kind, old: entry.now }, version),
  );
  // A name that was renamed twice is old since it first was.
  const plausible =
    isBetween(entry.since, all[last], all[last + 1]) ||
    (next > 0 && isBetween(entry.since, all[next - 1], all[next]));
  return plausible ? undefined : `${entry.kind} ${entry.old}: since ${entry.since}`;
}

describe.each(versions.map((version) => [version.id, version] as const))(
  "the legacy section of %s",
  (_, version) => {
    const { protocol, earlier, names } = version;

    it("the section covers all names of earlier versions", () => {
      expect(unaccounted(version)).toEqual([]);
    });

    it("the section only renames and removes names that earlier versions have and this version does not", () => {
      const strange = protocol.legacy.filter(
        (entry) => !earlier.some((one) => has(one, entry, version)),
      );
      expect(strange.map(({ kind, old }) => `${kind} ${old}`)).toEqual([]);
      expect(protocol.legacy.filter(({ kind, old }) => names[kind].has(old))).toEqual([]);
      const idle = protocol.removed.filter((entry) => !isUsed(version, entry));
      expect(idle.map(({ kind, old }) => `${kind} ${old}`)).toEqual([]);
    });

    it("the section refers to names of this version", () => {
      expect(protocol.legacy.filter(({ kind, now }) => !names[kind].has(now))).toEqual([]);
    });

    it("the section does not mistake a member of a JSON-RPC envelope for a parameter with the same current name", () => {
      const envelopes = earlier.flatMap((one) =>
        one.protocol.types.filter(
          (type) => type.kind === "message" && type.fields.some(({ name }) => name === "jsonrpc"),
        ),
      );
      const members = envelopes.flatMap((type) => {
        const aliases = protocol.legacy.filter(
          ({ kind, old }) => kind === "types" && old === type.name,
        );
        const owners = [type.name, ...aliases.map(({ now }) => now)];
        return type.kind === "message"
          ? type.fields.flatMap(({ name }) => owners.map((owner) => `${owner}.${name}`))
          : [];
      });
      expect(
        protocol.legacy.filter(({ kind, old }) => kind === "properties" && members.includes(old)),
      ).toEqual([]);
    });

    it("the section gives the same version for a change as the models do", () => {
      expect(protocol.legacy.flatMap((entry) => sinceProblem(entry, version) ?? [])).toEqual([]);
      const early = protocol.removed.filter(
        ({ since }) =>
          compareVersions(since, releaseOf(version.id)) > 0 ||
          earlier.every(({ id }) => compareVersions(since, releaseOf(id)) <= 0),
      );
      expect(early).toEqual([]);
    });
  },
);

it("the check reports a name that is neither renamed nor removed", () => {
  const version = versions.at(-1);
  if (version === undefined) throw new Error("Unknown version");
  const protocol = { ...version.protocol, legacy: [], removed: [] };
  const lost = unaccounted({ ...version, protocol });
  expect(lost).toEqual(
    expect.arrayContaining(["types TextPart", "methods message/send", "values Role.user"]),
  );
  expect(lost.length).toBeGreaterThan(200);
});
