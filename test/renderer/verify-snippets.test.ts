import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { VERIFY_SNIPPETS } from '../../renderer/model/verify-snippets.ts'
import { createSecret, signatureHeaders } from '../../server/webhooks/callback.ts'

const BODY = '{"type":"message.sent","data":{"metadata":{"name":"Sari – 守"}}}'
const secret = createSecret()
/** As during a rotation: the receiver knows the second secret. */
const headers = signatureHeaders('evt_1', Date.now(), BODY, [createSecret(), secret])
const stale = signatureHeaders('evt_1', Date.now() - 3_600_000, BODY, [secret])

type Check = (secret: string, headers: object, rawBody: string) => boolean

test('the lines for JavaScript accept what Kurir signs and nothing else', async () => {
  const module = `data:text/javascript,${encodeURIComponent(VERIFY_SNIPPETS.javascript)}`
  const { isFromKurir } = (await import(/* @vite-ignore */ module)) as { isFromKurir: Check }
  expect(isFromKurir(secret, headers, BODY)).toBe(true)
  expect(isFromKurir(secret, headers, `${BODY} `)).toBe(false)
  expect(isFromKurir(createSecret(), headers, BODY)).toBe(false)
  expect(isFromKurir(secret, stale, BODY)).toBe(false)
})

const LANGUAGES = [
  {
    program: 'python3',
    args: (calls: unknown[][]) => [
      '-c',
      `${VERIFY_SNIPPETS.python}
import json
print(json.dumps([is_from_kurir(s, h, b.encode()) for s, h, b in json.loads(${JSON.stringify(JSON.stringify(calls))})]))`,
    ],
  },
  {
    program: 'php',
    args: (calls: unknown[][]) => [
      '-r',
      `${VERIFY_SNIPPETS.php.replace('<?php', '')}
echo json_encode(array_map(fn($c) => isFromKurir($c[0], $c[1], $c[2]), json_decode(base64_decode('${Buffer.from(JSON.stringify(calls)).toString('base64')}'), true)));`,
    ],
  },
]

for (const { program, args } of LANGUAGES) {
  const missing = spawnSync(program, ['--version']).error !== undefined
  if (missing) console.warn(`${program} is not installed: its lines for checking a signature are not run.`)
  test.skipIf(missing)(`the lines for ${program} accept what Kurir signs and nothing else`, () => {
    const calls = [
      [secret, headers, BODY],
      [secret, headers, `${BODY} `],
      [createSecret(), headers, BODY],
      [secret, stale, BODY],
    ]
    const { stdout, stderr } = spawnSync(program, args(calls), { encoding: 'utf8' })
    expect(stdout, stderr).toMatch(/^\[true, ?false, ?false, ?false\]\s*$/)
  })
}
