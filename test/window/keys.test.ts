import { beforeEach, expect, test } from 'vitest'
import type { KeyView } from '../../server/contract/access.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, loseAnswer, openWindow, startWindowApp } from '../support/browser.ts'
import { text } from '../support/texts.ts'

describeWindow('API keys', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await startWindowApp()
  })

  const keys = async () => (await app.owner<KeyView[]>('/api/keys')).body.data

  test('a key is made, used and revoked', async () => {
    const page = await openWindow(app, '/keys')
    await page.getByText(text('keys.empty')).waitFor()
    await page.getByRole('button', { name: text('keys.create') }).click()
    await page.getByLabel(text('keys.name')).fill('Till')
    await page.getByRole('button', { name: text('keys.createIt') }).click()
    const key = (await page.getByText(/^kurir_g_\S+$/).textContent()) ?? ''
    const curl = (await page.getByLabel(`${text('keys.tryIt')}: curl`).textContent()) ?? ''
    await page.getByRole('button', { name: text('leave.stored') }).click()
    expect(await page.getByText(key).count(), 'the key is still to be seen').toBe(0)
    await page.getByRole('cell', { name: text('time.never') }).waitFor()

    // The call that the page shows, as curl would make it.
    const url = /^curl (\S+)/.exec(curl)?.[1] ?? ''
    const body = /-d '(.*)'$/s.exec(curl)?.[1] ?? ''
    expect(curl).toContain(`Authorization: Bearer ${key}`)
    const sent = await app.call<{ recipient: string }>(key, new URL(url).pathname, body)
    expect(sent.status, sent.text).toBe(200)

    await page.reload()
    await page.getByRole('cell', { name: text('time.now') }).waitFor()
    await page.getByRole('link', { name: 'Till' }).click()
    await page.getByRole('button', { name: text('keys.revoke') }).click()
    const question = page.getByRole('dialog', { name: text('keys.revokeTitle', { name: 'Till' }) })
    await question.getByText(text('keys.revokeNow')).waitFor()
    await question.getByRole('textbox').fill('Till')
    await question.getByRole('button', { name: text('keys.revoke') }).click()
    await page.getByRole('cell', { name: text('keys.ended.revoked'), exact: true }).waitFor()
    const refused = await app.call(key, '/send', body)
    expect(refused.body.error.code).toBe('invalid_api_key')
  })

  test('a double click makes one key', async () => {
    const page = await openWindow(app, '/keys?open=new')
    await page.getByLabel(text('keys.name')).fill('Till')
    await page.getByRole('button', { name: text('keys.createIt') }).dblclick()
    await page.getByRole('button', { name: text('leave.stored') }).click()
    await page.getByRole('row', { name: /Till/ }).first().waitFor()
    expect((await keys()).map(({ name }) => name)).toEqual(['Till'])
  })

  test('after a lost answer it says to look in the list, and the key is there', async () => {
    const page = await openWindow(app, '/keys')
    await loseAnswer(page, '**/api/keys', { made: true })
    await page.getByRole('button', { name: text('keys.create') }).click()
    await page.getByLabel(text('keys.name')).fill('Till')
    await page.getByRole('button', { name: text('keys.createIt') }).click()
    await page.getByRole('alert').getByText(text('errors.connectionMakes')).waitFor()
    await page.getByRole('row', { name: /Till/ }).waitFor()
  })

  test('a page without the clipboard of secure addresses copies all the same', async () => {
    // As a page is that was opened by http from another PC.
    const before = () => Object.defineProperty(navigator, 'clipboard', { value: undefined })
    const page = await openWindow(app, `/senders?open=${SANDBOX}`, { before })
    await page.getByRole('button', { name: text('actions.copy'), exact: true }).click()
    await page.getByRole('button', { name: text('actions.copied') }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${app.url}/messages`)
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.keyboard.press('ControlOrMeta+V')
    await expect.poll(() => search.inputValue()).toBe(SANDBOX)
  })

  test('is revoked by its name as it is read, however it was typed', async () => {
    await app.owner('/api/keys', { body: { kind: 'global', name: 'Kasir  depan' } })
    const page = await openWindow(app, '/keys')
    await page.getByRole('link', { name: /Kasir/ }).click()
    await page.getByRole('button', { name: text('keys.revoke') }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('kasir depan')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: text('keys.ended.revoked'), exact: true }).waitFor()
    // The question went away with its button.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('DIALOG')
  })

  test('what failed is not told again by the next question', async () => {
    await app.key({ name: 'Kasir' })
    const page = await openWindow(app, '/keys')
    await page.route('**/api/keys/*', (route) => route.abort())
    await page.getByRole('link', { name: /Kasir/ }).click()
    for (const asked of [1, 2]) {
      await page.getByRole('button', { name: text('keys.revoke') }).click()
      const question = page
        .getByRole('dialog')
        .filter({ has: page.getByText(text('actions.confirmTyped', { word: 'Kasir' })) })
      await question.getByRole('textbox').fill('Kasir')
      expect(await question.getByRole('alert').count(), `asked ${asked}`).toBe(0)
      await page.keyboard.press('Enter')
      await question.getByRole('alert').waitFor()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
    }
  })

  test('does not call a key valid whose sender was deleted', async () => {
    const sender = await app.sender('linked')
    await app.key({ name: 'Kasir', sender })
    await app.owner(`/api/senders/${sender}`, { method: 'DELETE' })
    const page = await openWindow(app, '/keys')
    await page.getByRole('cell', { name: text('keys.ended.senderDeleted') }).waitFor()
  })

  test('a last day that is over makes no key', async () => {
    const page = await openWindow(app, '/keys?open=new')
    await page.getByLabel(text('keys.name')).fill('Till')
    await page.getByRole('combobox', { name: text('keys.expiry') }).click()
    await page.getByRole('option', { name: text('keys.expiryOptions.date') }).click()
    await page.getByLabel(text('keys.expiryDate')).fill('2020-01-01')
    await page.getByRole('button', { name: text('keys.createIt') }).click()
    await page.getByText(text('errors.field.expires_at')).waitFor()
    expect(await keys()).toEqual([])
  })

  test('a device key carries all that was chosen', async () => {
    const page = await openWindow(app, '/keys?open=new')
    await page.getByLabel(text('keys.name')).fill('Web shop')
    await page.getByRole('radio', { name: text('keys.kinds.device.title') }).click()
    await page.getByRole('button', { name: text('keys.createIt') }).click()
    await page.getByText(text('errors.field.sender_code')).waitFor()
    await page.getByRole('combobox', { name: text('keys.sender') }).click()
    await page.getByRole('option', { name: 'Sandbox' }).click()
    await page.getByRole('combobox', { name: text('keys.expiry') }).click()
    await page.getByRole('option', { name: text('keys.expiryOptions.date') }).click()
    await page.getByLabel(text('keys.expiryDate')).fill('2099-12-31')
    await page.getByLabel(text('keys.duplicates')).check()
    await page.getByLabel(text('keys.scopes')).check()
    await page.getByLabel(text('keys.rate')).fill('60')
    await page.getByRole('button', { name: text('keys.createIt') }).click()
    await page.getByText(/^kurir_d_\S+$/).waitFor()
    // It sends nothing, so there is nothing to try.
    expect(await page.getByLabel(`${text('keys.tryIt')}: curl`).count()).toBe(0)
    expect(await keys()).toMatchObject([
      {
        kind: 'device',
        name: 'Web shop',
        sender_code: SANDBOX,
        scopes: 'read',
        expires_at: new Date('2099-12-31T23:59:59').toISOString(),
        refuse_duplicate_reference: true,
        rate_limit_per_minute: 60,
      },
    ])
  })
})
