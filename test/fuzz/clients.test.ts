import { grpcAnswers, httpAnswers } from "./clients.js";
import { fuzz } from "./fuzz.js";

fuzz(httpAnswers, { cases: 600, share: 0.5 });
fuzz(grpcAnswers, { cases: 300, share: 0.5 });
