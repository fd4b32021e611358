import { expect, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

const TEXTS = { en: text, id: textId }
const DAILY = ['home', 'messages', 'customers', 'senders'] as const

describeWindow('The menu', () => {
  test.each(LANGUAGES)(
    'has five pages in the first hour, and those for programs with the first key: %s',
    async (language) => {
      const t = TEXTS[language]
      const app = await startWindowApp(language)
      const page = await openWindow(app, '/')
      await page.locator(`html[lang=${language}]`).waitFor()
      const menu = page.getByRole('navigation', { name: t('nav.label') })
      const names = async () => (await menu.getByRole('link').allInnerTexts()).map((name) => name.trim())
      const nameOf = (page: (typeof DAILY)[number] | 'keys' | 'webhooks' | 'settings') => t(`nav.pages.${page}`)
      await expect.poll(names).toEqual([...DAILY, 'settings' as const].map(nameOf))
      await menu.getByText(t('nav.groups.programs')).click()
      await expect
        .poll(names)
        .toEqual([...DAILY, 'keys' as const, 'webhooks' as const, 'settings' as const].map(nameOf))
      await page.reload()
      await expect.poll(names).toEqual([...DAILY, 'settings' as const].map(nameOf))
      await app.key({ name: 'Till' })
      await page.reload()
      await expect
        .poll(names)
        .toEqual([...DAILY, 'keys' as const, 'webhooks' as const, 'settings' as const].map(nameOf))
      expect(await axeFindings(page)).toEqual([])
    },
  )

  test('on a phone has Customers within reach of a thumb', async () => {
    const page = await openWindow(await startWindowApp('id'), '/', PHONE)
    const menu = page.getByRole('navigation', { name: textId('nav.label') })
    await menu.getByRole('link', { name: textId('nav.pages.customers') }).click()
    await page.getByRole('heading', { name: textId('customers.title') }).waitFor()
  })

  test.each([
    ['/api-message-logs', 'messages', 'apiMessageLogs'],
    ['/month', 'messages', 'month'],
    ['/opt-outs', 'customers', 'optOuts'],
    ['/refused-calls', 'keys', 'refusedCalls'],
  ] as const)('the page at %s is a tab of %s, and keeps its address', async (path, first, name) => {
    const page = await openWindow(await startWindowApp(), path)
    const tabs = page.getByRole('navigation', { name: text('nav.tabs', { page: text(`nav.pages.${first}`) }) })
    expect(await tabs.locator('[aria-current]').innerText()).toBe(text(`nav.pages.${name}`))
    const menu = page.getByRole('navigation', { name: text('nav.label') })
    expect(await menu.locator('[aria-current]').innerText()).toBe(text(`nav.pages.${first}`))
    await tabs.getByRole('link', { name: text(`nav.pages.${first}`), exact: true }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/${first}`)
    expect(await tabs.locator('[aria-current]').innerText()).toBe(text(`nav.pages.${first}`))
  })
})
