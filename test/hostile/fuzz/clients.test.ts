import { grpcAnswers, httpAnswers } from "./clients.js";
import { fuzz } from "./fuzz.js";

fuzz(httpAnswers, { cases: 350, share: 0.5 });
fuzz(grpcAnswers, { cases: 150, share: 0.5 });
