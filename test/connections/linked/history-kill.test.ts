import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDisk } from '../../support/disk.ts'
import { openTestStore } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startProgram } from '../../support/program.ts'
import { SHOP } from '../../support/shop.ts'
import { startWhatsAppPeer } from '../../support/whatsapp-peer/index.ts'

// One that is cut while it comes, one when WhatsApp has just forgotten the notification.
const CHUNKS = 2
const CHATS = 50
const numberOf = (chunk: number, chat: number) => `62812${chunk}${String(chat).padStart(5, '0')}`

/** As the running program has it on disk. */
async function waitingChunks(home: string): Promise<number> {
  const sql = "SELECT count(*) AS n FROM signal_keys WHERE type = 'history-notice'"
  const [row] = await createDisk(home).rows<{ n: number }>(sql, 'sessions.db')
  return row?.n ?? -1
}

interface View {
  state: string
  qr: string | null
}

test('no chunk of the history is lost when the program is killed while they come and are read', async () => {
  const peer = await startWhatsAppPeer({ fewKeys: true })
  onTestFinished(peer.close)
  const certificate = join(temporaryFolder(), 'media.pem')
  writeFileSync(certificate, peer.mediaCa)
  const program = await startProgram({
    KURIR_WHATSAPP_URL: peer.url,
    KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex,
    NODE_EXTRA_CA_CERTS: certificate,
  })
  const { body } = await program.owner<{ data: { sender_code: string } }>('/api/senders', {
    kind: 'linked',
    name: 'Toko',
  })
  const code = body.data.sender_code
  const view = async () => (await program.owner<{ data: View }>(`/api/senders/${code}`)).body.data
  await program.owner(`/api/senders/${code}/link`, { method: 'qr' })
  await eventually(async () => (await view()).qr !== null)
  const phone = peer.phone(SHOP)
  await phone.scan((await view()).qr ?? '')
  await eventually(async () => (await view()).state === 'connected')
  const isTaken = () => phone.pending.unconfirmed === 0

  const { length: logins } = peer.journal.logins
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const chats = Array.from({ length: CHATS }, (_, chat) => ({
      id: `${numberOf(chunk, chat)}@s.whatsapp.net`,
      lastMessageAt: 1_790_000_000,
    }))
    await phone.sendHistory({ chats })
    if (chunk > 0) await eventually(isTaken)
    await program.kill()
    await program.start()
    await eventually(() => peer.journal.logins.length > logins + chunk)
  }
  await eventually(isTaken)
  await eventually(async () => (await waitingChunks(program.home)) === 0)
  await program.kill()

  const store = await openTestStore({ home: program.home, now: Date.now })
  onTestFinished(store.close)
  const senderId = store.senders.byCode(code)?.id ?? 0
  const missing: string[] = []
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    for (let chat = 0; chat < CHATS; chat += 1) {
      const contact = await store.contacts.get(senderId, numberOf(chunk, chat))
      if (contact?.known !== true) missing.push(numberOf(chunk, chat))
    }
  }
  expect(missing).toEqual([])
})
