import { readFile } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { text } from '../support/texts.ts'

const COUNT = 100_000

/** Writes old messages straight into the file of a program that is not running; every text has a line break. */
function fill(home: string, senderId: number): void {
  const db = new Database(`${home}/kurir.db`)
  // All of today, as the rows of a busy shop are.
  const midnight = new Date().setHours(0, 0, 0, 0)
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO messages (id, sender_id, channel, recipient, body, reference_id, status, created_at, due_at, expires_at, occurred_at)
     SELECT printf('00000000-0000-7000-8000-%012d', i), ?, 'standard', '6281234567890',
       CASE i WHEN 4321 THEN 'the blue bicycle' ELSE 'order ' || i || ' is ready' END || char(10) || 'thank you',
       'INV-' || i, 'read', ? + i, ? + i, ? + i, ? + i FROM n`,
  ).run(COUNT, senderId, midnight, midnight, midnight, midnight)
  db.close()
}

describeWindow('A log of 100,000 messages', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    const senderId = app.app.store.senders.byCode(SANDBOX)?.id ?? 0
    await app.restart(() => fill(app.home, senderId))
  })

  test('finds the one message with a word, and the one with a reference', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('link', { name: /order 100000 is ready/ }).waitFor()
    await page.getByRole('searchbox').fill('bicycle')
    await page.getByRole('link', { name: /the blue bicycle/ }).waitFor()
    await page.getByRole('link', { name: /order/ }).first().waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('INV-98765')
    await page.getByRole('link', { name: /order 98765 is ready/ }).waitFor()
    expect(await page.getByRole('row').count(), 'the head and one message').toBe(2)
  })

  test('fifteen rows are seen at 1366 × 768, and the list stays short in the page while it is scrolled', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('link', { name: /order 100000 is ready/ }).waitFor()
    const whole = await page.evaluate(
      '[...document.querySelectorAll("tbody tr")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length',
    )
    expect(whole).toBeGreaterThanOrEqual(15)
    await page.getByRole('link', { name: /order 100000 is ready/ }).hover()
    await page.mouse.wheel(0, 3_000)
    await page.getByRole('link', { name: /order 99920 is ready/ }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(80)
  })

  test('finds a number as people write it', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('searchbox').fill('0812-3456-7890')
    await page.getByRole('link', { name: /order 100000 is ready/ }).waitFor()
    await page.getByRole('searchbox').fill('0812-3456-7891')
    await page.getByText(text('list.nothing')).waitFor()
  })

  test('the export is named after the day of the shop', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    const tools = await page.context().newCDPSession(page)
    // One of these has another day than UTC at any hour.
    const timezoneId = new Date().getUTCHours() < 12 ? 'Etc/GMT+12' : 'Pacific/Kiritimati'
    await tools.send('Emulation.setTimezoneOverride', { timezoneId })
    await page.getByRole('button', { name: text('messages.export') }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: text('messages.layout.data') }).click(),
    ])
    await tools.detach()
    const day = new Intl.DateTimeFormat('sv', { timeZone: timezoneId }).format()
    expect(file.suggestedFilename()).toBe(`kurir-${day}.csv`)
  })

  test('the export says how many messages it wrote, whatever their lines', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('button', { name: text('messages.export') }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: text('messages.layout.data') }).click(),
    ])
    await page.getByText(text('messages.exported', { count: COUNT })).waitFor()
    expect((await readFile(await file.path(), 'utf8')).match(/thank you/g)).toHaveLength(COUNT)
  })
})
