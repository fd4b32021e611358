import { join } from 'node:path'
import { newRow } from '../../test/support/new-message.ts'
import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'

/** Kurir with its window and 10,000 read messages. */
const [home = ''] = process.argv.slice(2)
const ROWS = 10_000

const { app, call } = await startBuilt(home, {}, { pages: join(import.meta.dirname, '../../dist/renderer') })
await call('/api/settings', { onboarded: true }, 'PATCH')
const { sender_code: code } = await call('/api/senders', { kind: 'linked', name: 'Shop' })
const senderId = app.store.senders.byCode(code ?? '')?.id ?? 0
const row = (n: number) =>
  app.store.messages.accept(
    newRow({ senderId, status: 'read', nextAt: null, body: `Invoice INV-${n} is ready, thank you` }),
    { unique: false },
  )
for (let n = 0; n < ROWS; n += 1_000) await Promise.all(Array.from({ length: 1_000 }, (_, i) => row(n + i)))
reportReady({ window: app.newWindowLink().url }, app.close)
