import type { Conversion, Member, Side, Sides, TypeConversions } from "./conversion.js";

/** Step that converts one member in one direction. */
export interface Step {
  readonly conversion: Conversion;
  /** The path in the source, and its key if the path has only one key. */
  readonly from: readonly string[] | undefined;
  readonly key: string | undefined;
  /** The path in the target, and its key if the path has only one key. */
  readonly target: readonly string[];
  readonly name: string | undefined;
  readonly fill: unknown;
  readonly isFilled: boolean;
  readonly fact: Member["fact"];
  /** The path of an object that must exist. Otherwise, the member is not set. */
  readonly within: readonly string[] | undefined;
}

/** Steps that convert the members of an object in one direction. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Whether a step reads the whole value instead of a member. */
  readonly readsWhole: boolean;
}

/** The plans for each target version, which are created when they are first needed. */
const plans: Sides<WeakMap<readonly Member[], Plan>> = [new WeakMap(), new WeakMap()];

/** Returns the plan that converts members to the version `to`. */
export function planOf(members: readonly Member[], to: Side): Plan {
  const known = plans[to].get(members);
  if (known !== undefined) return known;
  const side = to === 0 ? 1 : 0;
  const singleKey = (path?: readonly string[]): string | undefined =>
    path?.length === 1 ? path[0] : undefined;
  const steps = members.flatMap(({ at, value: conversion, fill, fact, inside }): Step[] => {
    const from = at[side];
    const target = at[to];
    if (target === undefined) return [];
    const keys = { key: singleKey(from), name: singleKey(target) };
    const filled = { fill: fill?.[to], isFilled: fill !== undefined, fact };
    const within = inside === true ? target.slice(0, -1) : undefined;
    return [{ conversion, from, target, ...keys, ...filled, within }];
  });
  const plan = { steps, readsWhole: members.some(({ at }) => at[side]?.length === 0) };
  plans[to].set(members, plan);
  return plan;
}

/**
 * Returns the names of members in the version `from`, including the members of a type that is the
 * whole value.
 */
export function keysOf(
  types: TypeConversions,
  members: readonly Member[],
  from: Side,
): (string | undefined)[] {
  return members.flatMap(({ at, value }) => {
    const path = at[from];
    if (path?.length !== 0) return [path?.[0]];
    const type = value.kind === "type" ? types[value.name] : undefined;
    return type?.kind === "object" ? keysOf(types, type.fields, from) : [];
  });
}
