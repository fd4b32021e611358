import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { beginning, text, textId } from '../support/texts.ts'

describeWindow('A menu', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'halo' }
    await app.reached((await app.owner<{ id: string }>('/send', { body })).body.data.id, 'read')
    await app.sender('linked', {
      name: 'Toko Melati Cabang Perumahan Bumi Serpong Damai Sektor XIV, Tangerang Selatan',
    })
  })

  /** Within the window, above everything else. */
  const isWhole = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll('[role=menu]')].filter((menu) => menu.checkVisibility()).every((menu) => {
      const { left, right, top, bottom } = menu.getBoundingClientRect()
      const corners = [[left + 8, top + 8], [right - 8, bottom - 8]]
      return left >= 0 && right <= innerWidth && corners.every(([x, y]) => menu.contains(document.elementFromPoint(x, y)))
    })`)

  test.each([
    ['en', { width: 1366, height: 768 }, ['messages.period', 'messages.export', 'nav.language']],
    ['id', { ...PHONE, theme: 'dark' }, ['messages.status', 'messages.sender', 'messages.sandbox', 'nav.more']],
  ] as const)('that is open has nothing for axe to find, and is whole: %s, %o', async (language, size, names) => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const t = language === 'en' ? text : textId
    const page = await openWindow(app, '/messages', size)
    for (const name of names) {
      await page.getByRole('button', { name: beginning(t(name)) }).click()
      const menu = page.getByRole('menu')
      await menu.waitFor()
      // Under the pointer it has another ground.
      await menu.locator('[class*=Menu-item]').first().hover()
      expect.soft(await axeFindings(page), name).toEqual([])
      expect.soft(await isWhole(page), name).toBe(true)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
    }
  })

  test.each([
    ['en', text, {}],
    ['id', textId, PHONE],
  ] as const)(
    'of one choice closes with it, that of several stays; the focus is at its button: %s',
    async (language, t, size) => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const page = await openWindow(app, '/messages?sandbox=with', size)
      const period = page.getByRole('button', { name: beginning(t('messages.period')) })
      await period.click()
      await page.getByRole('menuitemradio', { name: t('messages.days7') }).click()
      await page.getByRole('menu').waitFor({ state: 'hidden' })
      await expect.poll(() => focused(page)).toBe(`${t('messages.period')}: ${t('messages.days7')}`)
      await page.keyboard.press('Enter')
      expect(await page.getByRole('menuitemradio', { name: t('messages.days7') }).getAttribute('aria-checked')).toBe(
        'true',
      )
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: beginning(t('messages.status')) }).click()
      for (const status of ['read', 'failed'] as const) {
        await page.getByRole('menuitemcheckbox', { name: t(`states.message.${status}`) }).click()
      }
      await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('read,failed')
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'hidden' })
      expect(await page.getByRole('row').filter({ hasText: 'halo' }).count()).toBe(1)
    },
  )
})
