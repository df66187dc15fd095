import { fuzz } from "./fuzz.js";
import { answers, eventStreams } from "./sse.js";

fuzz(eventStreams, { cases: 4_000, share: 0.5 });
fuzz(answers, { cases: 1_500, share: 0.5 });
