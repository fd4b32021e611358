import { Agent } from 'undici'
import type { SenderView } from '../../server/contract/senders.ts'
import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'

/** Kurir with linked numbers on a peer. Sends each QR code to its parent, which scans it. */
const [home = '', url = '', rootKey = '', mediaCa = '', senders = '1'] = process.argv.slice(2)
const { app, call } = await startBuilt(
  home,
  { KURIR_WHATSAPP_URL: url, KURIR_WHATSAPP_ROOT_KEY: rootKey },
  { linked: { mediaDispatcher: new Agent({ connect: { ca: mediaCa } }) } },
)

function until(code: string, wanted: (view: SenderView) => boolean): Promise<SenderView> {
  return new Promise((resolve) => {
    const look = async () => {
      const view = await call<SenderView>(`/api/senders/${code}`)
      if (wanted(view)) {
        stop()
        resolve(view)
      }
    }
    const stop = app.bus.on('sender', () => void look())
    void look()
  })
}

const codes: string[] = []
for (let n = 0; n < Number(senders); n += 1) {
  const { sender_code: code } = await call<SenderView>('/api/senders', {
    kind: 'linked',
    name: `Bench ${n}`,
    pacing: { min_seconds: 0, max_seconds: 0 },
  })
  await call(`/api/senders/${code}/link`, { method: 'qr' })
  const { qr } = await until(code, (view) => view.qr !== null)
  process.send?.({ qr, n })
  await until(code, (view) => view.state === 'connected')
  codes.push(code)
}

/**
 * Accepts messages while the sender is paused, then resumes it, which measures only the way from
 * the disk to the acknowledgement.
 */
async function run(recipient: string, count: number): Promise<number> {
  const [code] = codes
  await call(`/api/senders/${code}/pause`, {})
  const waiting = new Set<number>()
  for (let n = 0; n < count; n += 1) {
    const { id } = await call<{ id: string }>('/send', { sender_code: code, phone: recipient, message: `nomor ${n}` })
    const message = await app.store.messages.find({ id })
    if (message !== undefined) waiting.add(message.seq)
  }
  const done = Promise.withResolvers<void>()
  const stop = app.bus.on('message', ({ seq, status }) => {
    if (!['sent', 'delivered', 'read'].includes(status)) return
    waiting.delete(seq)
    if (waiting.size === 0) done.resolve()
  })
  const began = performance.now()
  await call(`/api/senders/${code}/resume`, {})
  await done.promise
  stop()
  return count / ((performance.now() - began) / 1000)
}

process.on('message', async ({ recipient, count }: { recipient: string; count: number }) => {
  process.send?.({ perSecond: await run(recipient, count) })
})
reportReady({ ready: true, rss: process.memoryUsage.rss(), origin: app.apiUrl(), token: app.ownerToken }, app.close)
