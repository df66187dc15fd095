import { beforeAll, describe, expect, it } from "vitest";
import { Shapes } from "../../generator/protocol/correlate/shape.js";
import { compareVersions } from "../../support/versions.js";
import type { Protocol, TypeRef, ValueType } from "../../generator/protocol/model/types.js";
import { mapVersions } from "../../generator/protocol/versions/map-versions.js";
import { checkHints } from "../support/unused-hints.js";
import { ResourceNames } from "../../generator/protocol/versions/resource-names.js";
import type { Conversion, VersionLoss } from "../../generator/protocol/versions/types.js";
import { ValidationError, type Validation } from "../../library/runtime/schema/schema.js";
import type { Side } from "../../library/runtime/versions/conversion.js";
import { convert } from "../../library/runtime/versions/convert.js";
import fc, { arbitrary } from "../support/properties.js";
import type { Random } from "../support/random/random.js";
import { Values } from "../support/random/values.js";
import { sized } from "../support/size.js";
import { casesOf, eachType } from "./cases.js";
import { differences, Places } from "./places.js";
import { bundled, versions as bundledVersions, type Module } from "./subjects.js";
import { versionPairs } from "./version-pairs.js";

/** A value that travels: the type of it in both versions, as far as it has one. */
interface Subject {
  readonly names: readonly [string | undefined, string | undefined];
  readonly conversion: Conversion;
}

let known: readonly Protocol[] | undefined;
const protocols = () => (known ??= bundledVersions.map((name) => bundled(name).protocol));

it("each pair of bundled versions has a mapping", () => {
  const all = protocols().slice(sized(-4, 0));
  const found = all.flatMap((one, index) =>
    all.slice(index + 1).map((other) => mapVersions(one, other)),
  );
  expect(found.filter(({ operations }) => operations.length < 7)).toEqual([]);
});

it.each(bundledVersions)(
  "each hint in the manifest of %s is necessary for an earlier version",
  (version) => {
    const all = protocols();
    const later = all[bundledVersions.indexOf(version)] ?? bundled(version).protocol;
    checkHints(
      later,
      all.filter(
        ({ binding }) => compareVersions(binding?.version ?? "", later.binding?.version ?? "") < 0,
      ),
    );
  },
);

describe.each(versionPairs)("the mapping of %s and %s", (earlier, later) => {
  const versions = [bundled(earlier), bundled(later)] as const;
  const { protocol: one } = versions[0];
  const { protocol: other } = versions[1];
  const mapping = mapVersions(one, other);
  const places = [new Places(one), new Places(other)] as const;
  const values = [valuesOf(one), valuesOf(other)] as const;
  const subjects = subjectsOf();
  let validators: readonly [Module, Module];

  beforeAll(async () => {
    validators = [await versions[0].load("validators"), await versions[1].load("validators")];
  });

  function subjectsOf(): Map<string, Subject> {
    const nameOf = (ref: TypeRef | undefined) => (ref?.kind === "named" ? ref.name : undefined);
    const found = mapping.operations.flatMap(({ names, request, response }) => {
      const operations = versions.map(({ protocol }, side) =>
        protocol.operations.find(({ name }) => name === names[side]),
      );
      const of = (part: "request" | "response") =>
        [nameOf(operations[0]?.[part]), nameOf(operations[1]?.[part])] as const;
      return [
        [`the request of ${names[1]}`, { names: of("request"), conversion: request }] as const,
        [`the response of ${names[1]}`, { names: of("response"), conversion: response }] as const,
      ];
    });
    const card = [one.binding?.card?.type, other.binding?.card?.type] as const;
    return new Map([...found, ["the card", { names: card, conversion: mapping.card }]]);
  }

  const isLost = (
    side: Side,
    type: ValueType,
    path: readonly (string | number)[],
    of: "subject" | "other",
  ) => {
    const { along, last } = places[of === "subject" ? side : side === 0 ? 1 : 0].at(type, path);
    return mapping.losses.some((loss: VersionLoss) => {
      if (loss.side !== side) return false;
      return (loss.kind === "field" && along.has(loss[of] ?? "")) || last.has(loss[of] ?? "");
    });
  };

  it("the mapping is the same in reverse order", () => {
    expect(mapVersions(other, one)).toEqual(mapping);
  });

  for (const side of [0, 1] as const) {
    const [from, to] = side === 0 ? [earlier, later] : [later, earlier];
    eachType(
      [...subjects.keys()],
      `the mapping carries %s from ${from} to ${to} and back, except for the reported losses`,
      (name) => {
        const { names, conversion } = subjects.get(name) ?? {};
        const [own, its] = [names?.[side], names?.[side === 0 ? 1 : 0]];
        if (own === undefined || conversion === undefined) return;
        const type = typeNamed(versions[side].protocol.types, own);
        const property = fc.property(
          arbitrary((random) => values[side].of(own, random, 5)),
          (value) => {
            const middle = converted(conversion, value, side, type);
            if (middle === undefined) return;
            if (its !== undefined) {
              const validate = validators[side === 0 ? 1 : 0](`validate${its}`);
              const { issues = [] } = validate(middle) as Validation<unknown>;
              const there = typeNamed(versions[side === 0 ? 1 : 0].protocol.types, its);
              expect(issues.filter(({ path }) => !isLost(side, there, path, "other"))).toEqual([]);
              if (issues.length > 0) return;
            }
            const again = back(conversion, middle, side, its);
            if (again === undefined) return;
            const found = differences(value, again).filter(
              (path) => !isLost(side, type, path, "subject"),
            );
            expect(
              found.map((path) => path.join("/")),
              `${JSON.stringify(value)}\n${JSON.stringify(middle)}`,
            ).toEqual([]);
          },
        );
        fc.assert(property, { numRuns: casesOf(500) });
      },
    );
  }

  /** A value in the other version, or `undefined` if the losses exclude it. */
  function converted(conversion: Conversion, value: unknown, side: Side, type: ValueType) {
    try {
      return convert(mapping.types, conversion, value, side === 0 ? 1 : 0);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      expect(error.issues.filter(({ path }) => !isOneOfSeveral(side, type, path))).toEqual([]);
      return undefined;
    }
  }

  /** A value after a round trip, or `undefined` if the losses exclude the way back. */
  function back(conversion: Conversion, middle: unknown, side: Side, name: string | undefined) {
    try {
      return convert(mapping.types, conversion, middle, side);
    } catch (error) {
      if (!(error instanceof ValidationError) || name === undefined) throw error;
      const type = typeNamed(versions[side === 0 ? 1 : 0].protocol.types, name);
      expect(error.issues.filter(({ path }) => !isLost(side, type, path, "other"))).toEqual([]);
      return undefined;
    }
  }

  /** Returns whether some values or alternatives of what is at a path are lost. */
  function isOneOfSeveral(side: Side, type: ValueType, path: readonly (string | number)[]) {
    const { last } = places[side].at(type, path);
    return mapping.losses.some((loss) => {
      const [owner = ""] = loss.subject.split(".");
      return (
        loss.side === side &&
        (last.has(owner) || last.has(loss.subject)) &&
        loss.kind !== "operation"
      );
    });
  }
});

/** Random values, whose names of resources are names of resources. */
function valuesOf(protocol: Protocol) {
  const names = new ResourceNames(protocol, new Shapes(protocol.types));
  const id = (random: Random) => random.pick(["", "1", "ä-_", "%2F"]);
  return new Values(protocol, {
    enter: (_: unknown, message: string, field: string) => [message, field] as const,
    field: ([message, field]) => {
      const pattern = names.pattern(message, field);
      return (
        pattern && ((random) => pattern.map((part) => (part === "*" ? id(random) : part)).join("/"))
      );
    },
  });
}

function typeNamed(
  types: readonly { readonly name: string; readonly kind: string }[],
  name: string,
): ValueType {
  const kind = types.find((type) => type.name === name)?.kind ?? "message";
  return { kind: kind as "message", name };
}
