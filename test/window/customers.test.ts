import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { lastMonths } from '../../renderer/model/months.ts'
import { SANDBOX, type StartOptions, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { createTestClock } from '../support/clock.ts'
import { sendTemplate } from '../support/official.ts'
import { beginning, inOrder, text, textId } from '../support/texts.ts'

const CUSTOMER = '6281234567890'

describeWindow('One customer, many messages', () => {
  let app: TestApp

  async function start(language: 'en' | 'id' = 'en', options: StartOptions = {}) {
    app = await startWindowApp(language, options)
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  }

  async function send(fields: Record<string, unknown>): Promise<string> {
    const body = { sender_code: SANDBOX, phone: CUSTOMER, message: 'halo', ...fields }
    return (await app.owner<{ id: string }>('/send', { body })).body.data.id
  }

  const statusOf = async (id: string) => (await app.message(id)).status

  test.each([
    ['en', 1366],
    ['id', 1024],
    ['id', 390],
  ] as const)(
    'a number as people write it leads to all that it got, of both routes: %s, %i px',
    async (language, width) => {
      await start(language)
      const t = language === 'en' ? text : textId
      const first = await send({ message: 'by the till' })
      const template = (await sendTemplate(app, { sender_code: SANDBOX, template_name: 'invoice' })).body.data.id
      await send({ message: 'to somebody else', phone: '6281299999999' })
      await app.reached(first, 'read')
      await app.reached(template, 'read')
      const page = await openWindow(app, '/customers', { width, height: 800 })
      await page.getByRole('searchbox', { name: t('customers.find') }).fill('0812-3456-7890')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '+62 812-3456-7890' }).waitFor()
      // What was only played is not what the customer got.
      await page.getByText(t('customers.nothing')).waitFor()
      await page.getByRole('button', { name: t('messages.sandbox'), exact: true }).click()
      await page.getByRole('menuitemradio', { name: t('messages.sandboxParts.with') }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      const rows = page.getByRole('row')
      await rows.filter({ hasText: 'by the till' }).waitFor()
      await rows.filter({ hasText: 'invoice' }).waitFor()
      expect(await page.getByText('to somebody else').count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await rows.filter({ hasText: 'by the till' }).getByRole('link').click()
      await page.getByRole('dialog').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await expect.poll(() => focused(page)).toMatch(beginning(t('states.message.read')))
      await send({ message: 'while it is open' })
      await rows.filter({ hasText: 'while it is open' }).waitFor()
    },
  )

  test('in a shop without any number yet the country is that of the language, and nobody else is shown', async () => {
    app = await startWindowApp('id')
    await send({ phone: '6281299999999', message: 'to somebody else' })
    const page = await openWindow(app, '/customers/0812-3456-7890')
    await page.getByRole('heading', { name: '+62 812-3456-7890' }).waitFor()
    await page.getByText(textId('customers.nothing')).waitFor()
    expect(await page.getByText('to somebody else').count()).toBe(0)
  })

  test('a number that got nothing says so', async () => {
    await start()
    const page = await openWindow(app, '/customers/0811%201111%201111')
    await page.getByText(text('customers.nothing')).waitFor()
    await page.getByRole('heading', { name: '+62 811-1111-1111' }).waitFor()
  })

  test('an opt-out that comes meanwhile is said, the strictest of several, and from whom', async () => {
    await start()
    const page = await openWindow(app, `/customers/${CUSTOMER}`)
    await page.getByText(text('customers.nothing')).waitFor()
    const body = { phone: CUSTOMER, scope: 'all', sender_code: SANDBOX }
    expect((await app.owner('/suppressions', { body })).status).toBe(200)
    const alert = page.getByRole('alert')
    await alert.getByText(text('optOuts.says.all')).waitFor()
    await alert.getByText(text('optOuts.fromSender', { name: 'Sandbox' })).waitFor()
    await app.owner('/suppressions', { body: { phone: CUSTOMER, scope: 'marketing' } })
    await alert.getByText(beginning(text('optOuts.scopes.marketing'))).waitFor()
    await alert.getByText(text('optOuts.says.all')).waitFor()
  })

  test('an address of no number is no crash', async () => {
    await start()
    const page = await openWindow(app, '/customers/50%25')
    await page
      .getByText(text('customers.nothing'))
      .or(page.getByText(text('errors.crashed')))
      .waitFor()
    expect(await page.getByText(text('errors.crashed')).count()).toBe(0)
  })

  test('all that wait are cancelled with a count, and undone within ten seconds', async () => {
    // The ten seconds last as long as this takes: at the server its clock stands, in the window the pointer stays.
    await start('id', { clock: createTestClock(Date.now()) })
    const ids = [await send({ delay: 3600 }), await send({ delay: 3600 })]
    const page = await openWindow(app, '/messages?sandbox=with', PHONE)
    await page.getByRole('button', { name: textId('messages.bulk.titleOf', { count: 2 }) }).click()
    await page.getByRole('menuitem', { name: textId('messages.bulk.cancel') }).click()
    const undo = page.getByRole('button', { name: /^Urungkan/ })
    await undo.hover()
    await page.getByText(textId('messages.bulk.begun.cancel', { count: 2 })).waitFor()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    expect(await axeFindings(page)).toEqual([])
    await undo.click()
    await page.getByText(textId('messages.bulk.undone', { count: 2 })).waitFor()
    expect(await Promise.all(ids.map(statusOf))).toEqual(['queued', 'queued'])
  })

  test('of what failed, only what makes sense is sent again, and the list follows', async () => {
    await start()
    const blocked = await send({ phone: '6281234560005', message: 'try again' })
    const wrong = await send({ phone: '6281234560001', message: 'wrong number' })
    await app.reached(blocked, 'failed')
    await app.reached(wrong, 'failed')
    const page = await openWindow(app, '/messages?sandbox=with&status=failed')
    await page.getByRole('button', { name: text('messages.bulk.titleOf', { count: 2 }) }).click()
    const sendAgain = page.getByRole('menuitem', { name: text('messages.bulk.send_again') })
    await sendAgain.waitFor()
    expect(await page.getByRole('menuitem').count(), 'nothing of these waits').toBe(1)
    await sendAgain.click()
    await page.getByText(text('messages.bulk.begun.send_again', { count: 1 })).waitFor()
    await expect
      .poll(async () => (await app.owner<unknown[]>('/messages?recipient=6281234560005')).body.data.length)
      .toBe(2)
  })

  test('a wrong number is corrected where it is shown, and only then sent again', async () => {
    await start()
    const wrong = await send({ phone: '6281234560001', message: 'to the wrong one' })
    await app.reached(wrong, 'failed')
    const page = await openWindow(app, `/messages?sandbox=with&open=${wrong}`)
    const button = page.getByRole('button', { name: text('messages.again'), exact: true })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    const field = page.getByRole('textbox', { name: text('messages.correctNumber') })
    expect(await field.inputValue()).toBe('+62 812-3456-0001')
    await field.fill('0812-3456-7890')
    await button.click()
    await page.getByRole('dialog', { name: '+62 812-3456-7890' }).waitFor()
    await page.getByRole('link', { name: inOrder(text('states.message.read'), '+62 812-3456-7890') }).waitFor()
  })

  test('a month in numbers leads to its messages, and is a table for Excel', async () => {
    await start('id')
    const sender = await app.sender('linked', { name: 'Toko Melati' })
    const id = await send({ sender_code: sender, delay: 3600, message: 'faktur' })
    await app.owner(`/messages/${id}`, { method: 'DELETE' })
    const page = await openWindow(app, '/month')
    await page.getByRole('row').filter({ hasText: 'Toko Melati' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: textId('messages.export') }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: textId('messages.layout.spreadsheet') }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^kurir-20\d\d-\d\d\.csv$/)
    const [head, row] = (await readFile(await file.path(), 'utf8')).split('\r\n')
    expect(head?.split(';')).toHaveLength(9)
    expect(row).toContain(`Toko Melati;"=""${CUSTOMER}""";${textId('states.message.cancelled')}`)
    await page.getByRole('definition').filter({ hasText: '1' }).last().getByRole('link').click()
    await page.getByRole('row').filter({ hasText: 'faktur' }).waitFor()
  })

  test('a month of which messages are deleted already says so', async () => {
    await start()
    const [, before = ''] = lastMonths(Date.now(), 2)
    await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: 14 } })
    const page = await openWindow(app, `/month?month=${before}`)
    await page.getByText(text('month.deleted', { days: 14 })).waitFor()
    await app.owner('/api/settings', { method: 'PATCH', body: { retention_days: null } })
    await page.getByText(text('month.deleted', { days: 14 })).waitFor({ state: 'detached' })
  })

  test('the record of a message is a sheet of paper: when it was accepted, sent, delivered, read', async () => {
    await start()
    const id = await send({ message: 'Rp 150.000', reference_id: 'INV-7' })
    await app.reached(id, 'read')
    const page = await openWindow(app, `/messages?sandbox=with&open=${id}`)
    await page.getByRole('link', { name: text('slip.open') }).click()
    const sheet = page.getByRole('article', { name: text('slip.title') })
    await sheet.getByText('Rp 150.000').waitFor()
    for (const part of ['+62 812-3456-7890', 'INV-7', id, text('slip.accepted')]) {
      expect(await sheet.getByText(part).first().isVisible(), part).toBe(true)
    }
    expect(await sheet.getByText(text('slip.notYet')).count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('button', { name: text('slip.print') }).isVisible()).toBe(false)
  })
})
