import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CALLBACK_FIELDS } from '../../../server/connections/official/inbox/callback.ts'
import { unregister } from '../../support/graph-peer/registration.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { APP_SECRET, NUMBER_ID, sendTemplate, startOfficial, VERIFY_TOKEN, WABA_ID } from '../../support/official.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/official-api.md'), 'utf8')

/** The shell blocks of the guide, also those inside a list. */
const blocks = [...guide.matchAll(/^( *)```sh\n([\s\S]*?)\n\1```/gm)].map(([, indent = '', code = '']) =>
  code.replaceAll(`\n${indent}`, '\n').trim(),
)

/** Programs that need an account of their own. */
const TUNNELS = /^(cloudflared|tailscale|ngrok) /
const commands = blocks.filter((block) => !TUNNELS.test(block) && !block.startsWith('export TOKEN'))

it('every command of the guide runs here or is a tunnel', () => {
  expect(blocks.filter((block) => TUNNELS.test(block))).toHaveLength(3)
  expect(
    commands.map(
      (block) => /(messages|send-template|register|subscriptions|subscribed_apps|\?fields=\w+)/.exec(block)?.[0],
    ),
  ).toEqual([
    'messages',
    'send-template',
    'register',
    '?fields=display_phone_number',
    'send-template',
    'subscriptions',
    'subscribed_apps',
    '?fields=webhook_configuration',
  ])
})

it('the guide subscribes to the fields that are read', () => {
  const fields = /-d fields=([\w,]+)/.exec(guide)?.[1]?.split(',') ?? []
  expect(fields.toSorted()).toEqual([...CALLBACK_FIELDS].sort())
})

it('the guide leads from the test number to the first status', async () => {
  const { app, peer, meta } = await startOfficial({
    prepare: ({ state }) => {
      state.testRecipients = ['6281234567890']
      state.templates.push(textTemplate('invoice_ready', 'id', 'Halo {{1}}, tagihan {{2}} sebesar {{3}} sudah siap.'))
    },
  })
  const env = {
    ...{ PATH: process.env.PATH, TOKEN: peer.token, APP_ID: peer.state.app.id, APP_SECRET, WABA_ID },
    ...{ PHONE_NUMBER_ID: NUMBER_ID, KURIR_KEY: await app.key() },
  }
  /** Runs a block with curl, as it is printed but for the two addresses and the owner's own token. */
  async function run(block: string | undefined): Promise<Record<string, unknown>> {
    const script = (block ?? '')
      .replaceAll('https://graph.facebook.com', peer.url)
      .replaceAll('http://127.0.0.1:7420', app.url)
      .replace('the verify token of the sender', VERIFY_TOKEN)
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const [hello, helloByKurir, register, look, invoice, callback, subscribe, used] = commands
  const accepted = { contacts: [{ wa_id: '6281234567890' }], messages: [{ message_status: 'accepted' }] }

  expect(await run(hello)).toMatchObject(accepted)
  expect(await run(helloByKurir)).toMatchObject({ success: true, data: { data: accepted } })

  Object.assign(peer.state, { testRecipients: null })
  unregister(peer.state)
  expect(await run(invoice)).toMatchObject({ success: false, error: { hint_code: 'not_registered' } })
  expect(await run(register)).toEqual({ success: true })
  expect(await run(look)).toMatchObject({ status: 'CONNECTED', platform_type: 'CLOUD_API', name_status: 'APPROVED' })
  // The first answer to this Idempotency-Key is kept; another one is another message.
  const sent = await run(invoice?.replaceAll('INV-1001', 'INV-1002'))
  expect(sent).toMatchObject({ success: true, data: { data: accepted } })

  expect(await run(callback)).toMatchObject({ error: { code: 2200 } })
  peer.state.tunnels.set('https://wa.example.com', new URL(app.app.webhookUrl()).origin)
  expect(await run(callback)).toEqual({ success: true })
  expect(await run(subscribe)).toEqual({ success: true })
  expect(await run(used)).toMatchObject({
    webhook_configuration: { application: 'https://wa.example.com/waba/webhook' },
  })
  expect(peer.state.subscribedApps).toHaveLength(1)

  const { id, messageId } = (await sendTemplate(app, { template_name: 'hello_world', language: 'en_US' })).body.data
  await meta.status({ wamid: messageId, status: 'delivered' })
  await app.reached(id, 'delivered')
})
