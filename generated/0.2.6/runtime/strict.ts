// Part of a2a-codegen 0.1.0. Do not edit.

import type { Table } from "./message.js";
import type { Run, Type } from "./schema.js";

/** Checks the fields of an object in their canonical form, in which every field has one name and is taken as it is. */
export type StrictCheck = (table: Table, value: Readonly<Record<string, unknown>>, run: Run) => void;

/** The {@link StrictCheck}, apart from the lenient one so that programs that only read do not carry it. */
export const checkStrictly: StrictCheck = ({ all, oneofs }, value, run) => {
  for (const { name, type, presence, isInherited } of all) {
    const given = isInherited && !Object.hasOwn(value, name) ? undefined : value[name];
    if (given !== undefined) run.at(name, type, given);
    else if (presence === "required") run.at(name, missing, type.name);
  }
  for (const { members, isNeeded, expected } of oneofs) {
    let count = 0;
    for (const member of members) if (Object.hasOwn(value, member) && value[member] !== undefined) count += 1;
    if (count > 1 || (count === 0 && isNeeded)) run.report(expected, value);
  }
};

/** Reports that something is missing; what is given to it is the name of what should be there. */
export const missing: Type<never> = {
  name: "missing",
  check: (expected, run) => run.report(String(expected), undefined),
};
