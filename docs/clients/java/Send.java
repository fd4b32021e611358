import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Sends one message: java Send.java (phone) (message) (reference) [address or path of a file]
 * Needs Java 17 or newer, no library. KURIR_KEY holds the API key.
 */
public class Send {
    /** Kurir said no: the same call would be refused again. */
    static class Refused extends Exception {
        Refused(String sentence) { super(sentence); }
    }

    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    /**
     * Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.
     *
     * @param reference your own number for this message (such as INV-1001): Kurir sends it once, however often you ask
     * @param file address or path of a file, or null
     * @return Kurir's id of the message
     */
    static String send(String phone, String message, String reference, String file) throws Exception {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("phone", phone);
        body.put("message", message);
        body.put("reference_id", reference);
        String sender = System.getenv("KURIR_SENDER");
        if (sender != null) body.put("sender_code", sender);
        boolean isPath = file != null && !file.matches("https?:.*");
        if (file != null && !isPath) body.put("file", file);
        String boundary = UUID.randomUUID().toString();
        String url = Optional.ofNullable(System.getenv("KURIR_URL")).orElse("http://127.0.0.1:7420");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/send"))
            .timeout(Duration.ofSeconds(60))
            .header("Authorization", "Bearer " + System.getenv("KURIR_KEY"))
            .header("Content-Type", isPath ? "multipart/form-data; boundary=" + boundary : "application/json")
            .header("Idempotency-Key", reference)
            .POST(isPath ? form(body, Path.of(file), boundary) : BodyPublishers.ofString(json(body)))
            .build();

        for (int pause : new int[] {1, 2, 5, 10, 0}) {
            long seconds = pause;
            try {
                var answer = HTTP.send(request, BodyHandlers.ofString());
                if (answer.statusCode() == 200) return member(answer.body(), "id");
                // Too fast, or Kurir is closing: the same call again, a little later.
                if (!List.of(429, 500, 502, 503).contains(answer.statusCode())) {
                    throw new Refused(member(answer.body(), "code") + ": " + member(answer.body(), "message"));
                }
                seconds = Math.min(answer.headers().firstValueAsLong("Retry-After").orElse(pause), 60);
            } catch (IOException noAnswer) {
                // The same call again as well: the reference keeps it from being sent twice.
            }
            Thread.sleep(seconds * 1000);
        }
        throw new IOException("Kurir at " + url + " does not take " + reference + " now. Try again later, with the same reference.");
    }

    /** The same members as a form, with the file itself. */
    static BodyPublisher form(Map<String, String> members, Path file, String boundary) throws IOException {
        String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=";
        StringBuilder fields = new StringBuilder();
        members.forEach((name, value) -> fields.append(head + '"' + name + "\"\r\n\r\n" + value + "\r\n"));
        String shown = file.getFileName().toString().replace("\"", "%22");
        fields.append(head + "\"file\"; filename=\"" + shown + "\"\r\n");
        fields.append("Content-Type: application/octet-stream\r\n\r\n");
        return BodyPublishers.concat(
            BodyPublishers.ofString(fields.toString()),
            BodyPublishers.ofFile(file),
            BodyPublishers.ofString("\r\n--" + boundary + "--\r\n"));
    }

    static String json(Map<String, String> members) {
        StringBuilder out = new StringBuilder();
        members.forEach((name, value) -> out.append(out.length() == 0 ? '{' : ',').append(json(name) + ':' + json(value)));
        return out.append('}').toString();
    }

    /** A text as JSON. */
    static String json(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }

    /** The first text of this name in an answer of Kurir. Use your JSON library where you have one. */
    static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("Usage: java Send.java <phone> <message> <reference> [address or path of a file]");
            System.exit(1);
        }
        try {
            System.out.println(send(args[0], args[1], args[2], args.length > 3 ? args[3] : null));
        } catch (Refused | IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
