import type { Diagnostics } from "../../../support/diagnostics.js";
import type { Declaration, Scan } from "./scan.js";

/** Reports enum values whose number is out of range, or used twice without `allow_alias`. */
export function checkEnums({ declarations, statements }: Scan, diagnostics: Diagnostics): void {
  const aliased = new Set<string>();
  for (const { tokens, scope } of statements) {
    // option allow_alias = true
    const [option, name, , value] = tokens;
    const allows =
      option?.text === "option" && name?.text === "allow_alias" && value?.text === "true";
    if (allows && scope?.kind === "enum") aliased.add(scope.path);
  }
  const latest = new Map<string, Declaration>();
  for (const declaration of declarations) {
    const { kind, name, number = 0, path, location } = declaration;
    if (kind !== "value") continue;
    if (number < -2_147_483_648 || number > 2_147_483_647) {
      const message = `value "${name}" has the number ${number}, which is not a 32-bit integer`;
      diagnostics.add(location, message, "Use a number from -2147483648 to 2147483647");
    }
    const owner = path.slice(0, path.lastIndexOf("."));
    const key = `${owner}=${number}`;
    const earlier = latest.get(key);
    if (earlier !== undefined && !aliased.has(owner)) {
      const message =
        `value "${name}" has the same number ${number} as "${earlier.name}" in line ` +
        `${earlier.location.line}`;
      diagnostics.add(
        location,
        message,
        "Use another number, or add `option allow_alias = true;` to the enum",
      );
    }
    latest.set(key, declaration);
  }
}

/** Reports enums whose first value is not 0, as proto3 requires. */
export function checkFirstValues({ declarations }: Scan, diagnostics: Diagnostics): void {
  for (const [at, { kind, name, location }] of declarations.entries()) {
    const next = declarations[at + 1];
    if (kind !== "enum" || (next?.kind === "value" && next.number === 0)) continue;
    const hint = "Add a first value with the number 0, such as …_UNSPECIFIED";
    diagnostics.add(location, `enum "${name}" does not start with the value 0`, hint);
  }
}
