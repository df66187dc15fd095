import type { LegacyDef, Protocol } from "../../protocol/model/types.js";
import { legacyPlaces, type LegacyPlaces } from "./legacy-places.js";
import { isServed } from "../transports/transports.js";
import { Imports } from "../../emit/imports.js";
import { output } from "../../emit/output-modules.js";
import { runtime } from "../../emit/runtime-modules.js";
import { encloseObject, keyOf, quote } from "../../emit/text.js";
import type { FilePlan } from "../../emit/plan.js";

/** Tells whether a server can take names of earlier versions: there are some, and a transport that they stand in. */
export function readsLegacy({ legacy, wire }: Protocol, targets: ReadonlySet<string>): boolean {
  const isUsable = ({ kind }: LegacyDef): boolean => kind === "methods" || kind === "properties" || kind === "values";
  return targets.has("legacy") && isServed("jsonrpc", wire, targets) && legacy.some(isUsable);
}

/** The file with the names of earlier versions that a server can take, and where in requests they stand. */
export function legacyRequestsFile(protocol: Protocol): FilePlan {
  const places = legacyPlaces(protocol);
  const imports = new Imports("server/legacy.ts", ["table", output.acceptLegacy.name]);
  imports.value(runtime.legacyAdapter);
  for (const used of [runtime.AdapterFactory, runtime.LegacyOptions, runtime.LegacyTable]) imports.type(used);
  const view = {
    names: places.names.map(nameLines),
    requests: [...places.requests].map(([operation, type]) => `${keyOf(operation)}: ${quote(type)},`),
    places: placeLines(places),
    unions: unionLines(places),
  };
  return imports.plan("server/legacy", view);
}

function nameLines({ kind, old, type, now, since, until, note, value, params, served }: LegacyDef): string[] {
  const texts = Object.entries({ kind, old, type, now, since, until, note, value }).flatMap(([key, text]) =>
    text === undefined ? [] : [`${key}: ${quote(text)}`],
  );
  const renamed = Object.entries(params ?? {}).map(([key, name]) => `${keyOf(key)}: ${quote(name)}`);
  const rest = [
    ...(params === undefined ? [] : [`params: { ${renamed.join(", ")} }`]),
    ...(served === false ? ["served: false"] : []),
  ];
  return encloseObject("", [...texts, ...rest], ",", 4);
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
