import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { asTyped, sendAt } from '../../renderer/model/send-at.ts'
import { formatPhone } from '../../server/contract/phone.ts'
import type { TextView } from '../../server/slices/texts/contract.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

const CUSTOMER = '6281234567890'
const send = (page: Page) => page.getByRole('button', { name: text('write.send'), exact: true })
const senderOf = (page: Page) => page.getByRole('combobox', { name: text('write.sender') })
const phoneOf = (page: Page) => page.getByRole('combobox', { name: text('write.phone') })
const preview = (page: Page) => page.getByRole('region', { name: text('write.preview') })

describeWindow('A message that the owner writes', () => {
  let app: TestApp
  let till: string

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    await app.sender('linked', { name: 'Gudang' })
    till = await app.sender('linked', { name: 'Kasir' })
  })

  test('leaves from the sender that wrote last to the customer, and begins empty', async () => {
    const key = await app.key()
    await app.call(key, '/send', { sender_code: till, phone: CUSTOMER, message: 'Nota 184' })
    // The sandbox wrote later, to nobody.
    await app.call(key, '/send', { sender_code: SANDBOX, phone: CUSTOMER, message: 'Coba' })
    const page = await openWindow(app, `/customers/${CUSTOMER}`)
    await page.getByRole('link', { name: text('messages.write') }).click()
    await expect.poll(() => senderOf(page).inputValue()).toBe('Kasir')
    expect(await page.getByRole('textbox', { name: text('write.message') }).inputValue()).toBe('')
    expect(await phoneOf(page).inputValue()).toContain('6281234567890')
    expect(await page.getByText(text('write.sandbox')).count()).toBe(0)
    expect(await send(page).isDisabled()).toBe(true)
  })

  test('says that it waits where the sender does not send', async () => {
    const page = await openWindow(app, '/write')
    await expect.poll(() => senderOf(page).inputValue()).toBe('Gudang')
    const waits = page.getByText(text('write.waits'))
    await waits.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await senderOf(page).click()
    await page.getByRole('option', { name: 'Sandbox' }).click()
    await waits.waitFor({ state: 'detached' })
  })

  test('does not leave from another sender once the chosen one is deleted', async () => {
    const code = await app.sender('sandbox', { name: 'Coba' })
    const page = await openWindow(app, `/write?sender=${code}&phone=${CUSTOMER}`)
    await page.getByRole('textbox', { name: text('write.message') }).fill('Halo')
    await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
    await page.getByText('The sender that was chosen is not there any more.').waitFor()
    expect(await send(page).isDisabled()).toBe(true)
  })

  test('goes to the sandbox only if the owner says so, and then that stands above the button', async () => {
    const page = await openWindow(app, '/write')
    await expect.poll(() => senderOf(page).inputValue()).toBe('Gudang')
    await senderOf(page).click()
    await page.getByRole('option', { name: 'Sandbox' }).click()
    await page.getByText(text('write.sandbox')).waitFor()
  })

  test('a template needs an official number, and the page says so', async () => {
    const page = await openWindow(app, '/write?kind=template')
    await page.getByText(text('write.noOfficial')).waitFor()
    await page.goto(`${app.url}/api-message-logs`)
    await page.getByText(text('messages.emptyOfficial')).waitFor()
  })

  test('finds the customer by the words of an earlier message', async () => {
    const page = await openWindow(app, '/write')
    await phoneOf(page).fill('Nota')
    await page.getByRole('option', { name: formatPhone(CUSTOMER) }).click()
    expect(await phoneOf(page).inputValue()).toBe(formatPhone(CUSTOMER))
    await expect.poll(() => senderOf(page).inputValue()).toBe('Kasir')
  })

  test('goes to a group that the chosen sender is in', async () => {
    const id = app.app.store.senders.byCode(till)?.id ?? 0
    const kitchen = { jid: '120363040000000009@g.us', name: 'Dapur', members: 4, canSend: true }
    const closed = { jid: '120363040000000010@g.us', name: 'Pengumuman', members: 9, canSend: false }
    await app.app.store.groups.replace(id, [kitchen, closed])
    const page = await openWindow(app, `/write?sender=${till}&phone=${CUSTOMER}`)
    await page.getByText(text('write.toGroup'), { exact: true }).click()
    const groups = page.getByRole('combobox', { name: text('write.group') })
    await page.getByRole('textbox', { name: text('write.message') }).fill('Rapat jam 5')
    expect(await send(page).isDisabled()).toBe(true)
    await groups.click()
    const shut = page.getByRole('option', { name: closed.name })
    expect(await shut.getAttribute('data-combobox-disabled')).toBe('true')
    expect(await shut.textContent()).toContain(text('senders.groups.closed'))
    await page.getByRole('option', { name: kitchen.name }).click()
    await send(page).click()
    await page.getByText(text('states.message.queued')).first().waitFor()
    const sent = await app.owner(`/api/messages?recipient=${encodeURIComponent(kitchen.jid)}`)
    expect(sent.body.data).toMatchObject([{ recipient: kitchen.jid, message: 'Rapat jam 5' }])
    // Gudang was never connected, so its groups are not known: what was chosen before is chosen no more.
    await senderOf(page).click()
    await page.getByRole('option', { name: 'Gudang' }).click()
    await page.getByText(/^Kurir knows no group of this number/).waitFor()
    await page.getByRole('textbox', { name: text('write.message') }).fill('Rapat jam 6')
    expect(await send(page).isDisabled()).toBe(true)
  })

  test('is sent once where its answer was lost and the button is pressed again', async () => {
    const page = await openWindow(app, `/write?sender=${SANDBOX}&phone=${CUSTOMER}`)
    const error = { code: 'idempotency_conflict', message: 'Another call with this Idempotency-Key is under way.' }
    const underWay = { status: 409, json: { success: false, message: error.message, error } }
    await page.route('**/send', (route) => route.fulfill(underWay), { times: 1 })
    await page.route('**/send', async (route) => void (await route.fetch().then(() => route.abort())), { times: 1 })
    const message = page.getByRole('textbox', { name: text('write.message') })
    const sentTexts = async () =>
      (await app.owner<{ message: string }[]>(`/api/messages?recipient=${CUSTOMER}`)).body.data
        .map((one) => one.message)
        .filter((one) => one === 'Sekali saja')
    await message.fill('Sekali saja')
    await send(page).click()
    await page.getByText(/If you pressed a button, press it again\./).waitFor()
    await send(page).click()
    await page.getByText(error.message).waitFor()
    await send(page).click()
    await expect.poll(() => message.inputValue()).toBe('')
    expect(await sentTexts()).toHaveLength(1)
    // The same words once more are another message.
    await message.fill('Sekali saja')
    await send(page).click()
    await expect.poll(() => message.inputValue()).toBe('')
    expect(await sentTexts()).toHaveLength(2)
  })

  test('may be a saved text: its own fields are asked for, the rest is filled in', async () => {
    const body = { name: 'Siap', text: 'Halo {nama}, pesanan siap. {pengirim}' }
    const { id } = (await app.owner<TextView>('/api/texts', { body })).body.data
    const page = await openWindow(app, `/write?sender=${SANDBOX}&phone=${CUSTOMER}`)
    await page.getByRole('combobox', { name: text('write.savedText') }).click()
    await page.getByRole('option', { name: 'Siap' }).click()
    await send(page).click()
    await page.getByText(text('write.ownFieldEmpty', { name: '{nama}' })).waitFor()
    await page.getByRole('textbox', { name: text('write.ownField', { name: 'nama' }) }).fill('Ibu Sri')
    await expect.poll(() => preview(page).textContent()).toBe('Halo Ibu Sri, pesanan siap. Sandbox')
    await send(page).click()
    // Until the field is empty the words stand in its preview too.
    await expect.poll(() => page.getByRole('textbox', { name: text('write.message') }).inputValue()).toBe('')
    await page.getByText('Halo Ibu Sri, pesanan siap. Sandbox').waitFor()

    await page.getByRole('combobox', { name: text('write.savedText') }).click()
    await page.getByRole('option', { name: 'Siap' }).click()
    await page.getByRole('button', { name: text('write.removeText', { name: 'Siap' }) }).click()
    const undo = page.getByRole('button', { name: text('write.undoRemove') })
    // Under the pointer it stays for longer than ten seconds.
    await undo.hover()
    expect((await app.owner<TextView[]>('/api/texts')).body.data.filter((one) => one.id === id)).toEqual([])
    // The name was taken meanwhile: the text can still be brought back when it is free again.
    const other = await app.owner<TextView>('/api/texts', { body: { name: 'Siap', text: 'Lain' } })
    await undo.click()
    await page.getByText('There is a saved text of this name already.').waitFor()
    await app.owner(`/api/texts/${other.body.data.id}`, { method: 'DELETE' })
    await undo.click()
    const kept = async () => (await app.owner<TextView[]>('/api/texts')).body.data.map(({ text: its }) => its)
    await expect.poll(kept).toEqual([body.text])
  })

  test('is kept as a saved text', async () => {
    const page = await openWindow(app, '/write')
    await page.getByRole('textbox', { name: text('write.message') }).fill('Toko tutup besok.')
    await page.getByRole('button', { name: text('write.keep') }).click()
    await page.getByRole('textbox', { name: text('write.keepName') }).fill('Tutup')
    await page.getByRole('button', { name: text('actions.save'), exact: true }).click()
    await page.getByText(text('write.kept', { name: 'Tutup' })).waitFor()
    expect((await app.owner<TextView[]>('/api/texts')).body.data.map(({ name }) => name)).toContain('Tutup')
  })

  test('takes a file that is chosen or dropped, and waits for its time', async () => {
    const page = await openWindow(app, `/write?sender=${SANDBOX}&phone=6281234560000`)
    const file = { name: 'nota é.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF') }
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.getByRole('button', { name: text('write.removeFile', { name: file.name }) }).click()
    const transfer = await page.evaluateHandle(
      "(() => { const data = new DataTransfer(); data.items.add(new File(['%PDF-1.4'], 'slip.pdf', { type: 'application/pdf' })); return data })()",
    )
    await page.locator('form').dispatchEvent('drop', { dataTransfer: transfer })
    await expect.poll(() => preview(page).textContent()).toBe('slip.pdf')
    const at = page.getByLabel(text('write.at')).first()
    await at.fill('2020-01-01T08:00')
    await page.getByText(text('write.atOver')).waitFor()
    const tomorrow = new Date(Date.now() + 86_400_000)
    await at.fill(asTyped(tomorrow.toISOString()))
    await send(page).click()
    await page.getByText(text('states.message.queued')).first().waitFor()
    // The phone shows what was accepted by the same name.
    await page.locator('article').getByText('slip.pdf', { exact: true }).waitFor()
    const { body } = await app.owner<{ id: string; due_at: string }[]>('/api/messages?recipient=6281234560000')
    const kept = { file: expect.stringMatching(/^upload:/), filename: 'slip.pdf', held_by: 'delay' }
    expect(body.data).toMatchObject([kept])
    const detail = await openWindow(app, `/messages?sandbox=with&open=${body.data[0]?.id}`)
    await detail.getByRole('dialog').getByText('slip.pdf', { exact: true }).waitFor()
    expect(Math.abs(Date.parse(body.data[0]?.due_at ?? '') - tomorrow.getTime())).toBeLessThan(60_001)
  })

  test('can be moved and cancelled while it waits for its time', async () => {
    const key = await app.key()
    const planned = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 86_400_000)
    const body = { sender_code: SANDBOX, phone: '6281234560005', message: 'Besok', send_at: planned.toISOString() }
    const { id } = (await app.call<{ id: string }>(key, '/send', body)).body.data
    const page = await openWindow(app, `/messages?sender_code=${SANDBOX}&open=${id}`)
    const at = page.getByLabel(text('messages.moveTo'))
    await expect.poll(() => at.inputValue()).toBe(asTyped(planned.toISOString()))
    const later = new Date(planned.getTime() + 3_600_000)
    await at.fill(asTyped(later.toISOString()))
    await page.getByRole('button', { name: text('messages.move'), exact: true }).click()
    const due = async () => (await app.owner<{ due_at: string }>(`/api/messages/${id}`)).body.data.due_at
    await expect.poll(due).toBe(later.toISOString())
    await page.getByRole('button', { name: text('messages.cancel') }).click()
    await expect.poll(() => at.count()).toBe(0)
    expect((await app.owner(`/api/messages/${id}`)).body.data).toMatchObject({ status: 'cancelled' })
  })

  test('keeps what is written and chosen while it is sent, and empties the rest', async () => {
    const page = await openWindow(app, `/write?sender=${SANDBOX}&phone=6281234560006`)
    const message = page.getByRole('textbox', { name: text('write.message') })
    const reference = page.getByLabel(text('write.reference'))
    const sending = Promise.withResolvers<void>()
    await page.route('**/send', async (route) => {
      await sending.promise
      await route.continue()
    })
    // As WhatsApp does: a text begins at the side of its first letter.
    await message.fill('طلبك جاهز INV-9')
    await preview(page).getByText('طلبك جاهز').waitFor()
    await expect.poll(() => preview(page).locator('[dir=auto]:dir(rtl)').count()).toBe(1)
    await message.fill('Pesanan siap')
    await reference.fill('INV-9')
    await send(page).click()
    await message.fill('Toko tutup jam 5')
    const file = { name: 'menu.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF') }
    await page.locator('input[type=file]').first().setInputFiles(file)
    const stored = page.getByRole('button', { name: text('write.removeFile', { name: file.name }) })
    await stored.waitFor()
    sending.resolve()
    await expect.poll(() => reference.inputValue()).toBe('')
    expect([await message.inputValue(), await stored.count()]).toEqual(['Toko tutup jam 5', 1])
  })

  test('says in words why it failed', async () => {
    const page = await openWindow(app, `/write?sender=${SANDBOX}&phone=6281234560001`)
    await page.getByRole('textbox', { name: text('write.message') }).fill('Halo')
    await send(page).click()
    await page.getByRole('status').getByText(text('failures.recipient_not_on_whatsapp.message')).waitFor()
  })

  test('has its old address still', async () => {
    const page = await openWindow(app, `/try-it?phone=${CUSTOMER}`)
    await page.getByRole('heading', { name: text('write.title') }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`/write?phone=${CUSTOMER}`)
  })

  test.each(['light', 'dark'] as const)(
    'can be read by everybody, %s, also on a phone in Indonesian',
    async (theme) => {
      for (const language of ['en', 'id']) {
        await app.owner('/api/settings', { method: 'PATCH', body: { language } })
        const say = language === 'en' ? text : textId
        for (const size of [{}, PHONE]) {
          const page = await openWindow(app, `/write?sender=${SANDBOX}`, { theme, ...size })
          await page.getByRole('textbox', { name: say('write.message') }).fill('Halo {nama}')
          await page.getByText(say('write.sandbox')).waitFor()
          expect(await axeFindings(page)).toEqual([])
          await page.getByText(say('write.toGroup'), { exact: true }).first().click()
          await page.getByRole('combobox', { name: say('write.group') }).click()
          await page.getByRole('option', { name: 'Kitchen' }).click()
          expect(await axeFindings(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        }
      }
      await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    },
  )
})

describeWindow('A message that is written while the sandbox is all there is', () => {
  test('has no sender until the owner chooses one', async () => {
    const app = await startWindowApp('en')
    const page = await openWindow(app, '/write')
    await page.getByText(text('write.sandboxOnly')).waitFor()
    await phoneOf(page).fill('0812-9011-4473')
    await page.getByRole('textbox', { name: text('write.message') }).fill('Halo')
    expect(await send(page).isDisabled()).toBe(true)
  })
})

const NOW = new Date('2026-11-23T10:00:30').getTime()
test.each([
  ['', false, { at: undefined }],
  ['2026-11-23T10:00', false, { at: new Date('2026-11-23T10:00').toISOString() }],
  ['2026-11-23T09:59', false, { wrong: 'over' }],
  ['2026-12-23T10:00', false, { at: new Date('2026-12-23T10:00').toISOString() }],
  ['2026-12-23T10:01', false, { wrong: 'over' }],
  ['', true, { wrong: 'unread' }],
  ['10:00', false, { wrong: 'unread' }],
])('the time “%s” is read', (typed, incomplete, expected) => {
  expect(sendAt(typed, incomplete, NOW)).toEqual(expected)
})
