import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { grpc } from "../../generated/1.0/client/grpc.js";
import {
  connect,
  fetchCard,
  type AgentCard,
  type ConnectOptions,
} from "../../generated/1.0/index.js";
import { json, serve } from "../support/http.js";
import { aCard } from "../support/cards.js";

const publicUrl = "https://agent.example.com";
const task = { id: "t", status: { state: "TASK_STATE_WORKING" } };

function cardAt(
  ...interfaces: readonly (readonly [url: string, protocolBinding?: string])[]
): AgentCard {
  return aCard(
    interfaces.map(([url, protocolBinding = "JSONRPC"]) => {
      return { url, protocolBinding, protocolVersion: "1.0" };
    }),
    { capabilities: {}, defaultInputModes: [], defaultOutputModes: [] },
  );
}

/**
 * An Internet in which every URL has the same card, except for URLs that redirect, and responds to
 * calls.
 */
function internet(card: AgentCard, redirects: Readonly<Record<string, string>> = {}) {
  const requested: string[] = [];
  const fetch = (url: string, { method, body }: RequestInit): Promise<Response> => {
    requested.push(url);
    const location = redirects[url];
    if (location !== undefined)
      return Promise.resolve(new Response(null, { status: 302, headers: { location } }));
    if (method === "GET")
      return Promise.resolve(Response.json(url.includes("/tasks/") ? task : card));
    const { id } = JSON.parse(body as string) as { readonly id: number };
    return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result: task }));
  };
  return { fetch, requested };
}

async function call(target: string | AgentCard, options: ConnectOptions) {
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return (await client.getTask({ id: "t" })).id;
}

const wellKnown = (origin: string) => `${origin}/.well-known/agent-card.json`;

const hosts = [
  ...[
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "printer.local",
    "nas.lan",
    "metadata.google.internal",
  ],
  ...[
    "redis",
    "redis.",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
  ],
  ...[
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "192.0.0.192",
  ],
  ...[
    "[::]",
    "[::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]",
  ],
  ...[
    "[0:0:0:0:0:ffff:7f00:1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[::127.0.0.1]",
  ],
  ...[
    "１２７.0.0.1",
    "127。0。0。1",
    "user@10.0.0.1",
    "agent.example.com@10.0.0.1",
    "10.0.0.1:8080",
  ],
];

/** Hosts that a header and a gRPC target can contain. */
const asciiHosts = hosts.filter((host) => /^[\w.:[\]]+$/.test(host));

describe("a card from a public address", () => {
  it.each(hosts)("a card from a public address does not lead a client to %s", async (host) => {
    for (const [url, binding] of [
      [`http://${host}`, "JSONRPC"],
      [`https://${host}/a2a`, "HTTP+JSON"],
    ] as const) {
      const { fetch, requested } = internet(cardAt([url, binding]));
      await expect(call(publicUrl, { fetch })).rejects.toMatchObject({
        name: "TransportError",
        unsent: true,
        message: expect.stringMatching(
          /leads into a private network: if that is intended, set the option allowPrivateAddresses$/,
        ) as string,
      });
      expect(requested).toEqual([wellKnown(publicUrl)]);
    }
  });

  it.each([
    ...asciiHosts,
    ...[
      "dns:///10.0.0.1",
      "dns://8.8.8.8/10.0.0.1:443",
      "ipv4:10.0.0.1:50051",
      "ipv6:[::1]:50051",
      "ip:10.0.0.1",
    ],
    ...[
      "grpc://127.0.0.1:50051",
      "grpcs://localhost",
      "https://10.0.0.1",
      "https://agent.example.com\\@10.0.0.1",
    ],
    ...["xds:///redis", "[fe80::1%25eth0]:50051", "unix:/tmp/socket"],
  ])("a card from a public address does not lead a client over gRPC to %s", async (url) => {
    const { fetch } = internet(cardAt([url, "GRPC"]));
    await expect(call(publicUrl, { fetch, transports: [grpc()] })).rejects.toMatchObject({
      name: "TransportError",
      unsent: true,
      message: expect.stringMatching(
        /a private network|has no host that can be checked|client's machine/,
      ) as string,
    });
  });

  it("a card from a public address leads a client to other public hosts, also if an earlier interface is private", async () => {
    for (const url of [
      "https://api.example.com/a2a",
      "https://8.8.8.8",
      "https://[2606:4700::1111]",
      "https://[64:ff9b::808:808]",
    ]) {
      const { fetch, requested } = internet(cardAt(["http://127.0.0.1:6379"], [url]));
      expect(await call(publicUrl, { fetch })).toBe("t");
      expect(requested).toEqual([wellKnown(publicUrl), new URL(url).href]);
    }
  });

  it("a card from a public address leads a client to private hosts that the option allowPrivateAddresses allows", async () => {
    const at = internet(cardAt(["http://10.1.2.3:8080/a2a"]));
    expect(await call(publicUrl, { fetch: at.fetch, allowPrivateAddresses: true })).toBe("t");
    const asked: string[] = [];
    const allowPrivateAddresses = (url: URL): boolean =>
      asked.push(url.href) > 0 && url.hostname.startsWith("10.");
    expect(await call(publicUrl, { fetch: at.fetch, allowPrivateAddresses })).toBe("t");
    expect(asked).toContain("http://10.1.2.3:8080/a2a");
    const { fetch } = internet(cardAt(["http://192.168.1.1"]));
    await expect(call(publicUrl, { fetch, allowPrivateAddresses })).rejects.toThrow(
      "a private network",
    );
  });

  it("a card from a public address is still public after fetchCard", async () => {
    const { fetch } = internet(cardAt(["http://127.0.0.1:6379"]));
    await expect(call(await fetchCard(publicUrl, { fetch }), { fetch })).rejects.toThrow(
      "a private network",
    );
  });
});

describe("a redirect from a public address", () => {
  it.each(asciiHosts)(
    "a redirect from a public address does not lead a client to %s",
    async (host) => {
      const { fetch, requested } = internet(cardAt([publicUrl]), {
        [wellKnown(publicUrl)]: `https://${host}/card.json`,
      });
      await expect(connect(publicUrl, { fetch })).rejects.toThrow("a private network");
      await expect(fetchCard(publicUrl, { fetch })).rejects.toThrow("a private network");
      expect(requested).toEqual([wellKnown(publicUrl), wellKnown(publicUrl)]);
    },
  );

  it("redirects do not lead a client from a private address to a public address and back", async () => {
    const { fetch, requested } = internet(cardAt(["http://10.0.0.1"]), {
      [wellKnown("http://10.0.0.1")]: "https://public.example.com/card.json",
      "https://public.example.com/card.json": "https://10.0.0.1/card.json",
    });
    await expect(connect("http://10.0.0.1", { fetch })).rejects.toThrow(
      "https://10.0.0.1/card.json leads into",
    );
    expect(requested).toHaveLength(2);
  });

  it("a redirect to a public address makes the card a public card", async () => {
    const redirects = { [wellKnown("http://10.0.0.1")]: "https://public.example.com/card.json" };
    const { fetch } = internet(cardAt(["http://127.0.0.1:6379"]), redirects);
    await expect(call("http://10.0.0.1", { fetch })).rejects.toThrow(
      "http://127.0.0.1:6379/ leads into",
    );
  });
});

describe("a card from a private address", () => {
  it.each([
    "http://localhost:4000",
    "http://127.0.0.1:4000",
    "http://10.0.0.1",
    "https://agent.internal",
    "http://[::1]",
  ])(
    "a card from a private address leads a client from %s to private addresses without an option",
    async (from) => {
      for (const url of [
        "http://127.0.0.1:4001",
        "http://localhost:4001",
        "http://10.0.0.2",
        "http://db",
      ]) {
        const { fetch } = internet(cardAt([url]));
        expect(await call(from, { fetch })).toBe("t");
      }
    },
  );

  it("a card from a private address is not fetched if allowPrivateAddresses is false", async () => {
    const { fetch, requested } = internet(cardAt([publicUrl]));
    for (const from of [
      "http://127.0.0.1:4000",
      "http://localhost",
      "http://169.254.169.254/card.json",
    ])
      await expect(connect(from, { fetch, allowPrivateAddresses: false })).rejects.toThrow(
        "a private network",
      );
    expect(requested).toEqual([]);
    expect(await call(publicUrl, { fetch, allowPrivateAddresses: false })).toBe("t");
  });
});

describe("a card that is passed as a value", () => {
  it("a card that is passed as a value leads a client to private addresses unless allowPrivateAddresses is false", async () => {
    const card = cardAt(["http://127.0.0.1:4000"]);
    const { fetch } = internet(card);
    expect(await call(card, { fetch })).toBe("t");
    await expect(call(card, { fetch, allowPrivateAddresses: false })).rejects.toThrow(
      "a private network",
    );
  });
});

describe("a name in a card", () => {
  const names: Record<string, readonly string[]> = {};
  const lookedUp: string[] = [];

  beforeEach(() => {
    Object.assign(names, {
      "agent.example.com": ["93.184.216.34"],
      "api.example.com": ["93.184.216.35", "2606:4700::1111"],
      "rebound.example.com": ["127.0.0.1"],
      "mixed.example.com": ["93.184.216.34", "10.0.0.1"],
      "six.example.com": ["::1"],
      "mapped.example.com": ["::ffff:169.254.169.254"],
      "agents.corp.example": ["10.1.1.1"],
      "api.corp.example": ["10.1.1.2"],
    });
    const lookup = (name: string): Promise<unknown> => {
      lookedUp.push(name);
      const found = names[name];
      if (found === undefined) return Promise.reject(new Error("ENOTFOUND"));
      return Promise.resolve(
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    };
    const builtin = process.getBuiltinModule.bind(process);
    vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
      name === "node:dns" ? { promises: { lookup } } : builtin(name),
    );
    lookedUp.length = 0;
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  async function callOnline(
    target: string,
    card: AgentCard,
    options: ConnectOptions = {},
    redirects = {},
  ) {
    const { fetch, requested } = internet(card, redirects);
    vi.stubGlobal("fetch", fetch);
    const outcome = await call(target, options).catch(String);
    return { outcome, requested };
  }

  it.each(["rebound", "mixed", "six", "mapped"])(
    "a name in a card must not resolve to a private address: %s.example.com",
    async (name) => {
      const url = `https://${name}.example.com/`;
      const { outcome, requested } = await callOnline(publicUrl, cardAt([url]));
      expect(outcome).toContain(`${url} leads into a private network`);
      expect(requested).toEqual([wellKnown(publicUrl)]);
      const redirected = await callOnline(
        publicUrl,
        cardAt([publicUrl]),
        {},
        { [wellKnown(publicUrl)]: url },
      );
      expect(redirected.outcome).toContain(`${url} leads into a private network`);
      const overGrpc = await callOnline(publicUrl, cardAt([`${name}.example.com:443`, "GRPC"]), {
        transports: [grpc()],
      });
      expect(overGrpc.outcome).toContain("leads into a private network");
    },
  );

  it("a name in a card may resolve to public addresses, and is looked up once", async () => {
    const { outcome } = await callOnline(publicUrl, cardAt(["https://api.example.com"]));
    expect([outcome, lookedUp]).toEqual(["t", ["api.example.com"]]);
  });

  it("a name in a card is not looked up if it is the host of the card", async () => {
    const { outcome } = await callOnline(publicUrl, cardAt([`${publicUrl}:8443/a2a`]));
    expect([outcome, lookedUp]).toEqual(["t", []]);
  });

  it("a name in a card may resolve to a private address if the host of the card also does", async () => {
    const { outcome } = await callOnline(
      "https://agents.corp.example",
      cardAt(["https://api.corp.example"]),
    );
    expect(outcome).toBe("t");
  });

  it("a name in a card must not resolve to a private address if the host of the card also has a public address", async () => {
    const { outcome } = await callOnline(
      "https://mixed.example.com",
      cardAt(["https://api.corp.example"]),
    );
    expect(outcome).toContain("https://api.corp.example/ leads into a private network");
  });

  it("a name in a card may resolve to a private address that allowPrivateAddresses allows, by name or by address", async () => {
    for (const allowed of ["api.corp.example", "10.1.1.2"]) {
      const allowPrivateAddresses = ({ hostname }: URL): boolean => hostname === allowed;
      const { outcome } = await callOnline(publicUrl, cardAt(["https://api.corp.example"]), {
        allowPrivateAddresses,
      });
      expect(outcome).toBe("t");
    }
  });

  it("a name in a card is left to the connection if nothing resolves it", async () => {
    const { outcome } = await callOnline(publicUrl, cardAt(["https://unknown.example.com"]));
    expect(outcome).toBe("t");
  });
});

describe("on the loopback interface", () => {
  it("a client needs no option for local development", async () => {
    const server = await serve(({ url = "" }, response) => {
      const other = server.url.replace("127.0.0.1", "localhost");
      json(response, url.endsWith("agent-card.json") ? cardAt([other, "HTTP+JSON"]) : task);
    });
    expect(await call(server.url, {})).toBe("t");
  });
});
