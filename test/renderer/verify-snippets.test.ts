import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { signatureOf, VERIFY_SNIPPETS } from '../../renderer/model/verify-snippets.ts'
import { cloudFormat } from '../../server/slices/compat/cloud/callbacks.ts'
import { fonnteFormat } from '../../server/slices/compat/fonnte/callbacks.ts'
import { wablasFormat } from '../../server/slices/compat/wablas/callbacks.ts'
import { wahaFormat } from '../../server/slices/compat/waha/callbacks.ts'
import { createSecret, type Sign, signatureHeaders } from '../../server/webhooks/callback.ts'

type Call = [secret: string, headers: Record<string, string>, rawBody: string]
type Check = (...call: Call) => boolean

const BODY = '{"type":"message.sent","data":{"metadata":{"name":"Sari – 守"}}}'

/** What Kurir signs, and what it does not: each with the right answer. */
function callsOf(sign: Sign, hasAge: boolean): [Call, boolean][] {
  const secret = createSecret()
  // As during a rotation, where both sign: the receiver knows the second secret.
  const secrets = hasAge ? [createSecret(), secret] : [secret]
  const headers = sign('evt_1', Date.now(), BODY, secrets)
  const stale = sign('evt_1', Date.now() - 3_600_000, BODY, [secret])
  return [
    [[secret, headers, BODY], true],
    [[secret, headers, `${BODY} `], false],
    [[createSecret(), headers, BODY], false],
    [[secret, {}, BODY], false],
    [[secret, stale, BODY], !hasAge],
  ]
}

const LANGUAGES = [
  {
    program: 'python3',
    args: (lines: string, calls: Call[]) => [
      '-c',
      `${lines}
import json
print(json.dumps([is_from_kurir(s, h, b.encode()) for s, h, b in json.loads(${JSON.stringify(JSON.stringify(calls))})]))`,
    ],
    linesOf: ({ python }: Record<'python', string>) => python,
  },
  {
    program: 'php',
    args: (lines: string, calls: Call[]) => [
      '-r',
      `${lines.replace('<?php', '')}
echo json_encode(array_map(fn($c) => isFromKurir($c[0], $c[1], $c[2]), json_decode(base64_decode('${Buffer.from(JSON.stringify(calls)).toString('base64')}'), true)));`,
    ],
    linesOf: ({ php }: Record<'php', string>) => php,
  },
]

describe.each([
  ['kurir', undefined],
  ['fonnte', fonnteFormat.sign],
  ['wablas', wablasFormat.sign],
  ['waha', wahaFormat(undefined as never).sign],
  ['cloud_api', cloudFormat.sign],
])('callbacks in the form %s', (format, signOf) => {
  const snippets = VERIFY_SNIPPETS[signatureOf(format)]
  const cases = callsOf(signOf ?? signatureHeaders, signOf === undefined)
  const right = cases.map(([, isRight]) => isRight)

  test('the lines for JavaScript accept what Kurir signs and nothing else', async () => {
    const module = `data:text/javascript,${encodeURIComponent(snippets.javascript)}`
    const { isFromKurir } = (await import(/* @vite-ignore */ module)) as { isFromKurir: Check }
    expect(cases.map(([call]) => isFromKurir(...call))).toEqual(right)
  })

  for (const { program, args, linesOf } of LANGUAGES) {
    const missing = spawnSync(program, ['--version']).error !== undefined
    if (missing) console.warn(`${program} is not installed: its lines for checking a signature are not run.`)
    test.skipIf(missing)(`the lines for ${program} accept what Kurir signs and nothing else`, () => {
      const calls = cases.map(([call]) => call)
      const { stdout, stderr } = spawnSync(program, args(linesOf(snippets), calls), { encoding: 'utf8' })
      expect(JSON.parse(stdout || 'null'), stderr).toEqual(right)
    })
  }
})
