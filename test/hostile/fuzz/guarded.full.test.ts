import { fuzz } from "./fuzz.js";
import { grpcRequestsTo } from "./grpc-requests.js";
import { guarded } from "./guarded.js";
import { rawConnectionsTo, webRequestsTo } from "./servers.js";

const setup = await guarded();

fuzz(webRequestsTo(setup), { cases: 4_000, share: 0.4 });
fuzz(rawConnectionsTo(setup), { cases: 1_500, share: 0.3 });
fuzz(grpcRequestsTo(setup), { cases: 3_000, share: 0.3 });
