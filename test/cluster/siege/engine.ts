import { Random } from "../../support/random/random.js";
import { engineOf } from "../engines/engines.js";
import type { EngineSetting } from "./protocol.js";

// The database of a siege, with its proxy. It has a process of its own, because the latencies of
// the observing process would otherwise include the time in which the proxy passes on large
// messages.

const { name } = JSON.parse(process.argv[2] ?? "{}") as EngineSetting;
const engine = await engineOf(name).start(new Random(1));
process.once("disconnect", () => void engine.stop().finally(() => process.exit()));
process.send?.(engine.address);
