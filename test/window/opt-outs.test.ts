import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Settings } from '../../server/contract/settings.ts'
import { SANDBOX } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { workbook } from '../support/tables.ts'
import { text, textId } from '../support/texts.ts'

const cell = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const SHEET = [
  ['phone', 'scope'],
  ['6281234567890', 'all'],
  ['nobody', 'all'],
  ['+62 812-9011-4473', 'marketing'],
]
  .map((cells) => `<row>${cells.map(cell).join('')}</row>`)
  .join('')

describeWindow('Opt-outs and the settings of programs', () => {
  test('a number is noted as it is typed, shown at the customer, and taken away again', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/opt-outs', PHONE)
    await page.getByText(textId('optOuts.empty')).waitFor()
    await page.getByRole('textbox', { name: textId('optOuts.number') }).fill('0812-3456-7890')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: '+62 812-3456-7890' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'promo', purpose: 'marketing' }
    expect((await app.owner('/send', { body })).status).toBe(409)
    await page.getByRole('link', { name: '+62 812-3456-7890' }).click()
    await page.getByRole('alert', { name: textId('optOuts.says.marketing') }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.goBack()
    await page.getByRole('button', { name: /\+62 812-3456-7890$/ }).click()
    await page.getByText(textId('optOuts.removed', { number: '+62 812-3456-7890' })).waitFor()
    await page.getByText(textId('optOuts.empty')).waitFor()
    await expect.poll(() => focused(page)).toBe('PAGE')
    expect((await app.owner('/send', { body })).status).toBe(200)
  })

  test.each([
    ['/opt-outs', null],
    ['/acts', null],
    ['/messages', 'messages.layout.data'],
  ] as const)('a file that %s cannot give says why, not that Kurir is away', async (path, layout) => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, path)
    const error = { success: false, message: 'The disk is full.', error: { code: 'storage_unavailable' } }
    await page.route(/export\.csv/, (route) => route.fulfill({ status: 503, json: error }))
    await page.getByRole('button', { name: textId('messages.export') }).click()
    if (layout !== null) await page.getByRole('menuitem', { name: textId(layout) }).click()
    await page.getByText(textId('errors.code.storage_unavailable')).waitFor()
  })

  test.each([
    ['csv', 'phone,scope\n6281234567890,all\nnobody,all\n+62 812-9011-4473,marketing\n'],
    ['xlsx', workbook({ rows: SHEET })],
  ])('a table (%s) is shown as it is understood, then taken', async (ending, content) => {
    const folder = mkdtempSync(join(tmpdir(), 'kurir-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, `numbers.${ending}`)
    writeFileSync(path, content)
    const app = await startWindowApp()
    const page = await openWindow(app, '/opt-outs')
    await page.locator('input[type=file]').setInputFiles(path)
    const preview = page.getByRole('status').filter({ hasText: text('optOuts.understood', { count: 2 }) })
    await preview.getByText(`+62 812-3456-7890 · ${text('optOuts.scopes.all')}`).waitFor()
    await preview.getByText(text('optOuts.refused', { count: 1 })).waitFor()
    await preview.getByText(new RegExp(`^Line \\d+: ${text('optOuts.number')} `)).waitFor()
    expect((await app.owner<object[]>('/suppressions')).body.data, 'nothing is taken yet').toEqual([])
    expect(await axeFindings(page)).toEqual([])
    await preview.getByRole('button', { name: text('optOuts.take', { count: 2 }) }).click()
    await page
      .getByRole('status')
      .filter({ hasText: text('optOuts.imported', { count: 2 }) })
      .waitFor()
    await page.getByRole('link', { name: '+62 812-9011-4473' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('folders, room for files, keywords and the Fonnte switch are kept', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#files')
    const section = (id: 'customers' | 'programs') =>
      page
        .getByRole('navigation', { name: text('settings.sections') })
        .getByRole('link', { name: text(`settings.${id}.title`) })
        .click()
    const settings = async () => (await app.owner<Settings>('/api/settings')).body.data
    await page.getByLabel(text('settings.files.folders')).fill('/srv/invoices')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await settings()).file_folders).toEqual(['/srv/invoices'])
    await page.getByLabel(text('settings.files.quota')).fill('5000')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await settings()).files_quota_mb).toBe(5000)
    await section('customers')
    await page.getByLabel(text('settings.customers.out')).fill('CUKUP')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await settings()).opt_out_keywords.includes('CUKUP')).toBe(true)
    await section('programs')
    await page.getByRole('switch', { name: text('settings.programs.fonnte') }).press('Space')
    await page.getByText(text('settings.programs.look')).waitFor()
    expect((await settings()).compat_fonnte).toBe(true)
    expect(await axeFindings(page)).toEqual([])
  })
})
