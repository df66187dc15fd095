import { describe, expect, it } from "vitest";
import { parseTarget } from "../../../../../library/runtime/bindings/grpc/target.js";

describe("parseTarget", () => {
  it.each([
    ["https://agent.example", "agent.example:443", true],
    ["https://agent.example:8443/a2a/grpc?x", "agent.example:8443", true],
    ["http://agent.example", "agent.example:80", false],
    ["HTTP://127.0.0.1:5000/", "127.0.0.1:5000", false],
    ["grpc://agent.example:50051", "agent.example:50051", false],
    ["grpcs://[2001:db8::1]", "[2001:db8::1]:443", true],
    ["agent.example:50051", "agent.example:50051", true],
    ["dns:///agent.example:50051", "dns:///agent.example:50051", true],
    ["localhost:50051", "localhost:50051", false],
    ["dns:///localhost:50051", "dns:///localhost:50051", false],
    ["dns://1.1.1.1/agent.example", "dns://1.1.1.1/agent.example", true],
    ["ipv4:127.0.0.1:1", "ipv4:127.0.0.1:1", false],
    ["ipv6:[::1]:1", "ipv6:[::1]:1", false],
    ["[::1]:50051", "[::1]:50051", false],
    ["unix:///run/agent.sock", "unix:///run/agent.sock", false],
    ["localhost.example:1", "localhost.example:1", true],
    ["127.0.0.1.example:1", "127.0.0.1.example:1", true],
  ])("parseTarget reads %s as %s, secure: %s", (url, address, secure) => {
    expect(parseTarget(url)).toEqual({ address, secure });
  });
});
