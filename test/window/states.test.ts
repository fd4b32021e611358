import { mkdirSync, renameSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConcernAction } from '../../server/contract/concerns.ts'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { DAY, HOUR, MINUTE } from '../../server/lib/clock.ts'
import { createPrintStore } from '../../server/slices/printer/store.ts'
import type { OfficialFacts, SendingState } from '../../server/store/index.ts'
import { WORDS } from '../../server/words/index.ts'
import { change, LOOK, look, put, take } from '../drop-folder/world.ts'
import { OWNER_TOKEN, SANDBOX, type StartOptions, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES, startWindowApp } from '../support/browser.ts'
import { closeAfter } from '../support/cleanup.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { newRow } from '../support/new-message.ts'
import { addEnded, addNumber, addWaiting, changeNumber } from '../support/numbers.ts'
import { addOfficial } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { startShop } from '../support/shop.ts'
import { text, textId } from '../support/texts.ts'

/**
 * A state of the shop and what Home says first: who, the effect, since when or until when, and the
 * one act that helps. `TIME` stands for a time of the clock, with or without its day.
 */
interface State {
  name: string
  overrides?: StartOptions['overrides']
  /** How long ago the program was started, where that matters: its clock then stands still. */
  startedAgo?: number
  prepare: (app: TestApp, clock: TestClock) => Promise<unknown>
  en: string
  id: string
  act: ConcernAction | null
  /** It is in a row below a sentence that says that all is well. */
  isNote?: boolean
}

const TIME = String.raw`(?:\w+,? \d+ \w+ )?\d\d[:.]\d\d`
/** Names, in the sentences below, of parts that differ each time. */
const OTHERS = { TIME, NUMBER: String.raw`\d+`, HOST: String.raw`127\.0\.0\.1:\d+`, PATH: String.raw`\S+[/\\]` }
const pattern = (sentence: string) =>
  Object.entries(OTHERS).reduce(
    (source, [name, its]) => source.replaceAll(name, its),
    sentence.replaceAll(/[.?()+]/g, String.raw`\$&`),
  )

const at = (hours: number) => Date.now() + hours * HOUR

/** The number that is in trouble, beside one that works. */
const gudang = async (app: TestApp, waiting: number, more: Parameters<typeof addNumber>[2]) => {
  await addNumber(app, 'Toko Budi')
  const code = await addNumber(app, 'Gudang', more)
  await addWaiting(app, code, waiting)
  return code
}

/** Messages that are due, without waking their lane. */
async function addDue(app: TestApp, code: string, count: number, nextAt = Date.now()): Promise<void> {
  const { store } = app.app
  const senderId = store.senders.byCode(code)?.id ?? 0
  await Promise.all(
    Array.from({ length: count }, () => store.messages.accept(newRow({ senderId, nextAt }), { unique: false })),
  )
}

/** An official number for which all is well but for what Meta says. */
async function resmi(app: TestApp, facts: Partial<OfficialFacts>): Promise<void> {
  const code = await addOfficial(app, { name: 'Toko Resmi' })
  const { store } = app.app
  await store.officialFacts.change(store.senders.byCode(code)?.id ?? 0, () => ({
    ...{ checks: [], lastStatusAt: Date.now(), setupReason: null },
    ...facts,
  }))
  await changeNumber(app, code, { state: 'connected', reason: null })
}

/** A number that sent once a day, and then nothing for a while. */
async function quietSince(app: TestApp, quiet: number, days: number): Promise<void> {
  const code = await addNumber(app, 'Gudang')
  const { store } = app.app
  for (let day = quiet + days - 1; day >= quiet; day -= 1) {
    const ended = Date.now() - day * DAY
    await addEnded(app, code, 1, 'read', { accepted: ended - HOUR, ended })
    const change = (state: SendingState) => ({ ...state, lastSentAt: ended })
    await store.sendingState.change(store.senders.byCode(code)?.id ?? 0, change)
  }
}

/** The receipt printer, on a free port. */
async function addPrinter(app: TestApp): Promise<number> {
  await addNumber(app, 'Toko Budi')
  const port = await freePort()
  await app.owner('/api/printer', { method: 'PATCH', body: { on: true, port } })
  return port
}

/** Prints that need the owner. */
async function addPrints(app: TestApp, count: number): Promise<void> {
  const one = { status: 'waiting', reason: 'several_numbers' } as const
  const add = (n: number) =>
    createPrintStore(app.app.store.statements).add(
      { ...one, id: `print ${n}`, at: at(-1), content: Buffer.from('x'), digest: String(n) },
      { prints: count, bytes: 1_000_000 },
    )
  await Promise.all(Array.from({ length: count }, (_, n) => add(n)))
}

/** The drop folder, switched on. */
async function addDropFolder(app: TestApp, settings: Parameters<typeof change>[1] = {}): Promise<string> {
  await addNumber(app, 'Toko Budi')
  const folder = join(temporaryFolder(), 'kirim')
  const { status, text } = await change(app, { folder, sender_code: SANDBOX, on: true, ...settings })
  expect(status, text).toBe(200)
  return folder
}

/** A folder of automatic backups, with the first one. */
async function addBackups(app: TestApp): Promise<string> {
  await addNumber(app, 'Toko Budi')
  const folder = join(temporaryFolder(), 'stick')
  await app.owner('/api/backup/plan', { method: 'PATCH', body: { folder } })
  // An order that comes before its end would not begin another one.
  await eventually(async () => {
    const { data } = (await app.owner<{ last: object | null; running: boolean }>('/api/backup/plan')).body
    return data.last !== null && !data.running
  })
  return folder
}

/** An endpoint that answers so, and a callback for it. */
async function addEndpoint(app: TestApp, status: number): Promise<void> {
  await addNumber(app, 'Toko Budi')
  const receiver = await startReceiver()
  receiver.always({ status })
  await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.sent'] } })
  await app.owner('/send', { body: { sender_code: SANDBOX, phone: '6281234567890', message: 'halo' } })
  await eventually(async () => (await app.app.store.endpoints.list())[0]?.lastError != null)
}

const firstContacts = (heldBy: 'lock' | 'cap' | 'wrong_numbers') => ({
  firstContacts: { until: at(2), heldBy, newChats: null },
})

/** For so long that callers heard of it. */
const OFFLINE = { state: 'offline', reason: 'connection_lost', announced: 'sender.disconnected' } as const

const STATES: State[] = [
  {
    name: 'all is well',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addEnded(app, code, 38, 'read')
    },
    en: 'All is well.',
    id: 'Semua baik.',
    act: null,
  },
  {
    name: 'nothing linked',
    prepare: async () => undefined,
    en: 'No number is linked yet.',
    id: 'Belum ada nomor yang tertaut.',
    act: 'add_number',
  },
  {
    name: 'one sender offline, another one connected',
    prepare: (app) => gudang(app, 14, { ...OFFLINE, since: at(-1) }),
    en: 'WhatsApp does not let Gudang in since TIME. Other numbers of this PC are connected. 14 messages are waiting.',
    id: 'WhatsApp tidak menerima sambungan Gudang sejak TIME. Nomor lain di PC ini tersambung. 14 pesan menunggu.',
    act: 'try_again',
  },
  {
    name: 'the only sender offline',
    prepare: (app) => addNumber(app, 'Gudang', { ...OFFLINE, since: at(-1) }),
    en: 'Gudang cannot reach WhatsApp since TIME. Is this PC online?',
    id: 'Gudang tidak dapat menjangkau WhatsApp sejak TIME. Apakah PC ini online?',
    act: 'try_again',
  },
  {
    name: 'banned until tomorrow',
    prepare: (app) => gudang(app, 9, { state: 'restricted', reason: 'temporarily_banned', until: at(24) }),
    en: 'WhatsApp has blocked Gudang until TIME. 9 messages are waiting.',
    id: 'WhatsApp memblokir Gudang sampai TIME. 9 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'banned for good',
    prepare: (app) => gudang(app, 9, { state: 'restricted', reason: 'banned', since: at(-1) }),
    en: 'WhatsApp has banned Gudang (since TIME). 9 messages are waiting.',
    id: 'WhatsApp memblokir Gudang secara permanen (sejak TIME). 9 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'locked by WhatsApp',
    prepare: (app) => gudang(app, 2, { state: 'restricted', reason: 'locked', since: at(-1) }),
    en: 'WhatsApp has locked Gudang (since TIME). 2 messages are waiting.',
    id: 'WhatsApp mengunci Gudang (sejak TIME). 2 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'removed after a restriction',
    prepare: (app) => gudang(app, 2, { state: 'logged_out', reason: 'removed_by_whatsapp', since: at(-1) }),
    en: 'WhatsApp has probably unlinked Gudang (since TIME). 2 messages are waiting.',
    id: 'WhatsApp sepertinya memutus Gudang (sejak TIME). 2 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'logged out',
    prepare: (app) => gudang(app, 38, { state: 'logged_out', reason: 'unlinked_on_phone', since: at(-1) }),
    en: 'Gudang was unlinked on the phone (since TIME). 38 messages are waiting.',
    id: 'Tautan Gudang diputus dari ponsel (sejak TIME). 38 pesan menunggu.',
    act: 'link_again',
  },
  {
    name: 'another phone linked',
    prepare: (app) => gudang(app, 3, { phone: '6289999999999', previousPhone: '6281111111111', since: at(-1) }),
    en: 'Gudang was linked with another phone number: +62 899-9999-9999 (since TIME). 3 messages are waiting.',
    id: 'Gudang ditautkan dengan nomor lain: +62 899-9999-9999 (sejak TIME). 3 pesan menunggu.',
    act: 'decide',
  },
  {
    name: 'a lock on new chats',
    prepare: (app) => gudang(app, 17, firstContacts('lock')),
    en: 'WhatsApp limits new chats of Gudang until TIME. 17 messages are waiting.',
    id: 'WhatsApp membatasi chat baru dari Gudang sampai TIME. 17 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'a cap on new chats',
    prepare: (app) => gudang(app, 17, firstContacts('cap')),
    en: 'Gudang has used up the new chats that WhatsApp allows until TIME. 17 messages are waiting.',
    id: 'Jatah chat baru Gudang dari WhatsApp sudah habis sampai TIME. 17 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: 'wrong numbers',
    prepare: (app) => gudang(app, 17, firstContacts('wrong_numbers')),
    en: 'Many numbers in a row are not on WhatsApp: first messages of Gudang wait until TIME. 17 messages are waiting.',
    id: 'Banyak nomor berturut-turut tidak ada di WhatsApp: pesan ke nomor baru dari Gudang ditahan sampai TIME. 17 pesan menunggu.',
    act: 'what_to_do',
  },
  {
    name: '28 of 66 failed',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addEnded(app, code, 38, 'read')
      await addEnded(app, code, 28, 'recipient_not_on_whatsapp')
    },
    en: '28 of 66 messages failed SPAN: not on WhatsApp.',
    id: '28 dari 66 pesan gagal SPAN: tidak ada di WhatsApp.',
    act: 'see_messages',
  },
  {
    name: '9 of 47 failed: no alarm, and not green',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addEnded(app, code, 38, 'read')
      await addEnded(app, code, 9, 'recipient_not_on_whatsapp')
    },
    en: '9 of 47 messages did not arrive SPAN: not on WhatsApp.',
    id: '9 dari 47 pesan tidak sampai SPAN: tidak ada di WhatsApp.',
    act: 'see_messages',
  },
  {
    name: 'what waits outranks failures of before',
    async prepare(app) {
      const code = await gudang(app, 14, { state: 'logged_out', reason: 'unlinked_on_phone', since: at(-1) })
      await addEnded(app, code, 28, 'recipient_not_on_whatsapp')
    },
    en: 'Gudang was unlinked on the phone (since TIME). 14 messages are waiting.',
    id: 'Tautan Gudang diputus dari ponsel (sejak TIME). 14 pesan menunggu.',
    act: 'link_again',
  },
  {
    name: 'a disk that is nearly full',
    overrides: { freeBytes: () => 160_000_000 },
    prepare: (app) => addNumber(app, 'Toko Budi'),
    en: 'The disk is nearly full: 160 MB are left.',
    id: 'Disk hampir penuh: sisa 160 MB.',
    act: 'open_settings',
  },
  {
    name: 'a line of hours',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await app.owner(`/api/senders/${code}`, {
        method: 'PATCH',
        body: { pacing: { min_seconds: 30, max_seconds: 90 } },
      })
      await addDue(app, code, 150)
    },
    en: 'Toko Budi has much to send: at its pace until about TIME. 150 messages are waiting.',
    id: 'Toko Budi punya banyak kiriman: dengan jedanya sekarang baru selesai kira-kira TIME. 150 pesan menunggu.',
    act: 'change_pace',
  },
  {
    name: 'one paused',
    async prepare(app) {
      const code = await gudang(app, 11, {})
      await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
    },
    en: 'You have paused Gudang. 11 messages are waiting.',
    id: 'Anda menjeda Gudang. 11 pesan menunggu.',
    act: 'resume',
  },
  {
    name: 'all paused',
    async prepare(app) {
      await gudang(app, 21, {})
      await app.app.setAllPaused(true)
    },
    en: 'You have paused all sending. 21 messages are waiting.',
    id: 'Anda menjeda semua pengiriman. 21 pesan menunggu.',
    act: 'resume_all',
  },
  {
    name: 'quiet hours',
    async prepare(app) {
      const code = await gudang(app, 14, {})
      const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 5)
      const quiet_hours = { from: clock(at(-1)), to: clock(at(2)) }
      await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { quiet_hours } })
    },
    en: 'Gudang keeps its quiet hours until TIME. 14 messages are waiting.',
    id: 'Gudang sedang jam tenang sampai TIME. 14 pesan menunggu.',
    act: 'change_hours',
  },
  {
    name: 'the daily cap',
    async prepare(app) {
      const code = await gudang(app, 23, {})
      const { store } = app.app
      await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { daily_cap: 1 } })
      const day = new Date()
      const two = (n: number) => String(n).padStart(2, '0')
      await store.sendingState.change(store.senders.byCode(code)?.id ?? 0, (state) => ({
        ...state,
        day: `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`,
        sentOnDay: 1,
      }))
    },
    en: 'Gudang has reached the daily limit that you set and goes on TIME. 23 messages are waiting.',
    id: 'Gudang mencapai batas harian dari Anda dan lanjut TIME. 23 pesan menunggu.',
    act: 'change_limit',
  },
  {
    name: 'Meta restricted',
    prepare: (app) =>
      resmi(app, {
        account: {
          ...{ standing: 'restricted', reason: 'account_restricted', detail: 'SPAM' },
          ...{ since: at(-1), from: null, until: at(72) },
        },
      }),
    en: 'Meta has restricted the account of Toko Resmi until TIME.',
    id: 'Meta membatasi akun Toko Resmi sampai TIME.',
    act: 'what_to_do',
  },
  {
    name: 'a token that ends',
    prepare: (app) => resmi(app, { tokenEndsAt: Date.now() + 2 * DAY }),
    en: 'The access token of Toko Resmi ends on TIME.',
    id: 'Token akses Toko Resmi akan berakhir pada TIME.',
    act: 'enter_token',
  },
  {
    name: 'a low quality',
    prepare: (app) =>
      resmi(app, {
        number: {
          ...{ quality: 'RED', qualitySince: Date.now() - DAY, status: 'CONNECTED', nameStatus: null },
          ...{ canSend: 'AVAILABLE', throughput: 'STANDARD', limit: 250 },
        },
      }),
    en: 'The quality of Toko Resmi is low at Meta (since TIME).',
    id: 'Kualitas Toko Resmi di Meta rendah (sejak TIME).',
    act: 'what_to_do',
  },
  {
    name: 'nothing sent for a week',
    prepare: (app) => quietSince(app, 8, 10),
    en: 'Nothing was sent from Gudang since TIME.',
    id: 'Tidak ada pesan dari Gudang sejak TIME.',
    act: null,
  },
  {
    name: 'nothing sent for a week by a number that is seldom used',
    prepare: (app) => quietSince(app, 8, 2),
    en: 'All is well.',
    id: 'Semua baik.',
    act: null,
  },
  {
    name: 'something worth knowing: no reason not to be green',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: null } })
    },
    en: 'All is well.',
    id: 'Semua baik.',
    act: null,
  },
  {
    name: 'the printer port is taken',
    async prepare(app) {
      const port = await addPrinter(app)
      await app.owner('/api/printer', { method: 'PATCH', body: { on: false } })
      const other = createServer().listen(port, '127.0.0.1')
      closeAfter('test', () => void other.close())
      await app.owner('/api/printer', { method: 'PATCH', body: { on: true } })
    },
    en: 'The printer port NUMBER cannot be opened.',
    id: 'Port printer NUMBER tidak dapat dibuka.',
    act: 'see_prints',
  },
  {
    name: 'prints wait',
    async prepare(app) {
      await addPrinter(app)
      await addPrints(app, 3)
    },
    en: '3 prints wait for you since TIME.',
    id: '3 cetakan menunggu Anda sejak TIME.',
    act: 'see_prints',
  },
  {
    name: 'no room for prints',
    async prepare(app) {
      const port = await addPrinter(app)
      await addPrints(app, 2_000)
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .end('HP: 0812-3456-7890\n')
      await eventually(async () => (await app.owner('/api/printer')).body.data.problem === 'full')
    },
    en: 'There is no room for more prints.',
    id: 'Tempat untuk cetakan sudah penuh.',
    act: 'see_prints',
  },
  {
    name: 'the drop folder is away',
    startedAgo: 0,
    async prepare(app, clock) {
      const folder = await addDropFolder(app)
      await clock.scheduled(LOOK)
      renameSync(folder, `${folder}-away`)
      await look(clock)
    },
    en: 'The drop folder is not there: PATHkirim.',
    id: 'Folder kirim tidak ditemukan: PATHkirim.',
    act: 'open_settings',
  },
  {
    name: 'the sender of the drop folder is gone',
    startedAgo: 0,
    async prepare(app, clock) {
      const sender = await addNumber(app, 'Gudang')
      const folder = await addDropFolder(app, { sender_code: sender })
      await app.owner(`/api/senders/${sender}`, { method: 'DELETE' })
      put(folder, '6281234567890 INV-1.pdf')
      await take(clock)
    },
    en: 'Kurir cannot take what is in the drop folder: its sender is gone. 1 file waits.',
    id: 'Kurir tidak dapat mengambil isi folder kirim: pengirimnya sudah tidak ada. 1 file menunggu.',
    act: 'open_settings',
  },
  {
    name: 'the drop folder is at its limit',
    startedAgo: 0,
    async prepare(app, clock) {
      const folder = await addDropFolder(app, { daily_limit: 1 })
      for (const name of ['6281234567890 A.pdf', '6281234567890 B.pdf', '6281234567890 C.pdf']) put(folder, name)
      await take(clock)
    },
    en: 'The drop folder has reached its limit of today: 2 files wait.',
    id: 'Folder kirim sudah mencapai batas hari ini: 2 file menunggu.',
    act: 'open_settings',
  },
  {
    name: 'a file of the drop folder has no number',
    startedAgo: 0,
    async prepare(app, clock) {
      const folder = await addDropFolder(app)
      put(folder, 'INV-1.pdf')
      await take(clock)
    },
    en: '1 file of the drop folder was not sent, or not whole.',
    id: '1 file dari folder kirim tidak terkirim, atau tidak seluruhnya.',
    act: 'open_settings',
  },
  {
    name: 'the folder for backups is away',
    startedAgo: 4 * DAY + 2 * HOUR,
    async prepare(app, clock) {
      const folder = await addBackups(app)
      renameSync(folder, `${folder}-away`)
      await clock.advance(2 * HOUR)
      clock.sleep(4 * DAY)
      await app.owner('/api/backup/plan/run', { method: 'POST' })
    },
    en: 'The folder for backups is not there: there was no backup for 4 days.',
    id: 'Folder cadangan tidak ditemukan: sudah 4 hari tidak ada cadangan.',
    act: 'back_up',
  },
  {
    name: 'a backup fails',
    async prepare(app) {
      const folder = await addBackups(app)
      // It can be neither removed nor written.
      mkdirSync(join(folder, 'kurir-2026-01-02-030405.kurirbackup.part'))
      await app.owner('/api/backup/plan/run', { method: 'POST' })
    },
    en: 'The automatic backup failed: it could not be made or did not open.',
    id: 'Pencadangan otomatis gagal: tidak bisa dibuat atau tidak bisa dibuka.',
    act: 'back_up',
  },
  {
    name: 'no backup for days',
    startedAgo: 4 * DAY + 2 * HOUR,
    async prepare(app, clock) {
      await addBackups(app)
      await clock.advance(2 * HOUR)
      clock.sleep(4 * DAY)
    },
    en: 'There was no automatic backup for 4 days.',
    id: 'Sudah 4 hari tidak ada cadangan otomatis.',
    act: 'back_up',
  },
  {
    name: 'the last backup is old',
    startedAgo: 8 * DAY,
    async prepare(app, clock) {
      await addNumber(app, 'Toko Budi')
      await app.app.store.meta.save('backup_at', String(at(-45 * 24 - 1)))
      clock.sleep(8 * DAY)
    },
    en: 'The last backup is 45 days old (TIME).',
    id: 'Cadangan terakhir sudah 45 hari (TIME).',
    act: 'back_up',
    isNote: true,
  },
  {
    name: 'a program does not take its callbacks',
    prepare: (app) => addEndpoint(app, 500),
    en: 'Your program at HOST does not answer Kurir as it should (since TIME). 1 is waiting.',
    id: 'Program Anda di HOST tidak menjawab Kurir sebagaimana mestinya (sejak TIME). 1 menunggu.',
    act: 'see_why',
  },
  {
    name: 'a program does not want its callbacks',
    prepare: (app) => addEndpoint(app, 410),
    en: 'Callbacks to HOST are switched off: it answered “Gone”. 1 is waiting.',
    id: 'Callback ke HOST dimatikan: jawabannya “Gone”. 1 menunggu.',
    act: 'see_why',
  },
  {
    name: 'callbacks that nobody tries any more',
    async prepare(app) {
      await addEndpoint(app, 500)
      const { deliveries } = app.app.store
      const [row = expect.unreachable()] = await deliveries.list({ limit: 1 })
      const last = { at: Date.now(), status: 500, error: null, errorCode: null, body: '', tookMs: 3 }
      await deliveries.record(row, last, { state: 'dead' })
    },
    en: '1 callback to HOST could not be delivered.',
    id: '1 callback ke HOST tidak dapat diantar.',
    act: 'see_callbacks',
  },
  {
    name: 'another program has the number',
    prepare: (app) => gudang(app, 3, { state: 'replaced', since: at(-1) }),
    en: 'Gudang is used by another program (since TIME). 3 messages are waiting.',
    id: 'Gudang dipakai program lain (sejak TIME). 3 pesan menunggu.',
    act: 'use_here',
  },
  {
    name: 'messages do not leave, and nothing holds them',
    startedAgo: 16 * MINUTE,
    async prepare(app, clock) {
      const code = await addNumber(app, 'Gudang', { since: clock.now() })
      await addDue(app, code, 3, clock.now())
      await clock.advance(16 * MINUTE)
    },
    en: 'Gudang is connected, but its messages do not leave. 3 messages are waiting.',
    id: 'Gudang tersambung, tetapi pesannya tidak keluar. 3 pesan menunggu.',
    act: 'see_why',
  },
  {
    name: 'an update',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      app.app.updateReady('9.8.7')
    },
    en: 'Kurir 9.8.7 is ready.',
    id: 'Kurir 9.8.7 siap dipasang.',
    act: 'update',
    isNote: true,
  },
  {
    name: 'a program that was made for WAHA',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      await app.fetch('/api/sendText', { body: { session: 'default', chatId: '6281@c.us', text: 'hai' } })
      await app.owner('/api/refused-calls/programs')
    },
    en: 'A program on this PC calls as it would call WAHA (1 time since TIME).',
    id: 'Sebuah program di PC ini memanggil seperti memanggil WAHA (1 kali sejak TIME).',
    act: 'let_in',
  },
  {
    name: 'a program that was made for Twilio',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      await app.fetch(`/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`, { method: 'POST' })
      await app.owner('/api/refused-calls/programs')
    },
    en: 'A program on this PC calls as it would call Twilio (1 time since TIME).',
    id: 'Sebuah program di PC ini memanggil seperti memanggil Twilio (1 kali sejak TIME).',
    act: 'what_to_do',
  },
  {
    name: 'a program that is nearly right',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      await app.fetch('/api/send', { body: { phone: '0812', message: 'hai' } })
      await app.owner('/api/refused-calls/programs')
    },
    en: 'A program on this PC calls Kurir nearly right (1 time since TIME).',
    id: 'Sebuah program di PC ini hampir benar memanggil Kurir (1 kali sejak TIME).',
    act: 'see_why',
  },
  {
    name: 'a till that is refused 150 times',
    async prepare(app) {
      await addNumber(app, 'Toko Budi')
      const body = { phone: '6281234567890', message: 'hai', sender_code: SANDBOX }
      for (let n = 0; n < 150; n += 1) await app.call('kurir_g_0123456789abcdef', '/send', body)
      // So that the calls of this second are written.
      await app.owner('/api/refused-calls/groups')
    },
    en: 'A program was refused 150 times since TIME: its key is unknown.',
    id: 'Sebuah program ditolak 150 kali sejak TIME: kuncinya tidak dikenal.',
    act: 'see_refused',
  },
]

const SPAN = { en: `(?:today|since ${TIME})`, id: `(?:hari ini|sejak ${TIME})` }

describeWindow('The first sentence of Home', () => {
  test.each(STATES)('$name', async ({ overrides, startedAgo, prepare, act, isNote = false, ...sentences }) => {
    const clock = createTestClock(Date.now() - (startedAgo ?? 0))
    const app = await startWindowApp('en', {
      overrides: { freeBytes: () => 50 * 1024 ** 3, ...overrides },
      ...(startedAgo === undefined ? {} : { clock }),
    })
    await prepare(app, clock)
    const page = await openWindow(app, '/')
    const title = page.getByRole('heading', { level: 1 })
    for (const language of LANGUAGES) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      // On a clock that stands still the page hears of no change by itself.
      if (startedAgo !== undefined) await page.reload()
      const well = language === 'en' ? text('home.well') : textId('home.well')
      const sentence = new RegExp(`^${pattern(sentences[language]).replaceAll('SPAN', SPAN[language])}$`)
      await expect.poll(() => title.innerText()).toMatch(isNote ? well : sentence)
      const head = page.locator('header').filter({ has: title })
      const row = page.getByRole('listitem').filter({ has: page.getByText(sentence) })
      if (isNote) await row.waitFor()
      const labels = await (isNote ? row : head).locator('a.mantine-Button-root, button').allInnerTexts()
      expect(labels[0] ?? null).toBe(act === null ? null : WORDS[language].actions[act])
      // Green is for this sentence alone.
      expect(await head.locator('svg[color="var(--status-good)"], svg[stroke="var(--status-good)"]').count()).toBe(
        isNote || sentences[language] === well ? 1 : 0,
      )
    }
  })

  test('failures that were seen are no alarm, and not green either', async () => {
    const app = await startWindowApp()
    const code = await addNumber(app, 'Toko Budi')
    await addEnded(app, code, 38, 'read')
    await addEnded(app, code, 28, 'recipient_not_on_whatsapp')
    const page = await openWindow(app, '/')
    await page.getByRole('button', { name: text('home.seen') }).click()
    await page.getByRole('heading', { name: /^28 of 66 messages did not arrive/ }).waitFor()
    await expect.poll(() => page.title()).toMatch(/^[^(]/)
    await addEnded(app, code, 2, 'recipient_not_on_whatsapp')
    await page.reload()
    await page.getByRole('heading', { name: /^30 of 68 messages failed/ }).waitFor()
  })

  test('the database file is gone: what is refused, and what brings it back', async () => {
    const home = join(temporaryFolder(), 'kurir')
    const app = await startWindowApp('en', { home })
    await addNumber(app, 'Toko Budi')
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.well') }).waitFor()
    renameSync(join(home, 'kurir.db'), join(home, 'elsewhere'))
    await eventually(async () => (await app.fetch('/health')).status === 503)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: WORDS.en.concerns.storage_gone.title }).waitFor()
    await page.getByText(WORDS.en.concerns.storage_gone.advice).waitFor()
    // Kurir goes on with it after a restart, as the advice says.
    renameSync(join(home, 'elsewhere'), join(home, 'kurir.db'))
  })

  test('a backup was restored: not the owner has paused what waits', async () => {
    const { app, link, sender } = await startShop({ overrides: { pages: PAGES } })
    await link()
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    await addWaiting(app, sender, 3)
    const authorization = `Bearer ${OWNER_TOKEN}`
    const made = await app.connect('/api/backup', { headers: { authorization }, body: { passphrase: 'rahasia toko' } })
    const file = Buffer.from(await made.body.arrayBuffer())
    const headers = { 'x-passphrase': 'rahasia toko', 'content-type': 'application/octet-stream' }
    const restored = await app.owner('/api/restore', { body: file, headers })
    expect(restored.status, restored.text).toBe(200)
    await app.restart()
    const page = await openWindow(app, '/')
    const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    await title('Data was restored or moved back: Toko Melati is paused. 3 messages are waiting.')
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
    await title('Data dipulihkan atau dipindah kembali: Toko Melati dijeda. 3 pesan menunggu.')
    await page.getByRole('button', { name: WORDS.id.actions.resume }).first().click()
    await title(textId('home.well'))
  })

  test('while everything is paused a card offers what helps, for it alone would stay paused', async () => {
    const app = await startWindowApp()
    await addNumber(app, 'Toko Budi')
    await app.app.setAllPaused(true)
    const page = await openWindow(app, '/')
    const card = page.getByRole('article').filter({ hasText: 'Toko Budi' })
    await card.getByRole('button', { name: WORDS.en.actions.resume_all }).click()
    await page.getByRole('heading', { level: 1, name: text('home.well') }).waitFor()
  })

  test('the end of a long line is on the card and in the drawer of a message', async () => {
    const app = await startWindowApp()
    const code = await addNumber(app, 'Toko Budi')
    const pacing = { min_seconds: 60, max_seconds: 60 }
    await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { pacing } })
    await addDue(app, code, 40)
    const { store } = app.app
    const senderId = store.senders.byCode(code)?.id ?? 0
    const last = newRow({ senderId, body: 'the last one' })
    await store.messages.accept(last, { unique: false })
    const page = await openWindow(app, '/')
    await page
      .getByRole('article')
      .getByText(new RegExp(`^The last one leaves about ${TIME}`))
      .waitFor()
    await page.goto(`${app.url}/messages?open=${last.id}`)
    await page
      .getByRole('dialog')
      .getByText(new RegExp(`In line, about 40 before it: leaves about ${TIME}`))
      .waitFor()
  })
})
