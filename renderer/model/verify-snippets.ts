interface VerifySnippets {
  php: string
  javascript: string
  python: string
}

/** Standard Webhooks, without a library. `secret` is the whole `whsec_…`. */
const STANDARD: VerifySnippets = {
  php: `<?php
function isFromKurir(string $secret, array $headers, string $rawBody): bool {
  $timestamp = $headers['webhook-timestamp'] ?? '';
  if (!preg_match('/^\\d+$/', $timestamp) || abs(time() - (int) $timestamp) > 300) return false;
  $signed = ($headers['webhook-id'] ?? '') . '.' . $timestamp . '.' . $rawBody;
  $key = base64_decode(substr($secret, strlen('whsec_')));
  $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
  foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
    if (hash_equals($expected, $signature)) return true;
  }
  return false;
}`,
  javascript: `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isFromKurir(secret, headers, rawBody) {
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!/^\\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = createHmac('sha256', key).update(\`\${headers['webhook-id']}.\${timestamp}.\`).update(rawBody)
  const expected = Buffer.from(\`v1,\${signed.digest('base64')}\`)
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}`,
  python: `import base64, hashlib, hmac, time

def is_from_kurir(secret: str, headers, raw_body: bytes) -> bool:
    timestamp = headers.get("webhook-timestamp") or ""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + raw_body
    key = base64.b64decode(secret[len("whsec_"):])
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = (headers.get("webhook-signature") or "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)`,
}

/** For gateways that sign only the raw body, in hex. The key is the text of the whole secret. */
const ofBody = (header: string, algorithm: 'sha256' | 'sha512', prefix: string): VerifySnippets => ({
  php: `<?php
function isFromKurir(string $secret, array $headers, string $rawBody): bool {
  $expected = '${prefix}' . hash_hmac('${algorithm}', $rawBody, $secret);
  return hash_equals($expected, $headers['${header}'] ?? '');
}`,
  javascript: `import { createHmac, timingSafeEqual } from 'node:crypto'

export function isFromKurir(secret, headers, rawBody) {
  const expected = Buffer.from('${prefix}' + createHmac('${algorithm}', secret).update(rawBody).digest('hex'))
  const given = Buffer.from(headers['${header}'] ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}`,
  python: `import hashlib, hmac

def is_from_kurir(secret: str, headers, raw_body: bytes) -> bool:
    expected = "${prefix}" + hmac.digest(secret.encode(), raw_body, hashlib.${algorithm}).hex()
    given = headers.get("${header}") or ""
    return hmac.compare_digest(expected.encode(), given.encode())`,
})

/** Code with which a receiver checks a callback, by the kind of signature. */
export const VERIFY_SNIPPETS = {
  standard: STANDARD,
  waha: ofBody('x-webhook-hmac', 'sha512', ''),
  cloud_api: ofBody('x-hub-signature-256', 'sha256', 'sha256='),
}

/** Returns the kind of signature that callbacks of a format have. */
export const signatureOf = (format: string): keyof typeof VERIFY_SNIPPETS =>
  format === 'waha' || format === 'cloud_api' ? format : 'standard'
