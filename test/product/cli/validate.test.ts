import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ended, Project, smallProto } from "./command.js";
import { portOf } from "../../support/ports.js";

const valid = { messageId: "1", role: "ROLE_USER", parts: [{ text: "hello" }] };
const invalid = { role: "ROLE_ROBOT", parts: [] };

describe("validate", () => {
  const files = {
    "good.json": JSON.stringify(valid),
    "bad.json": JSON.stringify(invalid),
    "broken.json": "{",
  };

  it("validate exits with 0 for a valid document", async () => {
    expect(await new Project(files).run("validate Message good.json")).toEqual({
      code: 0,
      stdout: "good.json: a valid Message of A2A 1.0.1\n",
      stderr: "",
    });
  });

  it("validate exits with 1 for an invalid document, with a line for each issue", async () => {
    const { code, stdout } = await new Project(files).run("validate Message bad.json");
    expect(code).toBe(1);
    const [title, ...issues] = stdout.trimEnd().split("\n");
    expect(title).toBe("bad.json: not a valid Message of A2A 1.0.1");
    expect(issues.sort()).toEqual([
      "  /messageId expected string, got nothing",
      "  /parts expected a list of at least one Part, got an empty list",
      '  /role expected Role (ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT), got "ROLE_ROBOT"',
    ]);
  });

  it("validate names the versions that an invalid document is valid in", async () => {
    const earlier = {
      kind: "message",
      messageId: "1",
      role: "user",
      parts: [{ kind: "text", text: "hello" }],
    };
    const project = new Project({ "m.json": JSON.stringify(earlier) });
    const { code, stdout } = await project.run("validate Message m.json");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\n {2}It is a valid Message of 0\.3\.0, [\d., ]+: add --spec 0\.3\.0\n$/,
    );
    const { output } = await project.json("validate Message m.json");
    expect(output["validIn"]).toContain("0.3.0");
  });

  it("validate reports misspelled members of a valid document", async () => {
    const url = "https://agent.example/";
    const card = {
      ...{ name: "Agent", description: "Answers", version: "1.0.0", descripton: "Answers" },
      supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { streming: true },
      ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"], other: 1 },
      skills: [{ id: "s", name: "S", description: "Answers", tags: ["t"] }],
    };
    const project = new Project({ "card.json": JSON.stringify(card) });
    expect(await project.run("validate AgentCard card.json")).toMatchObject({
      code: 0,
      stdout:
        "card.json: a valid AgentCard of A2A 1.0.1\n" +
        '  /capabilities/streming unknown member "streming": write "streaming"\n',
    });
    const { output } = await project.json("validate AgentCard card.json");
    expect(output).toMatchObject({ ok: true, misspelled: [{ path: "/capabilities/streming" }] });
  });

  it("validate exits with 2 without a document", async () => {
    const project = new Project(files);
    expect(await project.run("validate Message broken.json")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^broken\.json:1:2: the document is not valid JSON: .*\. Correct the document\.\n$/,
      ) as string,
    });
    expect((await project.run("validate Message nope.json")).stderr).toBe(
      'the file "nope.json" does not exist. Specify a file, a URL, or - for standard input.\n',
    );
    expect((await project.run("validate Message .")).code).toBe(2);
  });

  it.each([
    ["Mesage", 'A2A 1.0.1 has no type "Mesage". Did you mean Message? The types are '],
    [
      "MessageSendParams",
      'A2A 1.0.1 has no type "MessageSendParams". The type was renamed: use SendMessageRequest.\n',
    ],
  ])("validate finds the type of %s", async (type, message) => {
    const stderr = await new Project({ "m.json": "{}" }).refusal("validate", type, "m.json");
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr.length).toBeLessThan(400);
  });

  it("validate --json prints one document with the issues", async () => {
    const { code, output } = await new Project(files).json("validate Message bad.json");
    expect(code).toBe(1);
    expect(output).toMatchObject({ ok: false, valid: false, spec: "A2A 1.0.1", type: "Message" });
    expect(output["issues"]).toContainEqual({
      message: "/messageId expected string, got nothing",
      path: ["messageId"],
      pointer: "/messageId",
      expected: "string",
      found: "nothing",
    });
  });

  it("validate accepts what ProtoJSON parsers accept, unless --strict is given", async () => {
    const loose = {
      message_id: "1",
      role: 1,
      parts: [{ text: "a", metadata: null }],
      unknown: true,
    };
    const project = new Project({ "loose.json": JSON.stringify(loose) });
    await project.succeed("validate Message loose.json");
    expect((await project.run("validate Message loose.json --strict")).code).toBe(1);
  });

  it("validate uses the specification of the configuration, or the specified one", async () => {
    const project = new Project({
      "a.proto": smallProto,
      "note.json": '{ "tags": ["a"] }',
      "a2a-codegen.config.json": '{ "spec": "a.proto" }',
    });
    expect((await project.run("validate Note note.json")).stdout).toBe(
      "note.json: a valid Note of a.proto\n",
    );
    expect((await project.run("validate Note note.json --spec 1.0")).code).toBe(2);
  });
});

describe("validate with standard input", () => {
  it("validate reads the document from standard input", async () => {
    expect((await new Project().spawn("validate Message -", JSON.stringify(valid))).code).toBe(0);
    expect((await new Project().spawn("validate Message -", JSON.stringify(invalid))).code).toBe(1);
    expect((await new Project().spawn("validate Message -")).code).toBe(2);
  });

  it("validate waits for data that arrives late and in chunks", async () => {
    const child = new Project().start("validate Message -");
    const run = ended(child);
    const text = JSON.stringify(valid);
    for (const piece of [text.slice(0, 10), text.slice(10)]) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.stdin?.write(piece);
    }
    child.stdin?.end();
    expect((await run).code).toBe(0);
  });
});

/** A document that does not end. */
async function* endless(): AsyncGenerator<string> {
  for (;;) yield await Promise.resolve("[".repeat(1000));
}

describe("validate with a URL", () => {
  let server: Server;
  let url = "";

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === "/good") response.end(JSON.stringify(valid));
      else if (request.url === "/cut")
        response
          .writeHead(200, { "content-length": "100" })
          .write("{", () => request.socket.destroy());
      else if (request.url === "/endless") Readable.from(endless()).pipe(response);
      else if (request.url !== "/silent") response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${portOf(server)}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("validate fetches the document", async () => {
    expect((await new Project().run("validate Message", `${url}/good`)).stdout).toBe(
      `${url}/good: a valid Message of A2A 1.0.1\n`,
    );
  });

  it.each([
    ["/nope", /responded with status 404\. Check the address, and that the server is running\.\n$/],
    ["/cut", /cannot be fetched: .*\. Check the address, and that the server is running\.\n$/],
  ])("validate exits with 2 if it cannot fetch the document (%s)", async (path, problem) => {
    expect(await new Project().refusal("validate Message", url + path)).toMatch(problem);
  });

  it.each([
    [
      "/endless",
      "--max-bytes",
      "100000",
      "has more than 100000 bytes. Check the document, or increase the limit with",
    ],
    [
      "/silent",
      "--timeout",
      "0.2",
      "did not respond in 0.2 s. Check the address, or increase the time-out with",
    ],
  ])("validate exits with 2 if a limit is exceeded (%s)", async (path, option, value, problem) => {
    expect(await new Project().refusal("validate Message", url + path, option, value)).toBe(
      `${url}${path} ${problem} ${option}.\n`,
    );
  });

  it("validate exits with 2 if the host is unreachable", async () => {
    expect(await new Project().refusal("validate Message http://127.0.0.1:9/card")).toMatch(
      /^http:\/\/127\.0\.0\.1:9\/card cannot be fetched: /,
    );
  });
});
