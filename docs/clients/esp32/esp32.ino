// Sends a message when a button is pressed, from an ESP32 (Arduino core 2 or 3; for an ESP8266 take ESP8266WiFi.h and
// ESP8266HTTPClient.h, and http.begin(client, url)). NOT COMPILED by the tests: the core is not in Debian.
// The board calls Kurir over the LAN: switch the LAN on in Kurir's settings, and give it a device key of its own.
#include <HTTPClient.h>
#include <WiFi.h>

const char *WIFI_NAME = "Toko", *WIFI_PASSWORD = "...";
const char *KURIR_URL = "http://192.168.1.10:7420";
const char *KURIR_KEY = "kurir_d_...";
const int BUTTON = 0;
enum Taken { QUEUED, REFUSED, LATER };

// A text in JSON. UTF-8 stays as it is.
String jsonText(const String &text) {
  String json = "\"";
  for (size_t i = 0; i < text.length(); i++) {
    const unsigned char letter = text[i];
    char escaped[8];
    if (letter == '"' || letter == '\\') json += '\\';
    if (letter >= 32) {
      json += (char)letter;
    } else {
      snprintf(escaped, sizeof escaped, "\\u%04x", letter);
      json += escaped;
    }
  }
  return json + "\"";
}

// Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. The reference is your own
// number for this message: Kurir sends it once, however often you ask.
Taken kurirSend(const String &phone, const String &message, const String &reference) {
  const String body = "{\"phone\":" + jsonText(phone) + ",\"message\":" + jsonText(message) +
                      ",\"reference_id\":" + jsonText(reference) + "}";
  const int pauses[] = {1, 2, 5, 10, 0};
  const char *wanted[] = {"Retry-After"};
  for (int pause : pauses) {
    HTTPClient http;
    http.begin(String(KURIR_URL) + "/send");
    http.setConnectTimeout(5000);
    http.setTimeout(60000);
    http.collectHeaders(wanted, 1);
    http.addHeader("Authorization", String("Bearer ") + KURIR_KEY);
    http.addHeader("Content-Type", "application/json");
    http.addHeader("Idempotency-Key", reference);
    const int status = http.POST(body); // Below 0: no connection, or no answer.
    const String answer = http.getString();
    const String after = http.header("Retry-After");
    http.end();
    if (status == 200) return QUEUED;
    Serial.printf("kurir: %d %s\n", status, answer.c_str());
    // Kurir said no: the same call would be refused again.
    if (status > 0 && status != 429 && status != 500 && status != 502 && status != 503) return REFUSED;
    delay(1000UL * min(after.length() > 0 ? (long)after.toInt() : (long)pause, 60L));
  }
  return LATER; // Try again later, with the same reference.
}

void setup() {
  Serial.begin(115200);
  pinMode(BUTTON, INPUT_PULLUP);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
}

void loop() {
  if (digitalRead(BUTTON) == LOW && WiFi.status() == WL_CONNECTED) {
    // A new reference for each press, kept until Kurir has taken it.
    const String reference = "bell-" + String(esp_random());
    while (kurirSend("6281234567890", "Somebody is at the door", reference) == LATER) delay(60000);
  }
  delay(50);
}
