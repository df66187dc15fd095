import java.io.IOException;
import java.util.Map;

/** An agent and a client of the Java SDK for 0.3. */
final class Peer {
  public static void main(String[] given) throws IOException {
    // The transports that the SDK looks for in the class path are those of Quarkus.
    System.setProperty("io.a2a.transport.skipValidation", "true");
    Wire wire = new Wire();
    Server server = new Server(wire);
    Client client = new Client(wire);
    wire.serve(Map.of("listen", server::listen, "serve", server::serve,
        "connect", client::connect, "call", client::call, "stream", client::stream));
  }
}
