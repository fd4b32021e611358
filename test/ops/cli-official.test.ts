import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { unregister } from '../support/graph-peer/registration.ts'
import { inState, startOfficial } from '../support/official.ts'

test('a number is registered with a PIN out of a file', async () => {
  const { app, code, peer } = await startOfficial({ prepare: ({ state }) => unregister(state) })
  await inState(app, code, 'offline', 'not_registered')
  peer.state.pin = '111111'
  const file = join(temporaryFolder(), 'pin')
  const register = (pin: string, ...more: string[]) => {
    writeFileSync(file, `${pin}\n`)
    return runCommand(app.home, ['senders', 'register', code, '--pin-file', file, ...more])
  }
  for (const [pin, words] of [
    ['12345', /pin: must look like 482913/],
    ['123456', /The PIN is not that of this number/],
  ] as const) {
    const refused = await register(pin)
    expect([refused.code, refused.out, refused.refused]).toEqual([1, '', expect.stringMatching(words)])
  }
  expect(peer.state.number.platform_type).toBe('NOT_APPLICABLE')
  const done = await register('111111')
  expect(done.err).toBe(`The number of ${code} is registered.\n`)
  expect(done.out).toMatch(new RegExp(`^${code} \\(Toko\\) is \\w+.*\\.\nok    Access token: `))
  // Checks that fail for other reasons do not undo it.
  expect([done.code, process.exitCode ?? 0, done.out]).toEqual([0, 0, expect.stringContaining('FAILS')])
  expect(peer.state.number.platform_type).toBe('CLOUD_API')
  expect((await register('111111', '--json')).json()).toMatchObject({ sender_code: code, kind: 'official' })
  const sandbox = await runCommand(app.home, ['senders', 'register', 'SND-SANDBOX', '--pin-file', file])
  expect([sandbox.code, sandbox.refused]).toEqual([1, expect.stringContaining('SND-SANDBOX')])
})

test('a PIN is no argument, and is asked for only at a terminal', async () => {
  const { app, code } = await startOfficial()
  const none = await runCommand(app.home, ['senders', 'register', code])
  expect([none.code, none.refused]).toEqual([2, expect.stringContaining('--pin-file <file>')])
  expect((await runCommand(app.home, ['senders', 'register', code, '--pin', '111111'])).code).toBe(2)
})

test('Meta is told the public address, and what is missing for it is said', async () => {
  const { app, code, peer } = await startOfficial({
    overrides: { resolve: () => Promise.reject(new Error('no names in tests')) },
  })
  const setUp = (...more: string[]) => runCommand(app.home, ['senders', 'callback-setup', code, ...more])
  const early = await setUp()
  expect([early.code, early.out, early.refused]).toEqual([1, '', expect.stringMatching(/tunnel[\s\S]*Settings first/)])
  await app.owner('/api/settings', { method: 'PATCH', body: { public_webhook_url: 'https://shop.example' } })
  const away = await setUp()
  expect([away.code, away.refused]).toEqual([1, expect.stringContaining('tunnel')])
  peer.state.tunnels.set('https://shop.example', new URL(app.app.webhookUrl()).origin)
  const done = await setUp()
  expect([done.code, done.err]).toEqual([0, `Meta calls Kurir for ${code} now.\n`])
  expect(peer.state.app.callback?.url).toBe('https://shop.example/waba/webhook')
  expect((await setUp('--json')).json()).toMatchObject({ sender_code: code })
})
