import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { type TableRowView, UNDO_WITHIN } from '../../server/slices/tables/contract.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { act, send, take, view, workbook } from '../support/tables.ts'
import { text, textId } from '../support/texts.ts'

const ROWS = [
  ['No HP', 'Nama', 'Total'],
  ['0812-0000-1001', 'Ibu Sri', '150.000'],
  ['0812-0000-1002', 'Budi', '75.000'],
  ['81200001004', 'Tanpa nol', '2'],
  ['bukan nomor', 'X', '6'],
]
const asPasted = (rows: readonly string[][]) => rows.map((cells) => cells.join('\t')).join('\n')

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const preview = (page: Page) => page.getByRole('region', { name: text('write.preview') })
const message = (page: Page) => page.getByRole('textbox', { name: text('write.message') })

/** On a usual screen, and then on a phone. */
async function isReadable(page: Page): Promise<void> {
  for (const size of [{ width: 1366, height: 768 }, PHONE]) {
    await page.setViewportSize(size)
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  }
}

/** Returns the names of the drafts that the window keeps. */
const keptDrafts = (page: Page) => page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('table'))")

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

async function paste(page: Page, rows: readonly string[][]): Promise<void> {
  await page.getByRole('textbox', { name: text('tables.paste') }).fill(asPasted(rows))
  await button(page, text('tables.read')).click()
  await page.getByRole('heading', { name: text('tables.columns') }).waitFor()
}

/** In the page: a table that is done looks no more by itself. */
function standStillAtTheEnd(): void {
  const every = globalThis.setInterval
  const often = (work: () => void, ms: number) => (ms < 10_000 ? every(work, ms) : 0)
  globalThis.setInterval = often as typeof setInterval
}

describeWindow('A table', () => {
  let app: TestApp
  let clock: TestClock

  beforeAll(async () => {
    clock = createTestClock()
    app = await startWindowApp('en', { lives: 'file', clock })
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: { country_code: '62' } })
  })

  const tableOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const recipients = async () =>
    (await app.owner<{ recipient: string }[]>('/messages?limit=100')).body.data.map(({ recipient }) => recipient)

  test('is pasted, checked and seen before it is sent, and undone', async () => {
    const page = await openWindow(app, '/write')
    await page.getByText(text('write.table'), { exact: true }).click()
    await paste(page, ROWS)
    const columns = page.getByRole('combobox', { name: text('tables.phoneColumn') })
    expect(await columns.inputValue()).toBe('No HP')
    await page
      .getByRole('region', { name: text('tables.firstRows') })
      .getByText('0812-0000-1001')
      .waitFor()
    const check = button(page, text('tables.checkRows', { count: 4 }))
    expect(await check.isDisabled()).toBe(true)
    const needs = page.getByText(text('tables.checkNeeds'))
    await needs.waitFor()

    await choose(page, text('write.sender'), 'Sandbox')
    await message(page).fill('Halo , tagihan {kota}')
    await page.getByText(text('tables.unknown', { count: 1, names: '{kota}' })).waitFor()
    expect([await check.isDisabled(), await needs.count()]).toEqual([true, 0])
    await message(page).fill('Halo')
    await page.getByLabel(text('write.at')).fill('2020-01-01T10:00')
    await page.getByText(text('write.atOver')).waitFor()
    expect([await check.isDisabled(), await needs.count()]).toEqual([true, 0])
    await page.getByLabel(text('write.at')).fill('')
    await message(page).fill('Halo , tagihan {total}.')
    await page.keyboard.press('Home')
    for (let steps = 0; steps < 5; steps += 1) await page.keyboard.press('ArrowRight')
    await button(page, text('tables.insert')).click()
    await page.getByRole('menuitem', { name: '{Nama}' }).click()
    expect(await message(page).inputValue()).toBe('Halo {Nama}, tagihan {total}.')
    expect(await preview(page).innerText()).toBe('Halo Ibu Sri, tagihan 150.000.')

    await check.click()
    await page.getByText(text('tables.good', { count: 2, rows: 4 })).waitFor()
    await page.getByText('81200001004 has neither its first 0 nor a country code.').waitFor()
    await page.getByText('bukan nomor is no phone number and no group of this sender.').waitFor()
    await button(page, text('tables.restore', { count: 1 })).click()
    await page.getByText(text('tables.good', { count: 3, rows: 4 })).waitFor()
    await page.getByText(text('tables.restored', { count: 1 })).waitFor()
    const previews = ['Halo Ibu Sri, tagihan 150.000.', 'Halo Budi, tagihan 75.000.', 'Halo Tanpa nol, tagihan 2.']
    for (const each of previews) await preview(page).getByText(each).waitFor()
    await page.getByText(text('write.sandbox')).waitFor()
    expect(await axeFindings(page)).toEqual([])

    // A change makes the check of before worthless.
    const sending = button(page, text('tables.send', { count: 3 }))
    await message(page).fill('Halo {nama}!')
    expect(await sending.count()).toBe(0)
    await check.click()
    await sending.click()
    await button(page, text('tables.undo')).click()
    await check.waitFor()
    expect(await message(page).inputValue()).toBe('Halo {nama}!')
    await clock.advance(UNDO_WITHIN)
    expect(await recipients()).toEqual([])

    // Loaded again, the message is there still.
    await page.reload()
    await check.waitFor()
    expect(await message(page).inputValue()).toBe('Halo {nama}!')
    await button(page, text('tables.remove')).click()
    await page.getByText(text('tables.lead')).waitFor()
    expect((await app.owner<TableRowView[]>('/api/tables')).body.data).toEqual([])
    expect(await keptDrafts(page)).toEqual([])
  })

  test('is a file; its progress and results are seen, and given back as a file', async () => {
    const page = await openWindow(app, '/write?kind=table')
    const cell = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`
    const buffer = workbook({
      rows: `<row r="1">${cell('A1', 'Nama')}${cell('B1', 'WA')}${cell('C1', 'Faktur')}</row><row r="2">${cell('A2', 'Sri')}${cell('B2', '081200002001')}</row><row r="3">${cell('A3', 'Gagal')}${cell('B3', '081200000001')}</row><row r="4">${cell('A4', 'أحمد')}${cell('B4', '')}${cell('C4', '1001')}</row>`,
    })
    await page.locator('input[type=file]').setInputFiles({ name: 'tagihan.xlsx', mimeType: 'application/zip', buffer })
    await page.getByRole('heading', { name: 'tagihan.xlsx' }).waitFor()
    expect(await page.getByRole('combobox', { name: text('tables.phoneColumn') }).inputValue()).toBe('WA')
    await choose(page, text('write.sender'), 'Sandbox')
    await message(page).fill('Halo {nama}')
    await button(page, text('tables.checkRows', { count: 3 })).click()
    await button(page, text('tables.send', { count: 2 })).click()
    await page.getByRole('heading', { name: text('tables.state.planned') }).waitFor()
    const id = tableOf(page)
    await clock.advance(UNDO_WITHIN)
    await eventually(async () => {
      await clock.advance(10_000)
      const { counts } = await view(app, id)
      return counts.read === 1 && counts.failed === 1
    })
    await page.getByRole('heading', { name: text('tables.state.done') }).waitFor()
    expect(await keptDrafts(page)).toEqual([])
    const results = page.getByRole('region', { name: text('tables.results') })
    const row = (line: number) => results.getByRole('listitem').filter({ hasText: text('tables.row', { line }) })
    await row(2).getByText(text('states.message.read')).waitFor()
    await row(3).getByText(text('failures.recipient_not_on_whatsapp.message')).waitFor()
    await row(4).getByText('The row has no number.').waitFor()
    const leftOf = async (cell: string) => (await row(4).getByText(cell, { exact: true }).boundingBox())?.x ?? 0
    expect(await leftOf('أحمد'), 'as in the table').toBeLessThan(await leftOf('1001'))
    expect(await axeFindings(page)).toEqual([])

    const show = (kind: 'sent' | 'failed' | 'left_out') => button(page, text(`tables.show.${kind}`))
    for (const [kind, line, count] of [
      ['failed', 3, 1],
      ['left_out', 4, 1],
      ['sent', 2, 1],
    ] as const) {
      await show(kind).click()
      await expect.poll(() => results.getByRole('listitem').count()).toBe(count)
      await row(line).waitFor()
    }
    expect(await axeFindings(page)).toEqual([])
    await page.reload()
    await expect.poll(() => results.getByRole('listitem').count()).toBe(1)
    await button(page, text('tables.show.all')).click()
    await row(4).waitFor()

    const [file] = await Promise.all([page.waitForEvent('download'), button(page, text('tables.download')).click()])
    expect(file.suggestedFilename()).toBe('kurir-tagihan.csv')
    expect((await readFile(await file.path(), 'utf8')).split('\r\n')[1]).toContain('Sri,081200002001,')

    await button(page, text('tables.act.send_again')).click()
    await page.getByText(text('tables.noneAgain')).waitFor()
    await row(2).getByRole('link').click()
    await page.getByRole('dialog').getByText('Halo Sri').first().waitFor()
    await page.goto(`${app.url}/write`)
    await page.getByText(text('write.table'), { exact: true }).click()
    await page.getByRole('link', { name: 'tagihan.xlsx' }).waitFor()
  })

  test('is paused, and stopped for good', async () => {
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    const rows = ['No HP', '081200003001', '081200003002'].join('\n')
    const { id } = (await take(app, rows)).body.data
    await send(app, id, { phone_column: 'No HP', message: 'Halo' }, 2)
    await clock.advance(UNDO_WITHIN)
    await eventually(async () => (await view(app, id)).counts.queued === 2)
    const page = await openWindow(app, `/tables/${id}`)
    // A time at which the last one leaves would be invented while nothing leaves.
    const paused = text('tables.notConnected', { state: text('states.sender.paused') })
    await page.getByText(paused).waitFor()
    await page.getByText(text('tables.left.sending', { count: 2, all: 2 })).waitFor()
    await button(page, text('tables.act.pause')).click()
    await button(page, text('tables.act.resume')).waitFor()
    await page.getByText(text('tables.left.paused', { count: 2, all: 2 })).waitFor()
    await eventually(async () => (await view(app, id)).counts.waiting === 2)
    await button(page, text('tables.act.cancel')).click()
    await page.getByRole('heading', { name: text('tables.state.cancelled') }).waitFor()
    await page.getByText(text('tables.left.cancelled')).waitFor()
    const results = page.getByRole('region', { name: text('tables.results') })
    await expect.poll(() => results.getByText(WORDS.en.tableKinds.stopped, { exact: true }).count()).toBe(3)
    expect(await button(page, text('tables.show.waiting')).count()).toBe(0)
    await button(page, text('tables.show.stopped')).click()
    await expect.poll(() => results.getByRole('listitem').count()).toBe(2)
    await app.owner(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
    expect((await act(app, id, 'resume')).status).toBe(409)
  })

  test('tells of a paused sender that it waits for the owner, and resumes it', async () => {
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    const ends = text('tables.ends', { when: '' }).slice(0, -1)
    const page = await openWindow(app, '/write?kind=table')
    await paste(page, ROWS)
    await choose(page, text('write.sender'), 'Sandbox')
    await message(page).fill('Halo {nama}')
    await button(page, text('tables.checkRows', { count: 4 })).click()
    await page.getByText(text('tables.pausedHint')).waitFor()
    expect(await page.getByText(ends).count()).toBe(0)
    expect(await page.getByText(text('tables.notConnectedHint')).count()).toBe(0)
    await button(page, text('tables.send', { count: 2 })).click()
    await page.getByRole('heading', { name: text('tables.state.planned') }).waitFor()
    await clock.advance(UNDO_WITHIN)
    await eventually(async () => (await view(app, tableOf(page))).counts.queued === 2)
    await page.getByText(text('tables.pausedHint')).waitFor()
    await button(page, text('senders.resume')).click()
    await eventually(async () => {
      await clock.advance(10_000)
      return (await view(app, tableOf(page))).counts.read === 2
    })
    await page.getByRole('heading', { name: text('tables.state.done') }).waitFor()
  })

  test('that is undone too late says so', async () => {
    const { id } = (await take(app, 'No HP\n081200009001')).body.data
    await send(app, id, { phone_column: 'No HP', message: 'Halo' }, 1)
    const before = await app.owner(`/api/tables/${id}`)
    const page = await openWindow(app, `/tables/${id}`)
    let undone = false
    await page.route(`**/api/tables/${id}`, (route) =>
      undone ? route.continue() : route.fulfill({ json: before.body }),
    )
    const undo = button(page, text('tables.undo'))
    await undo.waitFor()
    await clock.advance(UNDO_WITHIN)
    await eventually(async () => (await view(app, id)).state !== 'planned')
    page.on('request', (request) => {
      if (request.url().endsWith('/action')) undone = true
    })
    await undo.click()
    const tooLate = page.getByText('It is too late to undo this.')
    await Promise.all([undo.waitFor({ state: 'detached' }), tooLate.waitFor()])
  })

  test('shows its rows as the counts have them, at its end too', async () => {
    const { id } = (await take(app, 'No HP\n081200007001')).body.data
    await send(app, id, { phone_column: 'No HP', message: 'Halo' }, 1)
    const before = await app.owner(`/api/tables/${id}/rows`)
    const page = await openWindow(app, `/tables/${id}`, { before: standStillAtTheEnd })
    // Its last reading of the rows comes just before the end.
    let done = false
    await page.route('**/rows?*', (route) => (done ? route.continue() : route.fulfill({ json: before.body })))
    await page.route(`**/api/tables/${id}`, async (route) => {
      const response = await route.fetch()
      done ||= (await response.json()).data.state === 'done'
      await route.fulfill({ response })
    })
    const row = page.getByRole('region', { name: text('tables.results') }).getByRole('listitem')
    await row.getByText(WORDS.en.tableKinds.waiting).waitFor()
    await clock.advance(UNDO_WITHIN)
    await eventually(async () => {
      await clock.advance(10_000)
      return (await view(app, id)).counts.read === 1
    })
    await page.getByRole('heading', { name: text('tables.state.done') }).waitFor()
    await row.getByText(WORDS.en.tableKinds.waiting).waitFor({ state: 'hidden' })
  })

  test('brings more rows that were asked for, also where its counts change meanwhile', async () => {
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    const numbers = Array.from({ length: 120 }, (_, at) => `0812000${10_000 + at}`)
    const { id } = (await take(app, ['No HP', ...numbers].join('\n'))).body.data
    await send(app, id, { phone_column: 'No HP', message: 'Halo' }, 120)
    const page = await openWindow(app, `/tables/${id}`)
    const answer = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/rows?*cursor=*', async (route) => {
      asked += 1
      if (asked === 1) await answer.promise
      await route.continue()
    })
    await button(page, text('tables.more')).click()
    await expect.poll(() => asked).toBe(1)
    await clock.advance(UNDO_WITHIN)
    await page.getByRole('heading', { name: text('tables.state.sending') }).waitFor()
    answer.resolve()
    const results = page.getByRole('region', { name: text('tables.results') })
    await expect.poll(() => results.getByRole('listitem').count()).toBe(120)
    await app.owner(`/api/senders/${SANDBOX}/resume`, { method: 'POST' })
  })

  test('that is not finished is found again as it was left', async () => {
    const page = await openWindow(app, '/write?kind=table')
    await paste(page, ROWS)
    await choose(page, text('write.sender'), 'Sandbox')
    await message(page).fill('Halo {nama}')
    await page.getByLabel(text('tables.marketing')).check()
    const address = new URL(page.url()).pathname
    await page
      .getByRole('navigation', { name: text('nav.label') })
      .getByRole('link', { name: text('nav.pages.customers') })
      .click()
    await page.waitForURL('**/customers')
    await page.goto(app.url + address)
    await expect.poll(() => message(page).inputValue()).toBe('Halo {nama}')
    expect(await page.getByLabel(text('tables.marketing')).isChecked()).toBe(true)
    await button(page, text('tables.checkRows', { count: 4 })).click()
    await page.getByText(text('tables.good', { count: 2, rows: 4 })).waitFor()
  })

  test('is one, though a second file is chosen while the first is read', async () => {
    const page = await openWindow(app, '/write?kind=table')
    const reading = Promise.withResolvers<void>()
    await page.route('**/api/tables', async (route) => {
      if (route.request().method() === 'POST') await reading.promise
      await route.continue()
    })
    let taken = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && new URL(request.url()).pathname === '/api/tables') taken += 1
    })
    const file = (name: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from('phone\n0812') })
    await page.locator('input[type=file]').setInputFiles(file('first.csv'))
    await page.getByText(text('tables.reading')).waitFor()
    await page.locator('input[type=file]').setInputFiles(file('second.csv'))
    reading.resolve()
    await page.getByRole('heading', { name: 'first.csv' }).waitFor()
    expect(taken).toBe(1)
    await button(page, text('tables.remove')).click()
    await page.getByText(text('tables.lead')).waitFor()
  })

  test('that is none is refused, and the next one is taken', async () => {
    const page = await openWindow(app, '/write?kind=table')
    const zip = { name: 'foto.xlsx', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004 no archive') }
    await page.locator('input[type=file]').setInputFiles(zip)
    await page.getByText('This is no table. Save it as CSV or XLSX.').waitFor()
    // A browser tells of no choice where it is the same file as before, which may be mended now.
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, text('tables.choose')).click()])
    expect(await chooser.element().inputValue()).toBe('')
    await paste(page, [['Pelanggan'], ['Sri']])
    await page.getByText(text('tables.phoneColumnMissing')).waitFor()
  })

  test('that is not there is not called a pasted one, and one that cannot be thrown away says why', async () => {
    const page = await openWindow(app, '/tables/none')
    await page.getByText('There is no such table.').waitFor()
    expect(await page.getByRole('heading', { name: text('tables.pasted') }).count()).toBe(0)
    const { id } = (await take(app, 'No HP\n081200008001')).body.data
    await page.goto(`${app.url}/tables/${id}`)
    await button(page, text('tables.remove')).waitFor()
    await app.owner(`/api/tables/${id}`, { method: 'DELETE' })
    await button(page, text('tables.remove')).click()
    await page.getByRole('alert').getByText('There is no such table.').waitFor()
  })

  test('has files of its rows', async () => {
    const page = await openWindow(app, '/write?kind=table')
    await paste(page, [
      ['HP', 'File'],
      ['081200004001', 'INV-1'],
      ['081200004002', 'INV-2'],
    ])
    await choose(page, text('write.sender'), 'Sandbox')
    const files = page.locator('input[type=file]')
    const pdf = { name: 'INV-1.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF') }
    await files.setInputFiles([pdf])
    await page.getByText(text('tables.files', { count: 1 })).waitFor()
    await button(page, text('tables.checkRows', { count: 2 })).click()
    await page.getByText(text('tables.good', { count: 1, rows: 2 })).waitFor()
    await page.getByText('There is no file named INV-2.').waitFor()
    await preview(page).getByText('INV-1.pdf').waitFor()
  })

  test('by keyboard alone', async () => {
    const page = await openWindow(app, '/write?kind=table')
    await page.getByRole('textbox', { name: text('tables.paste') }).focus()
    await page.keyboard.insertText('HP,Nama\n081200005001,Sri')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe(text('tables.read'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: text('tables.columns') }).waitFor()
    const sender = page.getByRole('combobox', { name: text('write.sender') })
    await sender.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => sender.inputValue()).not.toBe('')
    await message(page).focus()
    await page.keyboard.insertText('Halo {nama}')
    await button(page, text('tables.checkRows', { count: 1 })).focus()
    await page.keyboard.press('Enter')
    await button(page, text('tables.send', { count: 1 })).waitFor()
  })

  test.each([
    ['light', 'en', text],
    ['dark', 'id', textId],
  ] as const)('can be read by everybody, on a phone too: %s, %s', async (theme, language, say) => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const body = `Nomor telepon pelanggan yang panjang sekali namanya;Nama;Kota\n081200006001;Sri;${'Malang'.repeat(30)}`
    const name = `${'tagihan-bulan-november-'.repeat(5)}.csv`
    const draft = (await take(app, body, name)).body.data
    const going = (await take(app, body, name)).body.data.id
    await send(app, going, { phone_column: draft.columns[0] ?? '', message: 'Halo' }, 1)
    const page = await openWindow(app, '/write?kind=table', { theme })
    await page.getByRole('heading', { name: say('tables.earlier') }).waitFor()
    await isReadable(page)
    await page.goto(`${app.url}/tables/${draft.id}`)
    await page.getByRole('heading', { name: say('tables.columns') }).waitFor()
    await isReadable(page)
    await page.goto(`${app.url}/tables/${going}`)
    await page.getByRole('heading', { name: say('tables.results') }).waitFor()
    await isReadable(page)
  })
})
