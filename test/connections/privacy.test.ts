import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { proto } from 'baileys'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { unseal } from '../../server/slices/backup/archive.ts'
import { OWNER_TOKEN, type TestApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { callbacks, metaJson } from '../support/graph-peer/callbacks.ts'
import { APP_SECRET, addOfficial, applied, startOfficial, startShopPeer } from '../support/official.ts'
import { CUSTOMER as KNOWN, SHOP, startShop } from '../support/shop.ts'
import { ACCOUNT_NEWS } from './official/corpus/account.ts'
import { INBOUND } from './official/corpus/inbound.ts'
import { OTHERS } from './official/corpus/others.ts'
import { STATUSES } from './official/corpus/statuses.ts'
import { TEMPLATES } from './official/corpus/templates.ts'

/** Everything that customers write, name or choose in these tests holds it. */
const MARK = 'Rahasia'
const PASSPHRASE = 'a passphrase of the tests'
const BODIES = [...INBOUND, ...STATUSES, ...TEMPLATES, ...ACCOUNT_NEWS, ...OTHERS].map(({ body }) => body)

/** The mark as it is, in base64 at each of its three places, and as UTF-16. */
const FORMS: readonly Buffer[] = [
  Buffer.from(MARK),
  Buffer.from(MARK.toLowerCase()),
  Buffer.from(MARK, 'utf16le'),
  ...[0, 1, 2].map((at) => {
    const text = Buffer.concat([Buffer.alloc(at), Buffer.from(MARK)]).toString('base64')
    // Without the characters that its neighbours share.
    return Buffer.from(text.slice(at === 0 ? 0 : at + 1, -3))
  }),
]
const holdsMark = (bytes: Buffer): boolean => FORMS.some((form) => bytes.includes(form))

/** Where the program keeps something that holds the mark. */
const marked = (app: TestApp): Promise<string[]> => app.disk.places(holdsMark)

async function plainBackup(app: TestApp): Promise<Buffer> {
  const answer = await request(`${app.url}/api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: PASSPHRASE }),
    reset: true,
  })
  return buffer(Readable.from(unseal(answer.body, PASSPHRASE)))
}

const LINKED: readonly (string | proto.IMessage)[] = [
  `${MARK}: alamat saya Jl. Mawar 1`,
  {
    extendedTextMessage: { text: `${MARK} ya`, contextInfo: { stanzaId: 'X', quotedMessage: { conversation: MARK } } },
  },
  { imageMessage: { caption: `${MARK} bukti bayar`, mimetype: 'image/jpeg', url: `https://mmg.whatsapp.net/${MARK}` } },
  { documentMessage: { fileName: `${MARK}.pdf`, title: MARK, caption: MARK } },
  { locationMessage: { degreesLatitude: -6.2, degreesLongitude: 106.8, name: MARK, address: MARK } },
  { contactMessage: { displayName: MARK, vcard: `BEGIN:VCARD\nFN:${MARK}\nEND:VCARD` } },
  { reactionMessage: { key: { id: 'X', remoteJid: `${SHOP}@s.whatsapp.net` }, text: MARK } },
  { buttonsResponseMessage: { selectedButtonId: MARK, selectedDisplayText: MARK } },
  { listResponseMessage: { title: MARK, description: MARK, singleSelectReply: { selectedRowId: MARK } } },
  { pollCreationMessage: { name: MARK, options: [{ optionName: MARK }] } },
  { ephemeralMessage: { message: { conversation: MARK } } },
  { viewOnceMessage: { message: { imageMessage: { caption: MARK } } } },
]

test('nothing that customers write is in any file, in the backup, in the log or in the diagnostics', async () => {
  const graph = await startShopPeer()
  onTestFinished(graph.close)
  const { app, peer, phone, link, send } = await startShop({ env: { KURIR_GRAPH_URL: graph.url } })
  const code = await addOfficial(app)
  const meta = callbacks({ to: app.app.webhookUrl(), appSecret: APP_SECRET })
  for (const body of BODIES) expect((await meta.raw(metaJson(body))).status).toBe(200)
  expect(holdsMark(Buffer.from(metaJson(INBOUND.map(({ body }) => body)))), 'the mark can be found').toBe(true)

  await link()
  const customer = peer.recipient('6285555555550', { name: `${MARK} Wijaya` })
  for (const message of LINKED) await customer.send(message)
  await phone.sendHistory({ chats: [{ id: `${KNOWN}@s.whatsapp.net`, texts: [`${MARK} kemarin`, MARK] }] })
  await phone.sendHistory({ chats: [{ id: `${KNOWN}@s.whatsapp.net`, texts: [`${MARK} dulu`] }] }, { inline: true })
  // Kurir's own messages still go, before and after an answer.
  await app.reached(await send({ message: 'Terima kasih' }), 'delivered', 'read', 'sent')
  await eventually(async () => phone.pending.unconfirmed === 0)
  await applied(app)

  expect(await marked(app), 'while it runs').toEqual([])
  expect(holdsMark(await plainBackup(app)), 'in the backup').toBe(false)
  const diagnostics = await app.owner('/api/diagnostics')
  expect([diagnostics.status, holdsMark(Buffer.from(diagnostics.text))]).toEqual([200, false])
  await app.restart(async () => expect(await marked(app), 'after it was closed').toEqual([]))
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  expect(await marked(app), 'after a restart').toEqual([])
  expect(holdsMark(Buffer.from(app.logs()))).toBe(false)
})

test('a repeat of a callback is known by its digest alone, which goes after eight days', async () => {
  const { app, meta } = await startOfficial()
  const body = metaJson(INBOUND[0]?.body)
  await meta.raw(body)
  await meta.raw(body)
  const { inbox, retention } = app.app.store
  expect(await inbox.waiting(1)).toEqual([])
  const expired = (now: number) => retention.expire({ now, ended: 0 }, 10)
  const end = Date.now() + 8 * 24 * 3_600_000
  expect(await expired(end - 60_000), 'not yet').toBe(0)
  expect(await expired(end + 60_000), 'one row for both').toBe(1)
})
