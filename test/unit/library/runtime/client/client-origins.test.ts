import { describe, expect, it } from "vitest";
import { originOf, trustIn } from "../../../../../library/runtime/client/origins.js";

describe("the origin of an address", () => {
  it.each([
    ["https://a.example/x?y#z", "https://a.example"],
    ["HTTPS://A.example:443", "https://a.example"],
    ["http://a.example:80/", "http://a.example"],
    ["https://user@a.example", "https://a.example"],
    ["a.example:443", "https://a.example"],
    ["a.example", "https://a.example"],
    ["a.example:50051", "https://a.example:50051"],
    ["dns:///a.example:50051", "https://a.example:50051"],
    ["dns:a.example", "https://a.example"],
    ["grpcs://a.example", "https://a.example"],
    ["grpc://a.example:50051/", "http://a.example:50051"],
    ["127.0.0.1:50051", "http://127.0.0.1:50051"],
    ["localhost:50051", "http://localhost:50051"],
    ["[::1]:50051", "http://[::1]:50051"],
  ])("the origin of %s is %s", (address, origin) => {
    expect(originOf(address)).toBe(origin);
  });

  it.each([
    // The host before is a name server, and not the agent.
    "dns://mallory.example/a.example:443",
    "ipv4:127.0.0.1:443,192.0.2.1:443",
    "https://a.example:443,mallory.example",
    // URL would read a path here, and gRPC a name.
    "https://a.example\\.mallory.example",
    "https://a.exam\tple",
    "a.example@mallory.example:443",
    "unix:/run/agent",
    "queue:clerk",
    "",
  ])("the origin of %j is unique, because clients may read it in several ways", (address) => {
    expect(originOf(address)).toBe(address);
    expect(trustIn(["https://a.example"])(address)).toBe(false);
    expect(trustIn([address])(address)).toBe(true);
  });

  it("the origin differs if the scheme, host or port differs", () => {
    const isTrusted = trustIn(["https://a.example/agent", new URL("http://b.example:8080").href]);
    expect(
      ["https://a.example/rpc", "a.example:443", "http://b.example:8080/"].map(isTrusted),
    ).toEqual([true, true, true]);
    const others = [
      "http://a.example",
      "https://a.example:8443",
      "https://sub.a.example",
      "https://b.example:8080",
    ];
    expect(others.map(isTrusted)).toEqual([false, false, false, false]);
  });
});
