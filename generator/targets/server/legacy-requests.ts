import type { LegacyDef, Protocol } from "../../protocol/model/types.js";
import { legacyPlaces, type LegacyPlaces } from "./legacy-places.js";
import { isServed } from "../transports/transports.js";
import { Imports } from "../../emit/imports.js";
import { output } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { layoutList, type Expression } from "../../emit/expressions.js";
import { encloseObject, keyOf, quote } from "../../emit/text.js";
import type { FilePlan } from "../../emit/plan.js";

/** Returns whether a server can take names of earlier versions: there are some, and a transport that they stand in. */
export function readsLegacy(protocol: Protocol, targets: ReadonlySet<string>): boolean {
  const isUsable = ({ kind }: LegacyDef): boolean => kind === "methods" || kind === "properties" || kind === "values";
  return targets.has("legacy") && isServed("jsonrpc", protocol, targets) && protocol.legacy.some(isUsable);
}

/** The file with the names of earlier versions that a server can take, and where in requests they stand. */
export function legacyRequestsFile(protocol: Protocol): FilePlan {
  const places = legacyPlaces(protocol);
  const imports = new Imports("server/legacy.ts", ["table", output.acceptLegacy.name]);
  imports.value(runtime.legacyAdapter);
  for (const used of [runtime.AdapterFactory, runtime.LegacyOptions, runtime.LegacyTable]) imports.type(used);
  const view = {
    periods: periodsOf(places.names),
    requests: [...places.requests].map(([operation, type]) => `${keyOf(operation)}: ${quote(type)},`),
    places: placeLines(places),
    unions: unionLines(places),
  };
  return imports.plan("server/legacy", view);
}

/** Old names that were replaced in the same version and may be removed in the same one. */
interface PeriodView {
  readonly since: string;
  readonly until: string;
  readonly lines: readonly string[];
}

/** Groups old names by the versions that they share, and within these by their kinds. */
function periodsOf(names: readonly LegacyDef[]): PeriodView[] {
  const firsts = new Map(names.map(({ since, until }) => [JSON.stringify([since, until]), { since, until }]));
  return [...firsts.values()].map(({ since, until }) => {
    const period = names.filter((name) => name.since === since && name.until === until);
    const lines = (["methods", "properties", "values"] as const).flatMap((kind) => {
      const rows = period.filter((name) => name.kind === kind).map(rowOf);
      return layoutList(kind, rows, 6);
    });
    return { since: quote(since), until: quote(until), lines };
  });
}

function rowOf({ old, type, now, note, value, params, served }: LegacyDef): Expression {
  const strings = Object.entries({ old, type, now, note, value }).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, quote(text)] as const],
  );
  const renamed = Object.entries(params ?? {}).map(([key, name]) => [key, quote(name)] as const);
  return {
    object: {
      ...Object.fromEntries(strings),
      ...(params !== undefined && { params: { object: Object.fromEntries(renamed) } }),
      ...(served === false && { served: "false" }),
    },
  };
}

function placeLines({ fields }: LegacyPlaces): string[] {
  return [...fields].flatMap(([name, places]) => {
    const members = places.map(({ field, type, isMap }) => {
      return `${keyOf(field)}: ${isMap ? `{ mapOf: ${quote(type)} }` : quote(type)}`;
    });
    return encloseObject(`${keyOf(name)}: `, members, ",", 4);
  });
}

function unionLines({ unions }: LegacyPlaces): string[] {
  return [...unions].flatMap(([name, { keys, members }]) => {
    const named = [...members].map(([constant, member]) => `${keyOf(constant)}: ${quote(member)}`);
    const parts = [`keys: [${keys.map(quote).join(", ")}]`, `members: { ${named.join(", ")} }`];
    return encloseObject(`${keyOf(name)}: `, parts, ",", 4);
  });
}
