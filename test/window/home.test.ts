import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { areAllPaused } from '../../server/messages/gates.ts'
import type { TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { addEnded, addNumber, addWaiting, changeNumber } from '../support/numbers.ts'
import { addOfficial } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { text, textId } from '../support/texts.ts'

const PC = { width: 1366, height: 768 }

/** What an owner reads in a state of the shop: the first sentence, and the button that helps with where it leads. */
interface Case {
  name: string
  freeBytes?: number
  /** Brings the shop into the state. Returns a sender's code for `href`. */
  prepare: (app: TestApp) => Promise<string | undefined>
  en: string | RegExp
  id: string | RegExp
  button: { en: string; id: string; href?: (code: string) => string } | null
  /** Number of things that need attention, in the tab's title. */
  alarms: number
}

const CASES: Case[] = [
  {
    name: 'all is well',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addEnded(app, code, 6, 'read')
      await addEnded(app, code, 1, 'recipient_not_on_whatsapp')
      await addWaiting(app, code, 2)
      return code
    },
    en: 'All is well.',
    id: 'Semua baik.',
    button: null,
    alarms: 0,
  },
  {
    name: '35 of 43 failed',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addEnded(app, code, 8, 'delivered')
      await addEnded(app, code, 30, 'recipient_not_on_whatsapp')
      await addEnded(app, code, 5, 'media_too_large')
      return code
    },
    en: /^35 of 43 messages failed .+: 30 not on WhatsApp, 5 file too large\.$/,
    id: /^35 dari 43 pesan gagal .+: 30 tidak ada di WhatsApp, 5 file terlalu besar\.$/,
    button: {
      en: 'See them',
      id: 'Lihat',
      href: () => `/messages?status=failed&failed_from=${midnight().toISOString()}`,
    },
    alarms: 1,
  },
  {
    name: 'logged out with 38 waiting',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi', { state: 'logged_out', reason: 'unlinked_on_phone' })
      await addWaiting(app, code, 38)
      return code
    },
    en: /^Toko Budi was unlinked on the phone \(since \d\d:\d\d\)\. 38 messages are waiting\.$/,
    id: /^Tautan Toko Budi diputus dari ponsel \(sejak \d\d\.\d\d\)\. 38 pesan menunggu\.$/,
    button: { en: 'Link again', id: 'Tautkan lagi', href: (code) => `/senders/${code}/link` },
    alarms: 1,
  },
  {
    name: 'blocked: no button links it again',
    prepare: (app) => addNumber(app, 'Toko Budi', { state: 'restricted', reason: 'restricted_by_whatsapp' }),
    en: /^WhatsApp has blocked Toko Budi \(since \d\d:\d\d\)\.$/,
    id: /^WhatsApp memblokir Toko Budi \(sejak \d\d\.\d\d\)\.$/,
    button: { en: 'What to do', id: 'Langkahnya', href: (code) => `/senders?open=${code}` },
    alarms: 1,
  },
  {
    name: 'a wrong token',
    async prepare(app) {
      const code = await addOfficial(app, { name: 'Toko Resmi' })
      await changeNumber(app, code, { state: 'offline', reason: 'token_refused' })
      return code
    },
    en: /^Meta refuses the access token of Toko Resmi \(since \d\d:\d\d\)\.$/,
    id: /^Meta menolak token akses Toko Resmi \(sejak \d\d\.\d\d\)\.$/,
    button: { en: 'Enter a new token', id: 'Isi token baru', href: (code) => `/senders?open=${code}` },
    alarms: 1,
  },
  {
    name: 'a receiver that fails',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      const receiver = await startReceiver()
      receiver.always({ status: 500 })
      await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.sent'] } })
      const failed = new Promise((resolve) => app.app.bus.on('webhook', resolve))
      await addEnded(app, code, 1, 'sent')
      app.app.bus.emit('deliveries', { endpointId: 1 })
      await failed
      return code
    },
    en: /^Your program at 127\.0\.0\.1:\d+ does not answer Kurir as it should \(since \d\d:\d\d\)\. 1 is waiting\.$/,
    id: /^Program Anda di 127\.0\.0\.1:\d+ tidak menjawab Kurir sebagaimana mestinya \(sejak \d\d\.\d\d\)\. 1 menunggu\.$/,
    button: { en: 'See why', id: 'Lihat sebabnya', href: () => '/webhooks?open=1' },
    alarms: 1,
  },
  {
    name: 'a disk that is nearly full',
    freeBytes: 300 * 1024 ** 2,
    prepare: (app) => addNumber(app, 'Toko Budi'),
    en: 'The disk is nearly full: 314.6 MB are left.',
    id: 'Disk hampir penuh: sisa 314,6 MB.',
    button: { en: 'Settings', id: 'Pengaturan', href: () => '/settings#log' },
    alarms: 1,
  },
  {
    name: 'paused by the owner',
    async prepare(app) {
      const code = await addNumber(app, 'Toko Budi')
      await addWaiting(app, code, 3)
      await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
      return code
    },
    en: 'You have paused Toko Budi. 3 messages are waiting.',
    id: 'Anda menjeda Toko Budi. 3 pesan menunggu.',
    button: { en: 'Resume', id: 'Lanjutkan' },
    alarms: 0,
  },
  {
    name: 'nothing linked yet',
    prepare: async () => undefined,
    en: 'No number is linked yet.',
    id: 'Belum ada nomor yang tertaut.',
    button: { en: 'Link a number', id: 'Tautkan nomor', href: () => '/senders' },
    alarms: 0,
  },
]

/** Where the figures of this day begin. */
const midnight = () => new Date(new Date().setHours(0, 0, 0, 0))

describeWindow('Home says in one sentence how the shop is', () => {
  test.each(CASES)('$name', async ({ prepare, freeBytes, button, alarms, ...words }) => {
    const app = await startWindowApp('en', { overrides: { freeBytes: () => freeBytes ?? 50 * 1024 ** 3 } })
    const code = (await prepare(app)) ?? ''
    const page = await openWindow(app, '/')
    // The window follows both in place: loading it again costs more than all that is looked at here.
    for (const language of LANGUAGES) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      for (const size of [PC, PHONE]) {
        await page.setViewportSize(size)
        const heading = page.getByRole('heading', { level: 1, name: words[language] })
        await heading.waitFor()
        const header = page.locator('header').filter({ has: heading })
        const href = await header
          .getByRole('link', { name: button?.[language] ?? 'none', exact: true })
          .or(header.getByRole('button', { name: button?.[language] ?? 'none', exact: true }))
          .evaluateAll((found) => found.map((each) => each.getAttribute('href')))
        expect(href).toEqual(button === null ? [] : [button.href?.(code) ?? null])
        // The day in figures, whatever else is said.
        const figures = await header.getByRole('list').getByRole('link').all()
        expect(figures.length).toBeGreaterThanOrEqual(2)
        await expect.poll(() => page.title()).toMatch(alarms === 0 ? /^[^(]/ : new RegExp(`^\\(${alarms}\\) `))
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        expect(await page.evaluate(overflow), 'pixels beyond the side').toBe(0)
        // It takes seconds: once for each size and each language.
        if ((language === 'id') === (size === PHONE)) expect(await axeFindings(page)).toEqual([])
      }
    }
  })
})

describeWindow('Home', () => {
  test('names the day in figures, each of which leads to its messages', async () => {
    const app = await startWindowApp()
    const code = await addNumber(app, 'Toko Budi')
    await addEnded(app, code, 6, 'read')
    await addEnded(app, code, 1, 'recipient_not_on_whatsapp')
    await addWaiting(app, code, 2)
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: text('home.today', { count: 9 }) }).waitFor()
    await page.getByRole('link', { name: text('home.waiting', { count: 2 }) }).waitFor()
    // One failure is no alarm, but it is not hidden either, and leads to its reason.
    await page.getByRole('link', { name: text('home.failedToday', { count: 1 }) }).click()
    await page.getByText(text('failures.recipient_not_on_whatsapp.message')).waitFor()
  })

  test.each([
    ['en', 1366, 'Failed since: Today'],
    ['id', 390, 'Gagal sejak: Hari ini'],
  ] as const)(
    'what fails today is counted and listed whenever it was accepted (%s, %i px)',
    async (language, width, chip) => {
      const app = await startWindowApp(language)
      const code = await addNumber(app, 'Toko Budi')
      const [today, yesterday] = [Date.now(), midnight().getTime() - 60_000]
      await addEnded(app, code, 1, 'recipient_not_on_whatsapp', { accepted: yesterday, ended: today })
      await addEnded(app, code, 1, 'recipient_not_on_whatsapp', { accepted: yesterday - 60_000, ended: yesterday })
      const page = await openWindow(app, '/', { width })
      const words = language === 'en' ? text : textId
      await page.getByRole('link', { name: words('home.failedToday', { count: 1 }) }).click()
      await page.getByRole('button', { name: chip }).waitFor()
      await expect.poll(() => page.getByText(words('failures.recipient_not_on_whatsapp.message')).count()).toBe(1)
      await page.getByRole('button', { name: `${words('actions.remove')}: ${words('messages.failedFrom')}` }).click()
      await expect.poll(() => page.getByText(words('failures.recipient_not_on_whatsapp.message')).count()).toBe(2)
    },
  )

  test('failures are named by their reason and one step away', async () => {
    const app = await startWindowApp()
    await addEnded(app, await addNumber(app, 'Toko Budi'), 8, 'recipient_not_on_whatsapp')
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: 'See them' }).click()
    await expect.poll(() => page.getByText(text('failures.recipient_not_on_whatsapp.message')).count()).toBe(8)
    await page.getByRole('columnheader', { name: text('messages.why') }).waitFor()
  })

  test('the number with most messages waiting comes first, also among the cards; the sandbox is not among them', async () => {
    const app = await startWindowApp()
    await addNumber(app, 'Alam')
    const paused = await addNumber(app, 'Gudang', { paused: true })
    await addNumber(app, 'Depok', { state: 'logged_out' })
    const busy = await addNumber(app, 'Bekasi', { state: 'logged_out' })
    await addWaiting(app, busy, 2)
    await addWaiting(app, paused, 1)
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: /^Bekasi was unlinked on the phone .+ 2 messages are waiting/ }).waitFor()
    const rows = (title: string) => page.getByRole('region', { name: title }).getByRole('listitem').allInnerTexts()
    await expect
      .poll(() => rows(text('home.alsoNeeds')))
      .toEqual([expect.stringContaining('Depok'), expect.stringContaining('You have paused Gudang. 1 message')])
    const cards = page.getByRole('region', { name: text('home.senders') }).getByRole('article')
    expect(await cards.allInnerTexts()).toEqual(
      ['Bekasi', 'Depok', 'Gudang', 'Alam'].map((name) => expect.stringMatching(new RegExp(`^${name}`))),
    )
    await page
      .getByRole('link', { name: text('nav.pages.senders') })
      .getByText('2', { exact: true })
      .waitFor()
  })

  test.each([
    ['en', 1366],
    ['id', 390],
  ] as const)(
    'of many concerns the heaviest are seen, and how many more there are (%s, %i px)',
    async (language, width) => {
      const words = language === 'en' ? text : textId
      const app = await startWindowApp(language)
      // The later, the heavier.
      for (const [waiting, name] of ['Satu', 'Dua', 'Tiga', 'Empat', 'Lima', 'Enam'].entries())
        await addWaiting(app, await addNumber(app, name, { state: 'logged_out' }), waiting)
      const page = await openWindow(app, '/', { width })
      await page.getByRole('heading', { level: 1, name: /Enam/ }).waitFor()
      const region = page.getByRole('region', { name: words('home.alsoNeeds') })
      const names = async () =>
        (await region.getByRole('listitem').allInnerTexts()).map(
          (row) => /Satu|Dua|Tiga|Empat|Lima|Enam/.exec(row)?.[0],
        )
      await expect.poll(names).toEqual(['Lima', 'Empat', 'Tiga'])
      const more = region.getByText(words('home.more', { count: 2 }), { exact: true })
      await more.click()
      await expect.poll(names).toEqual(['Lima', 'Empat', 'Tiga', 'Dua', 'Satu'])
      expect(await axeFindings(page)).toEqual([])
      // Folded or not, all of them are counted.
      expect(await page.title()).toMatch(/^\(6\) /)
      // One row is not folded: it would be no shorter.
      await app.owner(
        `/api/senders/${(await app.owner<{ sender_code: string; name: string }[]>('/api/senders')).body.data.find(({ name }) => name === 'Satu')?.sender_code}`,
        { method: 'DELETE' },
      )
      await expect.poll(names).toEqual(['Lima', 'Empat', 'Tiga', 'Dua'])
      expect(await region.getByRole('group').count()).toBe(0)
    },
  )

  test('linking that was begun and left silences nothing', async () => {
    const app = await startWindowApp()
    const code = await addNumber(app, 'Toko Budi', { state: 'logged_out' })
    await addWaiting(app, code, 2)
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: 'Link again' }).first().click()
    await page.getByRole('link', { name: text('nav.pages.home'), exact: true }).click()
    await changeNumber(app, code, { state: 'linking' })
    await page
      .getByRole('heading', { name: /^Toko Budi was unlinked on the phone .+ 2 messages are waiting/ })
      .waitFor()
  })

  test('a card blames WhatsApp only for what WhatsApp holds', async () => {
    const app = await startWindowApp()
    const until = Date.now() + 3_600_000
    const held = (heldBy: 'lock' | 'wrong_numbers') => ({ firstContacts: { until, heldBy, newChats: null } })
    await addNumber(app, 'Gudang', held('wrong_numbers'))
    await addNumber(app, 'Toko Budi', held('lock'))
    await addNumber(app, 'Cabang', { ...held('lock'), state: 'logged_out', reason: 'unlinked_on_phone' })
    const page = await openWindow(app, '/')
    const blaming = page.getByRole('article').filter({ hasText: text('senders.newChatsWait').split('.')[0] ?? '' })
    await blaming.first().waitFor()
    expect(await blaming.count()).toBe(1)
    await blaming.filter({ hasText: 'Toko Budi' }).waitFor()
  })

  test('what all senders were paused for in the tray goes on here', async () => {
    const app = await startWindowApp()
    await addWaiting(app, await addNumber(app, 'Toko Budi'), 2)
    await app.app.setAllPaused(true)
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: 'You have paused all sending. 2 messages are waiting.' }).waitFor()
    await page.getByRole('button', { name: 'Resume all' }).first().click()
    await page.getByRole('heading', { name: text('home.well') }).waitFor()
    expect(areAllPaused(app.app.store)).toBe(false)
  })

  test('what is only worth knowing leaves it green', async () => {
    const app = await startWindowApp()
    await addNumber(app, 'Toko Budi')
    await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: null } })
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.well') }).waitFor()
    await page
      .getByRole('region', { name: text('home.goodToKnow') })
      .getByText('Messages are kept for ever.')
      .waitFor()
  })

  describe.each([
    ['a PC', PC],
    ['a phone', PHONE],
  ])('on %s', (_, size) => {
    test('says the last days in a sentence and a table, one bar a day', async () => {
      const app = await startWindowApp('id')
      const code = await addNumber(app, 'Toko Budi')
      const senders = app.app.store.senders
      expect(senders.byCode(code)?.state).toBe('connected')
      await addEnded(app, code, 1, 'recipient_not_on_whatsapp')
      await addEnded(app, code, 3, 'sent')
      const page = await openWindow(app, '/', size)
      await page.getByText(textId('home.chartWords', { sent: 3, read: '0%', failed: 1 })).waitFor()
      const rows = page.getByRole('table', { name: textId('home.chart') }).getByRole('row')
      expect(await rows.count(), 'a head and fourteen days').toBe(15)
      expect(await rows.last().getByRole('cell').allInnerTexts()).toEqual(['3', '0', '0', '1'])
    })
  })

  test.each(LANGUAGES)('four senders and the chart are in view below two concerns: %s', async (language) => {
    const app = await startWindowApp(language)
    for (const name of ['Toko Budi', 'Cabang']) await addNumber(app, name)
    const unlinked = await addNumber(app, 'Gudang', { state: 'logged_out', reason: 'unlinked_on_phone' })
    await addWaiting(app, unlinked, 9)
    const blocked = await addNumber(app, 'Kasir', { state: 'restricted', reason: 'restricted_by_whatsapp' })
    await addWaiting(app, blocked, 3)
    const page = await openWindow(app, '/', PC)
    await page.getByRole('article').nth(3).waitFor()
    const t = language === 'en' ? text : textId
    const { y = 0, height = PC.height } =
      (await page.getByRole('region', { name: t('home.chart') }).boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(PC.height)
  })
})
