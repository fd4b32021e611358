import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Takes Kurir's callbacks on http://127.0.0.1:8090/: java Callback.java
 * The secret is the whole whsec_... that Kurir's window showed under Webhooks.
 */
public class Callback {
    private static final Map<String, String> ENV = System.getenv();
    private static final String SECRET = ENV.getOrDefault("KURIR_WEBHOOK_SECRET", "whsec_...");
    private static final Path INBOX = Path.of(ENV.getOrDefault("KURIR_INBOX", "inbox"));

    static boolean isFromKurir(String secret, Headers headers, byte[] rawBody) throws GeneralSecurityException {
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        if (id == null || signatures == null || timestamp == null || !timestamp.matches("\\d{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(rawBody))).getBytes();
        for (String given : signatures.split(" ")) {
            if (MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) return true;
        }
        return false;
    }

    static void take(HttpExchange call) throws IOException {
        int status = 500;
        try {
            byte[] rawBody = call.getRequestBody().readAllBytes();
            if (!isFromKurir(SECRET, call.getRequestHeaders(), rawBody)) {
                status = 401;
                return;
            }
            // Keep it first and answer; another program does the work. A repeated callback has the same id, and so the
            // same file.
            Files.createDirectories(INBOX);
            Path name = Path.of(call.getRequestHeaders().getFirst("webhook-id")).getFileName();
            Files.write(INBOX.resolve(name + ".json"), rawBody);
            status = 204;
        } catch (GeneralSecurityException wrongSecret) {
            System.err.println(wrongSecret.getMessage());
        } finally {
            call.sendResponseHeaders(status, -1);
            call.close();
        }
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(ENV.getOrDefault("PORT", "8090"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", Callback::take);
        server.start();
    }
}
