import { fuzz } from "./fuzz.js";
import { grpcRequests } from "./grpc-requests.js";
import { rawConnections, webRequests } from "./servers.js";

fuzz(webRequests, { cases: 2_000, share: 0.4 });
fuzz(rawConnections, { cases: 800, share: 0.4 });
fuzz(grpcRequests, { cases: 1_000, share: 0.2 });
