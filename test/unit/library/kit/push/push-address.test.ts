import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../../../library/runtime/base/address.js";
import { refusalOf } from "../../../../../library/kit/push/webhook-url.js";

describe("private addresses", () => {
  it.each([
    ["in the block of this network", "0.0.0.0 0.1.2.3"],
    [
      "in a private network",
      "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255",
    ],
    ["shared by a carrier", "100.64.0.1 100.127.255.255"],
    ["a loopback address", "127.0.0.1 127.255.255.255 ::1 168.63.129.16"],
    ["a link-local address", "169.254.169.254 fe80::1 febf::1 fe80::1%eth0"],
    [
      "for documentation and measurements",
      "192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 2001:db8::1 3fff::1",
    ],
    ["reserved for protocols", "192.0.0.1 192.88.99.1 2001::1 2001:1ff::1"],
    [
      "a multicast, reserved or broadcast address",
      "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1",
    ],
    ["a site-local address", "fc00::1 fdff::1 fec0::1 64:ff9b:1::1 100::1"],
    ["nothing", ":: not-an-address 1.2.3 256.1.1.1 1.2.3.4.5 ::g"],
    [
      "an IPv6 form of a private address",
      "::ffff:127.0.0.1 ::ffff:a00:1 ::127.0.0.1 ::8.8.8.8 64:ff9b::10.0.0.1 2002:7f00:1::1",
    ],
  ])("an address is private if it is %s", (_, addresses) => {
    expect(addresses.split(" ").filter(isPublicAddress)).toEqual([]);
  });

  it("any other address is public", () => {
    const addresses =
      "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255 " +
      "172.32.0.0 192.167.255.255 192.169.0.0 223.255.255.255 2606:4700::1111 2001:200::1 2a00::1 [2606:4700::1111] " +
      "::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1";
    expect(addresses.split(" ").filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

describe("the URL of a webhook", () => {
  it.each([
    [
      "is not an HTTPS URL",
      "hook",
      "http://example.com/",
      "ftp://example.com/",
      "file:///etc/passwd",
      "javascript:1",
    ],
    ["has a user name or a password", "https://a@example.com/", "https://:b@example.com/"],
    [
      "leads into a private network",
      ...[
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
      ],
      ...[
        "https://127.0.0.1./",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://１２７.0.0.1/",
      ],
      ...[
        "https://localhost/",
        "https://LOCALHOST./",
        "https://a.localhost/",
        "https://redis/",
        "https://redis../",
      ],
      ...[
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://nas.lan/",
        "https://a.home.arpa./",
      ],
    ],
    [
      "has an invalid host",
      ...["https://a..example.com/", "https://.example.com/", "https://example.com../"],
      `https://${"a.".repeat(130)}example.com/`,
    ],
    ["is longer than 2048 characters", `https://example.com/${"a".repeat(2_048)}`],
  ])("a URL is refused if it %s", (refusal, ...urls) => {
    expect(urls.map((url) => [url, refusalOf(url, {})])).toEqual(urls.map((url) => [url, refusal]));
  });

  it("a URL may lead to any public host", () => {
    const urls = [
      "https://example.com/hook?a=b",
      "https://example.com:8443/",
      "https://8.8.8.8/",
      "https://[2606:4700::1]/",
    ];
    expect(urls.map((url) => refusalOf(url, {}))).toEqual(urls.map(() => undefined));
  });

  it("a URL may be private and without TLS if the options of the agent allow it", () => {
    expect(refusalOf("http://127.0.0.1:80/", { allowPrivateAddresses: true })).toBeUndefined();
    const rules = { allowPrivateAddresses: ({ hostname }: URL) => hostname === "queue" };
    expect(["http://queue/", "http://other/"].map((url) => refusalOf(url, rules))).toEqual([
      undefined,
      "is not an HTTPS URL",
    ]);
  });

  it("the options of an agent can limit URLs to certain hosts", () => {
    const rules = {
      allow: ({ hostname }: URL) => hostname.endsWith(".example.com"),
      allowPrivateAddresses: true,
    };
    expect(
      ["https://a.example.com/", "https://127.0.0.1/"].map((url) => refusalOf(url, rules)),
    ).toEqual([undefined, "is not allowed by the agent"]);
  });
});
