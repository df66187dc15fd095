import type { Conversion, Member, Side, Sides } from "./conversion.js";

/** A member on its way to one of the versions. */
export interface Step {
  readonly conversion: Conversion;
  /** The keys that lead to it where it comes from, and the only one of them. */
  readonly from: readonly string[] | undefined;
  readonly key: string | undefined;
  /** The keys that lead to it where it goes, and the only one of them. */
  readonly target: readonly string[];
  readonly name: string | undefined;
  readonly fill: unknown;
  readonly isFilled: boolean;
  readonly fact: Member["fact"];
  /** Where there has to be something for the member to go there. */
  readonly within: readonly string[] | undefined;
}

/** What becomes of the members of an object on the way to one of the versions. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Whether a member stands for the whole value. */
  readonly isWhole: boolean;
}

/** Plans are made when they are first needed. */
const plans: Sides<WeakMap<readonly Member[], Plan>> = [new WeakMap(), new WeakMap()];

/** Returns what becomes of members on the way to one of the versions. */
export function planOf(members: readonly Member[], to: Side): Plan {
  const known = plans[to].get(members);
  if (known !== undefined) return known;
  const side = to === 0 ? 1 : 0;
  const steps = members.flatMap(({ at, value: conversion, fill, fact, inside }): Step[] => {
    const [from, target] = [at[side], at[to]];
    if (target === undefined) return [];
    const only = (path?: readonly string[]): string | undefined => (path?.length === 1 ? path[0] : undefined);
    const filled = { fill: fill?.[to], isFilled: fill !== undefined, fact };
    const within = inside === true ? target.slice(0, -1) : undefined;
    return [{ conversion, from, key: only(from), target, name: only(target), ...filled, within }];
  });
  const plan = { steps, isWhole: members.some(({ at }) => at[side]?.length === 0) };
  plans[to].set(members, plan);
  return plan;
}
