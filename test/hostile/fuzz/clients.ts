import { logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { once } from "node:events";
import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { failuresOf } from "../servers.js";
import type { Subject } from "../subject.js";
import { subjects } from "../subjects.js";
import { grpcAnswer, rawAnswer, type GrpcAnswer, type RawAnswer } from "./answers.js";
import { hex, smallerBytes } from "./bytes.js";
import type { Campaign } from "../../support/campaign.js";
import { portOf } from "../../support/ports.js";

interface Case<Answer> {
  readonly version: string;
  readonly transport: "jsonRpc" | "rest" | "grpc";
  readonly answer: Answer;
}

/** Time-out of a call without a response, in milliseconds. */
const patience = 60;

/** Answers over HTTP of all kinds, on which clients give a value or throw an error of theirs. */
export const httpAnswers: Campaign<Case<RawAnswer>> = {
  name: "answers over HTTP in the clients",
  async open() {
    const server = await hostileServer();
    return {
      limitMs: 2_000,
      generate(random) {
        const [subject, transport] = [
          random.pick(subjects),
          random.pick(["jsonRpc", "rest"] as const),
        ];
        return {
          version: subject.version,
          transport,
          answer: rawAnswer(subject, transport, random),
        };
      },
      async attempt(given) {
        server.answer(given.answer);
        const outcome = await call(given, server.url);
        await server.expectReleased();
        return outcome;
      },
      *smaller(given) {
        const { answer } = given;
        for (const bytes of smallerBytes(answer.bytes))
          yield { ...given, answer: { ...answer, bytes } };
        if (answer.cuts.length > 0) yield { ...given, answer: { ...answer, cuts: [] } };
      },
      print: ({ answer: { bytes, ...rest }, ...given }) =>
        `${JSON.stringify(Buffer.from(bytes).toString("latin1"))} ${JSON.stringify({ ...rest, ...given })}`,
      close: () => server.close(),
    };
  },
};

/** Answers over gRPC of all kinds. */
export const grpcAnswers: Campaign<Case<GrpcAnswer>> = {
  name: "answers over gRPC in the clients",
  async open() {
    // Invalid metadata is reported on the console repeatedly.
    setLogVerbosity(logVerbosity.NONE);
    const server = await hostileGrpcServer();
    return {
      limitMs: 2_000,
      generate(random) {
        const subject = random.pick(subjects);
        return {
          version: subject.version,
          transport: "grpc",
          answer: grpcAnswer(goodBytes(subject), random),
        };
      },
      async attempt(given) {
        server.answer(given.answer);
        return await call(given, server.url);
      },
      *smaller(given) {
        const { answer } = given;
        for (const body of smallerBytes(answer.body))
          yield { ...given, answer: { ...answer, body } };
        for (const part of ["headers", "trailers"] as const)
          for (const name of Object.keys(answer[part])) {
            const left = Object.entries(answer[part]).filter(([other]) => other !== name);
            yield { ...given, answer: { ...answer, [part]: Object.fromEntries(left) } };
          }
      },
      print: ({ answer: { body, ...rest }, ...given }) =>
        `${hex(body)} ${JSON.stringify({ ...rest, ...given })}`,
      close: () => server.close(),
    };
  },
};

function subjectOf(version: string) {
  const subject = subjects.find((candidate) => candidate.version === version);
  if (subject === undefined) throw new Error(`Missing: ${version}`);
  return subject;
}

/** Messages that an agent may send, as bytes. */
function goodBytes({ operations, samples }: Subject): Uint8Array[] {
  // A request with a message, and one with a webhook, are about what answers look like.
  return [
    operations.SendMessage.encode({ message: samples.message }),
    operations.CreateTaskPushNotificationConfig.encode(samples.webhook),
    Buffer.from("0a0a0a02743112026331", "hex"),
    Buffer.from("0a02743112026331", "hex"),
  ];
}

/**
 * Makes a unary call and a stream call. Throws if a call throws a value that is not a client error.
 */
async function call({ version, transport, answer }: Case<RawAnswer | GrpcAnswer>, url: string) {
  const subject = subjectOf(version);
  const { A2AClient, A2AError, TransportError } = subject.classes;
  const client = new A2AClient({ transport: subject.transports[transport](url) });
  const isLeftAlone = answer.ending === "stall" || (transport === "grpc" && isMore(answer));
  const results = await failuresOf(subject, client, isLeftAlone ? patience : 10_000);
  client.close();
  const outcomes = results.map((result) => {
    if (!(result instanceof Error)) return "read";
    if (result instanceof A2AError) return "A2AError";
    if (result instanceof TransportError) return "TransportError";
    if (result.name === "TimeoutError" && isLeftAlone) return "timeout";
    throw result;
  });
  return outcomes.join(" and ");
}

/**
 * Returns whether a response continues after its first message. For unary calls, `@grpc/grpc-js`
 * neither reads the rest nor ends the call.
 */
function isMore(answer: RawAnswer | GrpcAnswer) {
  if (!("body" in answer) || answer.body.length < 5) return false;
  return answer.body.length > 5 + Buffer.from(answer.body).readUInt32BE(1);
}

interface HostileServer<Answer> {
  readonly url: string;
  /** Sets what all calls are answered with from now on. */
  answer(answer: Answer): void;
  /** Throws if a client keeps reading an endless response. */
  expectReleased(): Promise<void>;
  close(): Promise<void>;
}

async function hostileServer(): Promise<HostileServer<RawAnswer>> {
  let current: RawAnswer | undefined;
  const sockets = new Set<Socket>();
  const stalled = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => void (sockets.delete(socket), stalled.delete(socket)));
    socket.on("data", (data) => {
      if (current === undefined || !data.includes("HTTP/1.1")) return;
      // The platform hides data after a response without a body from the client.
      if (current.ending === "stall" && !/ (?:1\d\d|204|304) /.test(statusLine(current.bytes)))
        stalled.add(socket);
      void writeAll(socket, current);
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  return {
    url,
    answer: (answer) => void (current = answer),
    async expectReleased() {
      // An idle connection is closed if unrequested data arrives.
      for (const socket of stalled) socket.write("junk");
      try {
        await expectNone(stalled);
      } finally {
        for (const socket of stalled) socket.destroy();
        stalled.clear();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function statusLine(bytes: Uint8Array) {
  return Buffer.from(bytes.subarray(0, 20)).toString("latin1");
}

async function expectNone(left: ReadonlySet<unknown>) {
  for (let tries = 0; left.size > 0 && tries < 50; tries += 1) await delay(10);
  if (left.size > 0) throw new Error(`${left.size} connections were left open`);
}

async function listen(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return portOf(server);
}

async function writeAll(socket: Socket, { bytes, cuts, ending }: RawAnswer) {
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (socket.destroyed) return;
    socket.write(bytes.subarray(start, cut));
    start = cut;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === "end") socket.end();
  else if (ending === "break") socket.destroy();
}

async function hostileGrpcServer(): Promise<HostileServer<GrpcAnswer>> {
  let current: GrpcAnswer | undefined;
  const sessions = new Set<Http2Session>();
  const server = createHttp2Server();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined).on("close", () => void sessions.delete(session));
  });
  server.on("stream", (stream) => {
    const answer = current;
    stream.on("error", () => undefined).resume();
    if (answer === undefined) return;
    const { headers, body, trailers, ending, reset } = answer;
    stream.on("wantTrailers", () => {
      if (reset !== undefined) stream.close(reset);
      else if (ending === "end") stream.sendTrailers(trailers);
      else if (ending === "break") stream.session?.destroy();
    });
    try {
      stream.respond(headers, { waitForTrailers: true });
      stream.end(body);
    } catch {
      stream.close(2);
    }
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    answer: (answer) => void (current = answer),
    expectReleased: () => expectNone(sessions),
    async close() {
      await expectNone(sessions);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
