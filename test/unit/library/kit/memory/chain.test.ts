import { expect, it } from "vitest";
import { Chain, type Link } from "../../../../../library/kit/memory/chain.js";
import { Random } from "../../../../support/random/random.js";

class Element implements Link<Element> {
  previous: Element | undefined = undefined;
  next: Element | undefined = undefined;
}

it("a chain contains the same elements in the same order as a set", () => {
  const random = new Random(7);
  const chain = new Chain<Element>();
  const set = new Set<Element>();
  for (let step = 0; step < 1_000; step += 1) {
    const chosen = [...set][random.below(set.size * 2 + 1)];
    if (chosen === undefined) {
      const element = new Element();
      chain.add(element);
      set.add(element);
    } else {
      chain.remove(chosen);
      set.delete(chosen);
      expect([chosen.previous, chosen.next]).toEqual([undefined, undefined]);
    }
    expect(chain.size).toBe(set.size);
    const elements = [...set];
    expect([...chain].every((element, at) => element === elements[at])).toBe(true);
  }
});
