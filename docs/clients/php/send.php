<?php
// Sends one message: php send.php <phone> <message> <reference> [address or path of a file]
// Needs PHP 7.4 or newer, no extension. KURIR_KEY holds the API key.

/** Kurir said no: the same call would be refused again. */
class KurirRefused extends Exception {}

/**
 * Gives a message to Kurir, and repeats the call until it is certain that Kurir has it.
 * $reference is your own number for this message (such as INV-1001): Kurir sends it once, however often you ask.
 * Returns Kurir's id of the message.
 */
function kurirSend(string $phone, string $message, string $reference, ?string $file = null): string {
  $url = getenv('KURIR_URL') ?: 'http://127.0.0.1:7420';
  $body = ['phone' => $phone, 'message' => $message, 'reference_id' => $reference];
  if (getenv('KURIR_SENDER')) $body['sender_code'] = getenv('KURIR_SENDER');
  if ($file === null || preg_match('~^https?:~', $file)) {
    if ($file !== null) $body['file'] = $file;
    $type = 'application/json';
    $content = json_encode($body);
  } else {
    $boundary = bin2hex(random_bytes(16));
    $type = "multipart/form-data; boundary=$boundary";
    $content = kurirForm($body, $file, $boundary);
  }
  $request = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
      'Authorization: Bearer ' . getenv('KURIR_KEY'),
      'Content-Type: ' . $type,
      'Idempotency-Key: ' . $reference,
    ],
    'content' => $content,
    'timeout' => 60,
    'ignore_errors' => true, // gives us the answer of a refusal as well
  ]]);

  foreach ([1, 2, 5, 10, 0] as $pause) {
    $stream = @fopen("$url/send", 'r', false, $request);
    $headers = $stream ? stream_get_meta_data($stream)['wrapper_data'] : [];
    $status = preg_match('~^HTTP/\S+ (\d+)~', $headers[0] ?? '', $found) ? (int) $found[1] : 0;
    $answer = $stream ? json_decode((string) stream_get_contents($stream), true) : null;
    if ($status === 200 && isset($answer['data']['id'])) return $answer['data']['id'];
    // No answer, too fast, or Kurir is closing: the same call again, a little later.
    if (!in_array($status, [0, 200, 429, 500, 502, 503], true)) {
      throw new KurirRefused(($answer['error']['code'] ?? $status) . ': ' . ($answer['message'] ?? 'no explanation'));
    }
    foreach ($headers as $line) {
      if (preg_match('/^Retry-After: (\d+)/i', $line, $found)) $pause = min((int) $found[1], 60);
    }
    sleep($pause);
  }
  throw new RuntimeException("Kurir at $url does not take $reference now. Try again later, with the same reference.");
}

/** The same members as a form, with the file itself. */
function kurirForm(array $members, string $path, string $boundary): string {
  $content = @file_get_contents($path);
  if ($content === false) throw new RuntimeException("$path cannot be read.");
  $form = '';
  foreach ($members as $name => $value) {
    $form .= "--$boundary\r\nContent-Disposition: form-data; name=\"$name\"\r\n\r\n$value\r\n";
  }
  $shown = str_replace('"', '%22', basename($path));
  $form .= "--$boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"$shown\"\r\n";
  return $form . "Content-Type: application/octet-stream\r\n\r\n$content\r\n--$boundary--\r\n";
}

if ($argc < 4) {
  fwrite(STDERR, "Usage: php send.php <phone> <message> <reference> [address or path of a file]\n");
  exit(1);
}
try {
  echo kurirSend($argv[1], $argv[2], $argv[3], $argv[4] ?? null), "\n";
} catch (Exception $error) {
  fwrite(STDERR, $error->getMessage() . "\n");
  exit(1);
}
