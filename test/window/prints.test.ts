import { connect } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { PrinterView, PrintView } from '../../server/slices/printer/contract.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { text, textId } from '../support/texts.ts'

const RECEIPT = 'TOKO MELATI\nNota: INV-1001\nHP: 0812-3456-7890\nTOTAL      36.000\n'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const printer = async (app: TestApp) => (await app.owner<PrinterView>('/api/printer')).body.data
const prints = async (app: TestApp) => (await app.owner<PrintView[]>('/api/prints')).body.data
const recipients = async (app: TestApp) =>
  (await app.owner<{ recipient: string }[]>('/messages')).body.data.map(({ recipient }) => recipient)

/** Prints as a till does, and waits until it was read. */
async function print(app: TestApp, port: number, content: string): Promise<PrintView> {
  const before = (await prints(app)).length
  await new Promise<void>((resolve, reject) => {
    connect(port, '127.0.0.1')
      .on('error', reject)
      .on('close', () => resolve())
      .resume()
      .end(content)
  })
  await eventually(async () => {
    const all = await prints(app)
    return all.length > before && all.every(({ status }) => status !== 'new')
  })
  const [newest] = await prints(app)
  if (newest === undefined) throw new Error('no print')
  return newest
}

/** On a usual screen, and then on a phone. */
async function isReadable(page: Page): Promise<void> {
  for (const size of [{ width: 1366, height: 768 }, PHONE]) {
    await page.setViewportSize(size)
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  }
}

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

describeWindow('The receipt printer', () => {
  let app: TestApp
  let port: number

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    port = await freePort()
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  })

  test('is set up in five steps: the number is marked on a print, one is seen, and it is switched on', async () => {
    const page = await openWindow(app, '/settings#programs')
    await page.getByRole('link', { name: text('prints.settingsOpen') }).click()
    const field = page.getByRole('textbox', { name: text('prints.port') })
    await field.fill(String(port))
    await page.getByRole('link', { name: text('nav.pages.messages') }).click()
    await page.getByRole('dialog', { name: text('leave.unsaved') }).waitFor()
    await button(page, text('leave.keepEditing')).click()
    await button(page, text('actions.save')).click()
    await eventually(async () => (await printer(app)).port === port)
    await page.getByRole('switch', { name: text('prints.open') }).click({ force: true })
    await eventually(async () => (await printer(app)).listening)
    await page.getByText('Windows', { exact: true }).click()
    await page.getByText(text('prints.how.windows.three', { port: String(port) })).waitFor()
    await page.getByText('Linux, macOS', { exact: true }).click()
    await page.getByText(`lpadmin -p kurir -E -v socket://127.0.0.1:${port}`).waitFor()
    const on = page.getByRole('switch', { name: text('prints.switchOn') })
    expect(await on.isDisabled()).toBe(true)

    await print(app, port, RECEIPT)
    await page.getByText(text('prints.came')).waitFor()
    await button(page, text('prints.openNewest')).click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button(page, text('prints.openNewest')).click()
    const drawer = page.getByRole('dialog')
    await button(page, 'INV-1001').click()
    await button(page, text('prints.is.reference')).click()
    await page.getByText(text('prints.learnt.reference')).waitFor()
    await button(page, '0812-3456-7890').click()
    await button(page, text('prints.is.number')).click()
    // What the rule finds stands in the form at once.
    await expect.poll(() => drawer.getByLabel(text('prints.number')).inputValue()).toMatch(/^0812\D?3456\D?7890$/)
    expect(await drawer.getByLabel(text('write.reference')).inputValue()).toBe('INV-1001')
    expect(await axeFindings(page)).toEqual([])
    await button(page, text('actions.close')).click()

    await page.getByText(text('prints.rule.after', { label: 'HP' })).waitFor()
    await choose(page, text('write.sender'), 'Sandbox')
    const example = page.getByRole('region', { name: text('prints.example') })
    await example.getByText(/TOTAL\s+36\.000/).waitFor()
    await example.getByText(/0812/).first().waitFor()
    expect(await recipients(app)).toEqual([])
    await on.click({ force: true })
    await eventually(async () => (await printer(app)).sending)
    await page.getByText(text('prints.setup')).waitFor()

    await print(app, port, RECEIPT.replace('1001', '1002'))
    expect(await recipients(app)).toEqual(['6281234567890'])
    await page.getByText(text('prints.all'), { exact: true }).click()
    await page.getByRole('link', { name: 'TOKO MELATI · INV-1002' }).click()
    await drawer.getByRole('link', { name: text('write.showLog') }).click()
    await page.getByRole('dialog').getByText('Nota: INV-1002').first().waitFor()
  })

  test('a print without a number gets one by hand, another is thrown away', async () => {
    const first = await print(app, port, 'TOKO MELATI\nNota: INV-7\nTOTAL 5\n')
    const second = await print(app, port, 'TOKO MELATI\nNota: INV-8\nTOTAL 6\n')
    expect([first.reason, second.reason]).toEqual(['no_number', 'no_number'])
    const page = await openWindow(app, '/prints')
    await page.getByRole('link', { name: 'TOKO MELATI · INV-7' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('prints.reason.no_number')).waitFor()
    const field = drawer.getByLabel(text('prints.number'))
    await field.fill('12')
    await page.keyboard.press('Escape')
    await button(page, text('leave.keepEditing')).click()
    await button(page, text('write.send')).click()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('0812-3456-7891')
    await button(page, text('write.send')).click()
    await drawer.getByText(text('write.showLog')).waitFor()
    expect(await recipients(app)).toContain('6281234567891')
    await button(page, text('actions.close')).click()

    await page.getByRole('link', { name: 'TOKO MELATI · INV-8' }).click()
    await drawer.getByLabel(text('prints.number')).fill('0812')
    await button(page, text('prints.remove')).press('Enter')
    await expect.poll(() => focused(page)).toBe(text('prints.keep'))
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe(text('prints.remove'))
    await page.keyboard.press('Enter')
    await drawer.getByText(text('prints.removeAsk')).waitFor()
    await button(page, text('prints.remove')).click()
    await expect.poll(() => drawer.count()).toBe(0)
    expect((await prints(app)).some(({ id }) => id === second.id)).toBe(false)
  })

  test('what is not clear is told on Home, whose button leads here', async () => {
    await print(app, port, 'A\nHP: 081234567890\nHP: 081234567891\n')
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: WORDS.en.actions.see_prints }).click()
    await page.getByRole('heading', { name: text('prints.title') }).waitFor()
    await page.getByRole('row').getByText(text('prints.reason.several_numbers')).waitFor()
  })

  test('forgetting the number switches sending off, and says so before', async () => {
    const page = await openWindow(app, '/prints')
    await page.getByText(text('prints.setup')).click()
    await page.getByText(text('prints.forgetStops')).waitFor()
    await button(page, `${text('prints.forget')}: ${text('prints.number')}`).click()
    await eventually(async () => !(await printer(app)).sending)
    expect(await printer(app)).toMatchObject({ number_rule: null, sending: false })
  })

  test('by keyboard alone: a mark is reached, pressed and named', async () => {
    const { id } = await print(app, port, RECEIPT.replace('1001', '1003'))
    const page = await openWindow(app, `/prints?show=all&open=${id}`)
    await button(page, '0812-3456-7890').focus()
    await page.keyboard.press('Enter')
    await page.getByText(text('prints.isWhat', { text: '0812-3456-7890' })).waitFor()
    await button(page, text('prints.is.number')).focus()
    await page.keyboard.press('Enter')
    await eventually(async () => (await printer(app)).number_rule?.label === 'HP')
  })

  test('a port that another program has is said where it is chosen', async () => {
    const { host } = new URL(app.url)
    const page = await openWindow(app, '/prints')
    const field = page.getByRole('textbox', { name: text('prints.port') })
    const taken = host.split(':')[1] ?? ''
    await field.fill(taken)
    await button(page, text('actions.save')).click()
    await page.getByText(text('prints.problem.port_taken', { port: taken })).waitFor()
    await field.fill(String(port))
    await button(page, text('actions.save')).click()
    await eventually(async () => (await printer(app)).problem === null)
  })

  test.each([
    ['light', 'en', text],
    ['dark', 'id', textId],
  ] as const)('can be read by everybody, on a phone too: %s, %s', async (theme, language, say) => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const name = 'TOKO MELATI JAYA MAKMUR SENTOSA '.repeat(3)
    const { id } = await print(app, port, `${name}\nHP: 0812-3456-7890   1   2   36.000\n${theme}\n`)
    const page = await openWindow(app, '/prints', { theme })
    await page.getByRole('heading', { name: say('prints.steps.send') }).waitFor()
    await isReadable(page)
    await page.goto(`${app.url}/prints?show=all&open=${id}`)
    await page.getByRole('dialog').getByText(say('prints.press')).waitFor()
    await isReadable(page)
  })

  test('what is typed while the port is saved stays', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    await app.owner('/api/printer', { method: 'PATCH', body: { sending: false } })
    const page = await openWindow(app, '/prints')
    const field = page.getByRole('textbox', { name: text('prints.port') })
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/printer', async (route) => {
      if (route.request().method() === 'PATCH') await saving.promise
      await route.continue()
    })
    const other = await freePort()
    await field.fill(String(other))
    await button(page, text('actions.save')).click()
    await field.fill(String(port))
    saving.resolve()
    await page.getByText('Linux, macOS', { exact: true }).click()
    await page.getByText(`lpadmin -p kurir -E -v socket://127.0.0.1:${other}`).waitFor()
    expect(await field.inputValue()).toBe(String(port))
    await button(page, text('actions.save')).click()
    await eventually(async () => (await printer(app)).port === port)
  })

  test('a reference by hand stays while the number is marked', async () => {
    await app.owner('/api/printer', {
      method: 'PATCH',
      body: { on: true, port, number_rule: null, reference_rule: null },
    })
    await eventually(async () => (await printer(app)).listening)
    const { id } = await print(app, port, RECEIPT.replace('1001', '1004'))
    const page = await openWindow(app, `/prints?show=all&open=${id}`)
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel(text('write.reference')).fill('Meja 4')
    await drawer.getByLabel(text('prints.number')).fill('0')
    await button(page, '0812-3456-7890').click()
    await button(page, text('prints.is.number')).click()
    await expect.poll(() => drawer.getByLabel(text('prints.number')).inputValue()).toMatch(/^0812\D?3456\D?7890$/)
    expect(await drawer.getByLabel(text('write.reference')).inputValue()).toBe('Meja 4')
  })

  test('what is typed while the text beside a PDF is saved stays', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    await app.owner('/api/printer', { method: 'PATCH', body: { form: 'pdf', sending: false } })
    const page = await openWindow(app, '/prints')
    const caption = page.getByLabel(text('prints.caption'), { exact: true })
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/printer', async (route) => {
      if (route.request().method() === 'PATCH') await saving.promise
      await route.continue()
    })
    await caption.fill('Nota')
    await page.getByRole('link', { name: text('nav.pages.messages') }).click()
    await button(page, text('leave.keepEditing')).click()
    await button(page, text('actions.save')).click()
    await caption.fill('Nota Anda')
    saving.resolve()
    const save = button(page, text('actions.save'))
    await save.and(page.locator('[aria-busy=false]')).click()
    await save.waitFor({ state: 'detached' })
    expect((await printer(app)).caption).toBe('Nota Anda')
  })
})
