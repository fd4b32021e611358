import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { KeyView } from '../../server/contract/access.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import type { TestApp } from '../support/app.ts'
import { describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text } from '../support/texts.ts'

const UNSAVED = text('leave.unsaved')
const SECRET = text('leave.secret')

const question = (page: Page, title: string) => page.getByRole('dialog', { name: title })
const answer = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describeWindow('Nothing is lost by a key press', () => {
  let app: TestApp
  let shop: string

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    shop = await app.sender('linked', { name: 'Gudang' })
    await app.sender('linked', { name: 'Toko' })
  })

  const view = async () => (await app.owner<SenderView>(`/api/senders/${shop}`)).body.data

  describe('a secret that is shown once', () => {
    async function createKey(page: Page, name: string): Promise<string> {
      await page.getByRole('button', { name: text('keys.create') }).click()
      await page.getByLabel(text('keys.name')).fill(name)
      await page.getByRole('button', { name: text('keys.createIt') }).click()
      return (await page.getByText(/^kurir_g_\S+$/).textContent()) ?? ''
    }

    test.each([
      ['Escape', (page: Page) => page.keyboard.press('Escape')],
      ['the cross', (page: Page) => page.getByRole('button', { name: text('actions.close'), exact: true }).click()],
      ['another page', (page: Page) => page.getByRole('link', { name: text('nav.pages.messages') }).click()],
    ])('stays after %s until the owner agrees', async (_, leave) => {
      const page = await openWindow(app, '/keys')
      const key = await createKey(page, 'Till')
      await leave(page)
      await question(page, SECRET).waitFor()
      await answer(page, text('leave.backToSecret'))
      await question(page, SECRET).waitFor({ state: 'detached' })
      expect(await page.getByText(key, { exact: true }).isVisible()).toBe(true)
      await leave(page)
      await answer(page, text('leave.leaveSecret'))
      await page.getByText(key, { exact: true }).waitFor({ state: 'detached' })
    })

    test('goes without a question once it is copied, by the button or as selected text', async () => {
      const page = await openWindow(app, '/keys')
      await createKey(page, 'Copied by the button')
      await page
        .getByRole('button', { name: text('actions.copy'), exact: true })
        .first()
        .click()
      await page.getByRole('button', { name: text('actions.copied') }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const key = await createKey(page, 'Copied as text')
      await page.getByText(key, { exact: true }).click({ clickCount: 3 })
      await page.keyboard.press('ControlOrMeta+C')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    })

    test('goes without a question when the owner says that it is stored', async () => {
      const page = await openWindow(app, '/keys')
      const key = await createKey(page, 'Stored')
      await answer(page, text('leave.stored'))
      await page.getByText(key, { exact: true }).waitFor({ state: 'detached' })
      expect(await question(page, SECRET).count()).toBe(0)
      expect((await app.owner<KeyView[]>('/api/keys')).body.data.map(({ name }) => name)).toContain('Stored')
    })

    test('a reload asks the browser', async () => {
      const page = await openWindow(app, '/keys')
      await createKey(page, 'Reloaded')
      const asked = new Promise<string>((resolve) => {
        page.once('dialog', (dialog) => {
          resolve(dialog.type())
          void dialog.dismiss()
        })
      })
      await page.evaluate('setTimeout(() => location.reload(), 0)')
      expect(await asked).toBe('beforeunload')
    })
  })

  describe('fields that are not saved', () => {
    let page: Page

    beforeEach(async () => {
      page = await openWindow(app, '/senders')
      await page.getByRole('link', { name: /Gudang/ }).click()
      await page.getByLabel(text('senders.form.cap')).fill('99')
    })

    const kept = async () => expect(await page.getByLabel(text('senders.form.cap')).inputValue()).toBe('99')

    test.each([
      ['Escape', () => page.keyboard.press('Escape')],
      ['the cross', () => page.getByRole('button', { name: text('actions.close'), exact: true }).click()],
      ['the next row', () => page.getByRole('button', { name: text('actions.nextRow') }).click()],
      ['another row', () => page.getByRole('link', { name: /Sandbox/ }).click()],
      ['another page', () => page.getByRole('link', { name: text('nav.pages.keys') }).click()],
      ['the back button of the browser', () => page.evaluate('history.back()')],
    ])('ask before %s', async (_, leave) => {
      await leave()
      await question(page, UNSAVED).waitFor()
      await kept()
      await page.keyboard.press('Escape')
      await question(page, UNSAVED).waitFor({ state: 'detached' })
      await kept()
      await leave()
      await answer(page, text('leave.discard'))
      await question(page, UNSAVED).waitFor({ state: 'detached' })
      await page.getByRole('dialog', { name: 'Gudang' }).waitFor({ state: 'detached' })
      expect((await view()).daily_cap).toBe(null)
    })

    test('do not ask where nothing is left: a filter, or a value put back', async () => {
      await page.evaluate(`history.replaceState(null, '', location.href + '&q=x')`)
      expect(await question(page, UNSAVED).count()).toBe(0)
      await page.getByLabel(text('senders.form.cap')).fill('')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    test('are sent alone: what another window changed meanwhile is kept', async () => {
      await app.owner(`/api/senders/${shop}`, { method: 'PATCH', body: { name: 'Gudang Utama' } })
      // The stream brings the new name to the title and to the field that was not edited.
      await page.getByRole('dialog', { name: 'Gudang Utama' }).waitFor()
      await expect.poll(() => page.getByLabel(text('senders.form.name')).inputValue()).toBe('Gudang Utama')
      await kept()
      await app.owner(`/api/senders/${shop}`, { method: 'PATCH', body: { daily_cap: 50 } })
      await page.getByText(text('errors.savedMeanwhile')).waitFor()
      await kept()
      const sent = page.waitForRequest((request) => request.method() === 'PATCH')
      await answer(page, text('actions.save'))
      expect((await sent).postDataJSON()).toEqual({ daily_cap: 99 })
      await page.getByText(text('actions.saved'), { exact: true }).waitFor()
      expect(await view()).toMatchObject({ name: 'Gudang Utama', daily_cap: 99 })
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await app.owner(`/api/senders/${shop}`, { method: 'PATCH', body: { name: 'Gudang', daily_cap: null } })
    })
  })

  test('what is saved takes the form that the server gives it, and asks no more', async () => {
    const page = await openWindow(app, `/senders?open=${shop}`)
    const name = page.getByLabel(text('senders.form.name'))
    await name.fill('  Gudang  ')
    await answer(page, text('actions.save'))
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    await expect.poll(() => name.inputValue()).toBe('Gudang')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('what is typed while it is saved stays, and is not said to be saved', async () => {
    const page = await openWindow(app, `/senders?open=${shop}`)
    const cap = page.getByLabel(text('senders.form.cap'))
    const saving = Promise.withResolvers<void>()
    await page.route(`**/api/senders/${shop}`, async (route) => {
      await saving.promise
      await route.continue()
    })
    await cap.fill('70')
    await answer(page, text('actions.save'))
    await page.getByLabel(text('senders.form.country')).fill('60')
    saving.resolve()
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await question(page, UNSAVED).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByLabel(text('senders.form.country')).inputValue()).toBe('60')
    expect(await view()).toMatchObject({ daily_cap: 70, country_code: null })
    await app.owner(`/api/senders/${shop}`, { method: 'PATCH', body: { daily_cap: null } })
  })

  test('a setting that is typed but not kept asks as well', async () => {
    const page = await openWindow(app, '/settings#meta')
    const address = page.getByLabel(text('settings.meta.publicUrl'))
    await address.fill('https://kurir.example/waba/webhook')
    await page.getByRole('link', { name: text('nav.pages.home') }).click()
    await question(page, UNSAVED).waitFor()
    await answer(page, text('leave.keepEditing'))
    await question(page, UNSAVED).waitFor({ state: 'detached' })
    await address.press('Escape')
    await page.getByRole('link', { name: text('nav.pages.home') }).click()
    await page.getByRole('heading', { name: 'No number is linked yet.' }).waitFor()
  })

  test.each([
    ['a message that is written', '/write', () => text('write.message'), () => text('leave.unsent')],
    ['a table that is pasted', '/write?kind=table', () => text('tables.paste'), () => UNSAVED],
  ])('%s asks before another page and another kind', async (_, path, label, asked) => {
    const page = await openWindow(app, path)
    const field = page.getByRole('textbox', { name: label(), exact: true })
    await field.fill('phone\n0812')
    const leaveBy = [
      page.getByRole('link', { name: text('nav.pages.home') }),
      page.getByText(text('write.template'), { exact: true }),
    ]
    for (const leave of leaveBy) {
      await leave.click()
      await question(page, asked()).waitFor()
      await answer(page, text('leave.keepEditing'))
      expect(await field.inputValue()).toBe('phone\n0812')
    }
    await page.getByRole('link', { name: text('nav.pages.home') }).click()
    await answer(page, path === '/write' ? text('leave.discardMessage') : text('leave.discard'))
    await page.getByRole('heading', { name: 'No number is linked yet.' }).waitFor()
  })

  describe('Escape closes one layer', () => {
    test('a typed confirmation, not the drawer behind it; the focus is back at its button', async () => {
      const page = await openWindow(app, `/senders?open=${shop}`)
      await answer(page, text('senders.danger.deleteButton'))
      const confirmation = page.getByRole('dialog', { name: text('senders.danger.deleteTitle', { name: 'Gudang' }) })
      await confirmation.getByRole('textbox').fill('Gud')
      await page.keyboard.press('Escape')
      await confirmation.waitFor({ state: 'detached' })
      expect(await page.getByRole('dialog', { name: 'Gudang' }).isVisible()).toBe(true)
      await expect.poll(() => focused(page)).toBe(text('senders.danger.deleteButton'))
      await answer(page, text('senders.danger.deleteButton'))
      await confirmation.getByRole('button', { name: text('actions.cancel') }).click()
      await expect.poll(() => focused(page)).toBe(text('senders.danger.deleteButton'))
    })

    test('a list of choices, not the drawer behind it', async () => {
      const page = await openWindow(app, '/keys?open=new')
      await page.getByRole('combobox', { name: text('keys.expiry') }).click()
      await page.getByRole('option', { name: text('keys.expiryOptions.days30') }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
      expect(await page.getByRole('dialog', { name: text('keys.create') }).isVisible()).toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
  })
})

describeWindow('The focus returns', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    await app.key({ name: 'Till' })
    await app.key({ name: 'Web shop' })
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/kurir' } })
    for (const message of ['first', 'second', 'third']) {
      await app.owner('/send', {
        body: { sender_code: 'SND-SANDBOX', phone: '6281234567890', message, delay: 3600 },
      })
      const { status } = await app.owner('/waba/send-template', {
        body: { sender_code: 'SND-SANDBOX', phone: '6281234567890', template_name: 'hello_world' },
      })
      expect(status).toBe(200)
      expect((await app.call('wrong', '/send', {})).status).toBe(401)
    }
  })

  test.each([
    ['/senders', /Sandbox/],
    ['/messages?sandbox=with', /third/],
    ['/keys', /Web shop/],
    ['/webhooks', /127\.0\.0\.1:9/],
    ['/api-message-logs?sandbox=with', /hello_world/],
    ['/customers/6281234567890?sandbox=with', /second/],
    ['/refused-calls', /401/],
  ])('to the row of %s, opened by click or by Enter, on a PC and on a phone', async (path, name) => {
    for (const size of [{}, PHONE]) {
      const page = await openWindow(app, path, size)
      const row = page.getByRole('link', { name }).first()
      await row.click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => focused(page)).toMatch(name)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: text('actions.close'), exact: true }).click()
      await expect.poll(() => focused(page)).toMatch(name)
    }
  })

  test.each([
    ['/senders', text('senders.add')],
    ['/keys', text('keys.create')],
    ['/webhooks', text('webhooks.add')],
  ])('to the button of %s', async (path, name) => {
    const page = await openWindow(app, path)
    await answer(page, name)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe(name)
  })

  test('to the row of a drawer that an address opened', async () => {
    const page = await openWindow(app, '/senders?open=SND-SANDBOX')
    await page.getByRole('dialog', { name: 'Sandbox' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/Sandbox/)
  })

  test('to the row of a drawer that was opened after a filter and a search', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('button', { name: text('messages.status'), exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: text('states.message.queued') }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').fill('second')
    await page.getByRole('link', { name: /first/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /second/ }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/second/)
  })

  test('to the page where the row is gone', async () => {
    const code = await app.sender('linked', { name: 'Short-lived' })
    const page = await openWindow(app, `/senders?open=${code}`)
    await answer(page, text('senders.danger.deleteButton'))
    const confirmation = page.getByRole('dialog', { name: text('senders.danger.deleteTitle', { name: 'Short-lived' }) })
    await confirmation.getByRole('textbox').fill('Short-lived')
    await confirmation.getByRole('button', { name: text('senders.danger.deleteButton') }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('PAGE')
  })

  test('to the new page after a link that went away with its page', async () => {
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: text('home.waiting', { count: 0 }) }).click()
    await page.getByRole('searchbox').waitFor()
    await expect.poll(() => focused(page)).toBe('PAGE')
  })

  test('arrow keys lead to the neighbours, and the focus to the row that was seen last', async () => {
    const page = await openWindow(app, '/messages?sandbox=with&status=queued')
    await page.getByRole('link', { name: /third/ }).click()
    await page.getByRole('dialog').getByText('third').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('dialog').getByText('second').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('dialog').getByText('first').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('dialog').getByText('second').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/second/)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => focused(page)).toMatch(/third/)
  })

  test('the first message is sent by keyboard, and the focus stays at its button', async () => {
    const page = await openWindow(app, '/welcome')
    const send = page.getByRole('button', { name: text('welcome.sandbox.send') })
    await send.focus()
    await page.keyboard.press('Enter')
    await page.getByText(text('welcome.sandbox.arrived')).waitFor()
    expect(await focused(page)).toBe(text('welcome.sandbox.send'))
  })
})
