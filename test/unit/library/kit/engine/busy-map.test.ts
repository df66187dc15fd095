import { describe, expect, it } from "vitest";
import { BusyMap } from "../../../../../library/kit/engine/busy-map.js";

describe("BusyMap", () => {
  it("a map returns the values that were set last and not deleted", () => {
    const map = new BusyMap<string>();
    map.set("a", "one");
    map.set("b", "two");
    map.set("a", "three");
    map.delete("b", "two");
    map.delete("c", "two");
    expect([map.get("a"), map.get("b"), map.values()]).toEqual(["three", undefined, ["three"]]);
  });

  it("a map returns the value that it replaces, and does not delete a key that has another value", () => {
    const map = new BusyMap<string>();
    expect([map.set("a", "one"), map.set("a", "two")]).toEqual([undefined, "one"]);
    map.delete("a", "one");
    expect(map.get("a")).toBe("two");
  });

  it("a list of values does not change when the map changes", () => {
    const map = new BusyMap<string>();
    map.set("a", "one");
    map.set("b", "two");
    for (const value of map.values())
      map.delete(value === "one" ? "b" : "a", value === "one" ? "two" : "one");
    expect(map.values()).toEqual([]);
  });
});
