import { setTimeout } from 'node:timers/promises'
import { newRow } from '../../test/support/new-message.ts'
import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'

/**
 * Kurir with one official sender. The message `prepare` creates that many messages that wait for a
 * status; `drained` waits until all callbacks are applied.
 */
const [home = '', graph = '', token = '', secret = ''] = process.argv.slice(2)
const { app, call } = await startBuilt(home, { KURIR_GRAPH_URL: graph })
await call('/api/senders', {
  kind: 'official',
  name: 'Bench',
  phone_number_id: '106540352242922',
  waba_id: '102290129340398',
  access_token: token,
  app_secret: secret,
  verify_token: 'bench',
})
const { key } = await call('/api/keys', { kind: 'global', name: 'Bench' })
const senderId = app.store.senders.list().find(({ kind }) => kind === 'official')?.id ?? 0
let made = 0

async function prepare(count: number): Promise<void> {
  const now = Date.now()
  const rows = Array.from({ length: count }, (_, n) =>
    newRow({
      id: `bench-${made + n}`,
      senderId,
      channel: 'template',
      body: null,
      status: 'accepted',
      createdAt: now,
      nextAt: null,
      providerMessageId: `wamid.bench.${made + n}`,
    }),
  )
  made += count
  await Promise.all(rows.map((row) => app.store.messages.accept(row, { unique: false })))
}

async function drained(): Promise<void> {
  while ((await app.store.inbox.waiting(1)).length > 0) await setTimeout(2)
}

process.on('message', async (asked: { prepare?: number; drained?: true }) => {
  if (asked.prepare !== undefined) await prepare(asked.prepare)
  if (asked.drained) await drained()
  process.send?.('done')
})
reportReady({ origin: app.apiUrl(), webhook: app.webhookUrl(), key }, app.close)
