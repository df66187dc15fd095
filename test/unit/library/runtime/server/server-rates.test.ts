import { describe, expect, it } from "vitest";
import { Callers } from "../../../../../library/runtime/server/callers.js";
import {
  addressKey,
  addressOf,
  TokenBuckets,
} from "../../../../../library/runtime/server/rates.js";

describe("token buckets", () => {
  it("allow a burst, then one request for each interval", () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 3 });
    expect([1, 2, 3].map(() => buckets.take("a", 1_000))).toEqual([0, 0, 0]);
    expect(buckets.take("a", 1_000)).toBeCloseTo(100);
    expect(buckets.take("a", 1_050)).toBeCloseTo(50);
    expect(buckets.take("a", 1_100)).toBe(0);
    expect(buckets.take("a", 1_100)).toBeCloseTo(100);
  });

  it("token buckets do not count rejected requests, so that an impatient caller is admitted on time", () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    buckets.take("a", 0);
    for (let at = 0; at < 1_000; at += 1) expect(buckets.take("a", at)).toBeGreaterThan(0);
    expect(buckets.take("a", 1_000)).toBe(0);
  });

  it("count each key separately", () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    expect([buckets.take("a", 0), buckets.take("b", 0)]).toEqual([0, 0]);
    expect(buckets.take("a", 0)).toBeGreaterThan(0);
  });

  it("admit no more than the rate over a long time", () => {
    const buckets = new TokenBuckets({ perSecond: 7, burst: 5 });
    let admitted = 0;
    for (let at = 0; at < 100_000; at += 3) if (buckets.take("a", at) === 0) admitted += 1;
    expect(admitted).toBeGreaterThanOrEqual(700);
    expect(admitted).toBeLessThanOrEqual(706);
  });

  it("keep a bounded number of keys, and the recent ones among them", () => {
    const buckets = new TokenBuckets({ perSecond: 0.001, burst: 1 });
    for (let at = 0; at < 50_000; at += 1) buckets.take(`key ${String(at)}`, 1_000);
    expect(buckets.take("key 49999", 1_000)).toBeGreaterThan(0);
    expect(buckets.take("key 0", 1_000)).toBe(0);
  });
});

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1"],
  ["2001:DB8::1", "2001:db8:0:0"],
  ["2001:0db8:0000:0001::", "2001:db8:0:1"],
  ["[2001:db8::1]:4000", "2001:db8:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::1", "0:0:0:0"],
  ["192.0.2.1:50123", "192.0.2.1"],
  ["[::ffff:192.0.2.1]:80", "192.0.2.1"],
  ["unix", "unix"],
  ["", undefined],
  [undefined, undefined],
])("the address %s counts as %s", (address, network) => {
  expect(addressKey(address)).toBe(network);
});

const none = { get: () => undefined, entries: () => [] };
const proxied = (header: string, value: string) => ({
  get: (name: string) => (name === header ? value : undefined),
  entries: (): [string, string][] => [[header, value]],
});

it.each([
  ['for=192.0.2.1;proto=https, for="192.0.2.2:4711"', "192.0.2.2"],
  ['for="[2001:db8:1:2:3::1]:4711"', "2001:db8:1:2"],
  ["proto=http; FOR = 192.0.2.3", "192.0.2.3"],
  ["proto=http", "10.0.0.1"],
])("the header Forwarded (RFC 7239) names the caller's address: %s", (value, address) => {
  const caller = {
    peer: { address: "10.0.0.1", certificate: undefined },
    headers: proxied("forwarded", value),
  };
  expect(addressOf(caller, { header: "Forwarded" })).toBe(address);
});

describe("callers with large requests", () => {
  const peer = { address: "10.0.0.1", certificate: undefined };

  it("the key is the name of the user, also if each call has a new object", () => {
    const callers = new Callers({});
    expect(callers.keyOf({ user: { id: "ada" }, peer, headers: none })).toBe("user ada");
    expect(callers.keyOf({ user: "ada", peer, headers: none })).toBe("user ada");
    const named = new Callers({ callerOf: (user) => (user as { sub: string }).sub });
    expect(named.keyOf({ user: { sub: "ada" }, peer, headers: none })).toBe("user ada");
  });

  it("the key of a user without a name is the address, and no name equals an address", () => {
    const callers = new Callers({});
    const address = callers.keyOf({ user: { sub: "ada" }, peer, headers: none });
    expect(address).toBe(callers.keyOf({ user: undefined, peer, headers: none }));
    expect(callers.keyOf({ user: String(address), peer, headers: none })).not.toBe(address);
    expect(callers.keyOf({ user: null, headers: none })).toBeUndefined();
  });

  it("an anonymous caller is identified by the address in the header of a trusted proxy, and by its network", () => {
    const callers = new Callers({ forwarded: { header: "x-forwarded-for" } });
    const at = (address: string) =>
      callers.keyOf({ user: undefined, peer, headers: proxied("x-forwarded-for", address) });
    expect(at("192.0.2.1")).not.toBe(at("192.0.2.2"));
    expect(at("2001:db8::1")).toBe(at("2001:db8::2"));
  });

  it("an anonymous caller without an address has no key", () => {
    expect(new Callers({}).keyOf({ user: undefined, headers: none })).toBeUndefined();
  });
});
