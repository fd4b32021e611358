import { randomBytes } from 'node:crypto'
import { Agent } from 'node:https'
import { connect } from '../../test/support/plain-client.ts'
import { reportReady } from './processes.ts'

/**
 * A plain Baileys loop with keys in memory that waits for each acknowledgement: the simplest
 * sender.
 */
const [url = '', rootKeyHex = '', mediaCa = '', numbers = '1'] = process.argv.slice(2)
const peer = { url, rootKeyHex, mediaAgent: new Agent({ ca: mediaCa }) }

async function link(n: number) {
  const first = connect(peer)
  process.send?.({ qr: await first.qr(), n })
  await first.closed
  const client = connect(peer, first.auth)
  await client.open
  return client
}
const clients: Awaited<ReturnType<typeof link>>[] = []
for (let n = 0; n < Number(numbers); n += 1) clients.push(await link(n))
const [client] = clients as [Awaited<ReturnType<typeof link>>]

async function send(recipient: string, text: string): Promise<void> {
  const messageId = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
  const acknowledged = client.acknowledged(messageId)
  await client.socket.sendMessage(`${recipient}@s.whatsapp.net`, { text }, { messageId })
  await acknowledged
}

process.on('message', async ({ recipient, count }: { recipient: string; count: number }) => {
  const began = performance.now()
  for (let n = 0; n < count; n += 1) await send(recipient, `nomor ${n}`)
  process.send?.({ perSecond: count / ((performance.now() - began) / 1000) })
})
reportReady({ ready: true, rss: process.memoryUsage.rss() }, () => {
  for (const { socket } of clients) socket.end(undefined)
})
