import { fuzz } from "./fuzz.js";
import { answers, eventStreams } from "./sse.js";

fuzz(eventStreams, { cases: 4_000, share: 0.5 });
fuzz(answers, { cases: 800, share: 0.5 });
