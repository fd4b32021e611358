import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConcernAction } from '../../server/contract/concerns.ts'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { DAY, HOUR } from '../../server/lib/time.ts'
import type { OfficialFacts, SendingState } from '../../server/store/index.ts'
import { WORDS } from '../../server/words/index.ts'
import { OWNER_TOKEN, SANDBOX, type StartOptions, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES, startWindowApp } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newRow } from '../support/new-message.ts'
import { addEnded, addNumber, addWaiting, changeNumber } from '../support/numbers.ts'
import { addOfficial } from '../support/official.ts'
import { startShop } from '../support/shop.ts'
import { text, textId } from '../support/texts.ts'

/**
 * A state of the shop and what Home says first: who, the effect, since when or until when, and the
 * one act that helps. `TIME` stands for a time of the clock, with or without its day.
 */
interface State {
  name: string
  overrides?: StartOptions['overrides']
  prepare: (app: TestApp) => Promise<unknown>
  en: string
  id: string
  act: ConcernAction | null
}

const TIME = String.raw`(?:\w+,? \d+ \w+ )?\d\d[:.]\d\d`
const pattern = (sentence: string) =>
  new RegExp(`^${sentence.replaceAll(/[.?()+]/g, String.raw`\$&`).replaceAll('TIME', TIME)}$`)

const at = (hours: number) => Date.now() + hours * HOUR

/** The number that is in trouble, beside one that works. */
const gudang = async (app: TestApp, waiting: number, more: Parameters<typeof addNumber>[2]) => {
  await addNumber(app, 'Toko Budi')
  const code = await addNumber(app, 'Gudang', more)
  await addWaiting(app, code, waiting)
  return code
}

/** Messages that are due, without waking their lane. */
async function addDue(app: TestApp, code: string, count: number): Promise<void> {
  const { store } = app.app
  const senderId = store.senders.byCode(code)?.id ?? 0
  await Promise.all(Array.from({ length: count }, () => store.messages.accept(newRow({ senderId }), { unique: false })))
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
  test.each(STATES)('$name', async ({ overrides, prepare, act, ...sentences }) => {
    const app = await startWindowApp('en', { overrides: { freeBytes: () => 50 * 1024 ** 3, ...overrides } })
    await prepare(app)
    const page = await openWindow(app, '/')
    const title = page.getByRole('heading', { level: 1 })
    for (const language of LANGUAGES) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const sentence = new RegExp(pattern(sentences[language]).source.replaceAll('SPAN', SPAN[language]))
      await expect.poll(() => title.innerText()).toMatch(sentence)
      const head = page.locator('header').filter({ has: title })
      const labels = await head.locator('a.mantine-Button-root, button').allInnerTexts()
      expect(labels[0] ?? null).toBe(act === null ? null : WORDS[language].actions[act])
      const well = language === 'en' ? text('home.well') : textId('home.well')
      // Green is for this sentence alone.
      expect(await head.locator('svg[color="var(--status-good)"], svg[stroke="var(--status-good)"]').count()).toBe(
        sentences[language] === well ? 1 : 0,
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
