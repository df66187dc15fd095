import { fuzz } from "./fuzz.js";
import { serviceCalls, serviceRequests } from "./services.js";

fuzz(serviceRequests, { cases: 2_000, share: 0.5 });
fuzz(serviceCalls, { cases: 1_500, share: 0.5 });
