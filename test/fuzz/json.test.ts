import { fuzz } from "./fuzz.js";
import { documents } from "./json.js";

fuzz(documents, { cases: 8_000 });
