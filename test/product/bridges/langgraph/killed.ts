import { graphAgent, kitSaver } from "../../../../library/bridges/langgraph.js";
import { serveKilled } from "../kill/agent.js";
import { booking } from "./graphs.js";

serveKilled((note) => graphAgent(booking(kitSaver(), note)));
