// A process that obtains one token, for the test of processes that share a token file.
import { oauth } from "../../../library/auth/oauth.js";
import { fileTokenStore } from "../../../library/auth/token-file.js";

const [issuer = "", path = "", clientSecret = ""] = process.argv.slice(2);
const find = oauth({
  issuer,
  store: fileTokenStore(path),
  clientCredentials: { clientId: "service", clientSecret },
});
const scheme = {
  oauth2SecurityScheme: {
    flows: { clientCredentials: { tokenUrl: "https://login.test", scopes: {} } },
  },
};
process.send?.(await find({ scheme, scopes: ["ask"], refused: undefined }), () =>
  process.disconnect(),
);
