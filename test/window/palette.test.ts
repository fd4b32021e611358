import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import type { TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, startWindowApp } from '../support/browser.ts'
import { take } from '../support/tables.ts'
import { beginning, text, textId } from '../support/texts.ts'

const TEXTS = { en: text, id: textId }

describeWindow('Ctrl K', () => {
  let app: TestApp
  let shop: string
  let table: string

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    shop = await app.sender('linked', { name: 'Gudang' })
    table = (await take(app, 'HP,Nama\n081200001001,Sri', 'november.csv')).body.data.id
  })

  const palette = (page: Page) => page.getByRole('dialog', { name: text('palette.title') })

  async function find(page: Page, typed: string): Promise<void> {
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.keyboard.press('Control+K')
    await palette(page).getByRole('combobox').fill(typed)
    await page.keyboard.press('Enter')
    await palette(page).waitFor({ state: 'detached' })
  }

  test.each([
    ['a page', 'webh', '/webhooks'],
    ['a page that is a tab', 'month', '/month'],
    ['a section of the settings', 'settings backup', '/settings#backup'],
    ['a sender', 'gudang', () => `/senders?open=${shop}`],
    ['writing by table', 'write table', '/write?kind=table'],
    ['a table', 'november', () => `/tables/${table}`],
    ['the receipt printer', 'printer', '/prints'],
    ['the list of acts', 'owners did', '/acts'],
    ['help', 'go wrong', '/help'],
    ['the steps of one trouble', 'lost phone', '/help#phone'],
    ['a customer by the number', '0812-3456-7890', '/customers/0812-3456-7890'],
    ['words of a message', 'blue bicycle', '/messages?q=blue%20bicycle'],
  ])('finds %s', async (_, typed, address) => {
    const page = await openWindow(app, '/')
    await find(page, typed)
    // The focus goes along, and not to what was pressed before.
    await expect.poll(() => page.evaluate('document.activeElement?.closest("main, dialog") !== null')).toBe(true)
    const { pathname, search, hash } = new URL(page.url())
    expect(pathname + search + hash).toBe(typeof address === 'string' ? address : address())
  })

  test('is chosen with the arrow keys, closed with Escape, and gives the focus back', async () => {
    const page = await openWindow(app, '/keys')
    const add = page.getByRole('button', { name: text('keys.create') })
    await add.focus()
    await page.keyboard.press('Control+K')
    const options = palette(page).getByRole('option')
    await expect.poll(() => focused(page)).toBe(text('palette.hint'))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await options.nth(2).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe(text('keys.create'))
    await page
      .getByRole('navigation', { name: text('nav.label') })
      .getByText(text('palette.find'))
      .click()
    await palette(page)
      .getByRole('option', { name: beginning(text('messages.write')) })
      .click()
    await page.getByRole('heading', { name: text('write.title') }).waitFor()
  })

  test('asks before it leaves what is not saved', async () => {
    const page = await openWindow(app, `/senders?open=${shop}`)
    await page.getByLabel(text('senders.form.cap')).fill('99')
    await find(page, 'webhooks')
    await page.getByRole('dialog', { name: text('leave.unsaved') }).waitFor()
    await page.getByRole('button', { name: text('leave.keepEditing') }).click()
    expect(await page.getByLabel(text('senders.form.cap')).inputValue()).toBe('99')
  })

  test('a question mark shows the keys that help, but is a letter in a field; a slash searches', async () => {
    const page = await openWindow(app, '/messages')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('why?')
    expect(await page.getByRole('searchbox').inputValue()).toBe('why?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('searchbox').fill('')
    await page.getByRole('main').focus()
    await page.keyboard.press('?')
    await page
      .getByRole('dialog', { name: text('palette.keys') })
      .getByText(text('palette.does.rows'))
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test.each(LANGUAGES)('has nothing that axe finds: %s', async (language) => {
    const t = TEXTS[language]
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const page = await openWindow(app, '/')
    await page.locator(`html[lang=${language}]`).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const [key, title] of [
      ['Control+K', 'palette.title'],
      ['?', 'palette.keys'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name: t(title) }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })
})
