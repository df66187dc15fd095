import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { putUnderLoad, type LoadResult } from "./load.js";
import { transports, type TransportName } from "./streams.js";

const usage =
  "npm run load -- [--streams 1000] [--seconds 10] [--transport jsonrpc|rest|grpc|grpc-together]… [--json]";

/** Options of the script. Parsing throws if an option is unknown. */
function read() {
  const options = {
    streams: { type: "string", default: "1000" },
    seconds: { type: "string", default: "10" },
    transport: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ options });
  const [streams, seconds] = [Number(values.streams), Number(values.seconds)];
  if (!Number.isInteger(streams) || streams < 10)
    throw new Error("--streams has to be a whole number from 10 on");
  if (!(seconds > 0)) throw new Error("--seconds has to be a number above 0");
  return {
    streams,
    seconds,
    json: values.json,
    chosen: values.transport?.map(transportOf) ?? transports,
  };
}

function transportOf(name: string): TransportName {
  const found = transports.find((transport) => transport === name);
  if (found === undefined) throw new Error(`Unknown transport "${name}"`);
  return found;
}

function asked(): ReturnType<typeof read> {
  try {
    return read();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nUsage: ${usage}`);
    process.exit(2);
  }
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function rowOf(result: LoadResult): Readonly<Record<string, string | number>> {
  const { whole, aborted, left, broken } = result.streams;
  return {
    transport: result.transport,
    streams: whole + aborted + left + broken,
    killed: aborted + left + broken,
    "events/s": Math.round(result.eventsPerSecond),
    "calls/s": Math.round(result.unaryPerSecond),
    "median ms": Number(result.median.toFixed(1)),
    "99 % ms": Number(result.slow.toFixed(1)),
    "agent at peak": mebibytes(result.peak),
    "agent after": mebibytes(result.agentGrowth),
    "clients after": mebibytes(result.clientGrowth),
    problems: result.problems.length,
  };
}

const { streams, seconds, json, chosen } = asked();
const program = fileURLToPath(new URL("agent.js", import.meta.url));
const results: LoadResult[] = [];
for (const transport of chosen)
  results.push(await putUnderLoad({ transport, streams, seconds, program }));
if (json) console.log(JSON.stringify(results));
else console.table(results.map(rowOf));
const problems = results.flatMap(({ transport, problems: found }) =>
  found.map((text) => `${transport}: ${text}`),
);
for (const problem of [...new Set(problems)].slice(0, 20)) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
