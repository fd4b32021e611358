/** How a receiver checks a callback (Standard Webhooks), without a library. `secret` is the whole `whsec_…`. */
export const VERIFY_SNIPPETS = {
  php: `<?php
function isFromKurir(string $secret, array $headers, string $rawBody): bool {
  $signed = $headers['webhook-id'] . '.' . $headers['webhook-timestamp'] . '.' . $rawBody;
  $key = base64_decode(substr($secret, strlen('whsec_')));
  $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
  if (abs(time() - (int) $headers['webhook-timestamp']) > 300) return false;
  foreach (explode(' ', $headers['webhook-signature']) as $signature) {
    if (hash_equals($expected, $signature)) return true;
  }
  return false;
}`,
  javascript: `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isFromKurir(secret, headers, rawBody) {
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], rawBody].join('.')
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = Buffer.from('v1,' + createHmac('sha256', key).update(signed).digest('base64'))
  if (Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) > 300) return false
  return headers['webhook-signature'].split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}`,
  python: `import base64, hashlib, hmac, time

def is_from_kurir(secret: str, headers: dict, raw_body: bytes) -> bool:
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + raw_body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    return any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split(" "))`,
}
