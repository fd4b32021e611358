import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { KeyView } from '../../server/contract/access.ts'
import type { Settings } from '../../server/contract/settings.ts'
import type { KnownProgram, RefusedGroup } from '../../server/slices/refused-calls/contract.ts'
import { WORDS } from '../../server/words/index.ts'
import { say } from '../../server/words/say.ts'
import { type Init, SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

const SIZES = [
  ['en', { width: 1366, height: 768 }],
  ['id', PHONE],
] as const

const WAHA: [path: string, init: Init] = [
  '/api/sendText',
  { headers: { 'x-api-key': 'key-of-my-waha-1234' }, body: { session: 'default', chatId: '6281@c.us', text: 'hai' } },
]

/** The calls of this second are written. */
const written = (app: TestApp) => app.owner<KnownProgram[]>('/api/refused-calls/programs')

const fits = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth')

describeWindow('Programs that are refused', () => {
  test.each(SIZES)('one made for WAHA is let in from Home: key, address, and it sends: %s', async (language, size) => {
    const t = language === 'en' ? text : textId
    const app = await startWindowApp(language)
    for (let n = 0; n < 3; n += 1) await app.fetch(...WAHA)
    await written(app)
    const page = await openWindow(app, '/', size)
    await page.getByText(/WAHA/).first().waitFor()
    const letIn = page.getByRole('link', { name: say(WORDS[language], 'actions.let_in') })
    await letIn.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('POST /api/sendText').waitFor()
    expect(await drawer.getByRole('combobox').inputValue()).toBe(t('programs.newFor', { name: 'Sandbox' }))
    expect(await axeFindings(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await drawer.getByRole('button', { name: t('programs.letIn') }).click()
    const key = (await drawer.getByText(/^kurir_d_\S+$/).textContent()) ?? ''
    await drawer.getByRole('button', { name: t('programs.copyAddress') }).click()
    const address = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/compat\/waha$/)
    expect(await axeFindings(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await drawer.getByRole('button', { name: t('actions.copy'), exact: true }).click()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await letIn.waitFor({ state: 'detached' })
    expect(await page.getByText(/WAHA/).count(), 'the row is gone').toBe(0)
    expect((await app.owner<Settings>('/api/settings')).body.data).toMatchObject({ compat_waha: true })
    expect((await app.owner<KeyView[]>('/api/keys')).body.data).toMatchObject([{ name: 'WAHA', sender_code: SANDBOX }])
    const sent = await app.fetch(`${new URL(address).pathname}/api/sendText`, {
      headers: { 'x-api-key': key },
      body: { session: 'default', chatId: '6281234567890@c.us', text: 'hai' },
    })
    expect(sent.status, sent.text).toBe(201)
  })

  test('one made for Twilio is told what to do instead, and can be left out', async () => {
    const app = await startWindowApp()
    await app.fetch(`/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`, { method: 'POST' })
    await written(app)
    const page = await openWindow(app, '/', PHONE)
    await page.getByRole('link', { name: WORDS.en.actions.what_to_do }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('programs.noMouth', { name: 'Twilio' })).waitFor()
    expect(await drawer.getByRole('combobox').count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await drawer.getByRole('button', { name: text('programs.leaveOut') }).click()
    await drawer.waitFor({ state: 'detached' })
    await page.getByText(/Twilio/).waitFor({ state: 'detached' })
  })

  test('one that is nearly right sees the right address, with a key that the owner has', async () => {
    const app = await startWindowApp()
    await app.key({ name: 'Kasir', sender: SANDBOX })
    await app.fetch('/api/send', { body: { phone: '0812', message: 'hai' } })
    await written(app)
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: WORDS.en.actions.see_why }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('combobox').click()
    await page.getByRole('option', { name: /Kasir/ }).click()
    await drawer.getByRole('button', { name: text('programs.makeKey') }).click()
    await drawer.getByText(/^http:\/\/127\.0\.0\.1:\d+\/send$/).waitFor()
    await drawer.getByText(text('programs.keyMine', { name: 'Kasir' })).waitFor()
    expect((await app.owner<KeyView[]>('/api/keys')).body.data).toHaveLength(1)
  })

  test.each(SIZES)(
    '150 with an unknown key are one row with their cause, and one on Home: %s',
    async (language, size) => {
      const t = language === 'en' ? text : textId
      const app = await startWindowApp(language)
      const key = await app.key({ name: 'Kasir' })
      const body = { phone: '6281234567890', message: 'hai', sender_code: SANDBOX }
      for (let n = 0; n < 150; n += 1) await app.call('kurir_g_0123456789abcdef', '/send', body)
      await app.call(key, '/send', { ...body, delay: -1 })
      await app.fetch(...WAHA)
      await written(app)
      const page = await openWindow(app, '/', size)
      await page.getByRole('heading', { name: /150/ }).waitFor()
      await page.getByRole('link', { name: say(WORDS[language], 'actions.see_refused') }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText(t('refusedCalls.blocked')).waitFor()
      await drawer.getByText(t('refusedCalls.unknownKey', { hint: 'cdef' })).waitFor()
      await drawer.getByText('401 invalid_api_key').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await expect.poll(() => focused(page)).toMatch(/^401/)
      const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
      expect(await rows.count()).toBe(3)
      await rows
        .filter({ hasText: 'cdef' })
        .getByText(t('refusedCalls.timesOf', { times: '150' }))
        .waitFor()
      expect(await page.getByText('0123456789').count()).toBe(0)
      const tabs = page.getByRole('navigation', { name: t('nav.tabs', { page: t('nav.pages.keys') }) })
      expect(
        await tabs
          .getByRole('link', { name: new RegExp(`^${t('nav.pages.refusedCalls')}`) })
          .getAttribute('aria-current'),
      ).toBe('page')
      expect(await axeFindings(page)).toEqual([])
      expect(await fits(page)).toBe(true)
      await rows.filter({ hasText: 'WAHA' }).getByRole('link').click()
      await drawer.getByRole('link', { name: t('refusedCalls.letIn') }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: t('refusedCalls.allSeen') }).click()
      await expect
        .poll(async () =>
          (await app.owner<RefusedGroup[]>('/api/refused-calls/groups')).body.data.every(({ seen }) => seen),
        )
        .toBe(true)
      await tabs.getByRole('link', { name: t('nav.pages.keys') }).click()
      await page.getByRole('heading', { name: t('keys.title'), exact: true }).waitFor()
      await page.getByRole('link', { name: 'Kasir' }).waitFor()
    },
  )
})
