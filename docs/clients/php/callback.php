<?php
// Takes Kurir's callbacks. Put it on your web server, or try it with: php -S 127.0.0.1:8090 callback.php
// The secret is the whole whsec_… that Kurir's window showed under Webhooks.

// A warning on the page would send 200 before the event is kept: Kurir repeats only what was not 2xx.
ini_set('display_errors', '0');
http_response_code(500);

$secret = getenv('KURIR_WEBHOOK_SECRET') ?: 'whsec_…';
// Events name customers: on a web server set a folder that it does not show.
$inbox = getenv('KURIR_INBOX') ?: __DIR__ . '/inbox';

function isFromKurir(string $secret, array $headers, string $rawBody): bool {
  $timestamp = $headers['webhook-timestamp'] ?? '';
  if (!preg_match('/^\d+$/', $timestamp) || abs(time() - (int) $timestamp) > 300) return false;
  $signed = ($headers['webhook-id'] ?? '') . '.' . $timestamp . '.' . $rawBody;
  $key = base64_decode(substr($secret, strlen('whsec_')));
  $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
  foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
    if (hash_equals($expected, $signature)) return true;
  }
  return false;
}

// Not getallheaders(): it writes the names differently under FPM and CGI.
$headers = [
  'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
  'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
  'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
];
$rawBody = file_get_contents('php://input');
if (!isFromKurir($secret, $headers, $rawBody)) {
  http_response_code(401);
  exit;
}

// Keep it first and answer; another script does the work. A repeated callback has the same id, and so the same file.
if (!is_dir($inbox)) mkdir($inbox, 0700, true);
$kept = file_put_contents($inbox . '/' . basename($headers['webhook-id']) . '.json', $rawBody, LOCK_EX);
if ($kept !== false) http_response_code(204);
