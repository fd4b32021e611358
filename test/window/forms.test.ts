import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { en } from '../../server/words/en/index.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { startGraphPeer } from '../support/graph-peer/graph-peer.ts'
import { addNumber } from '../support/numbers.ts'
import { addOfficial } from '../support/official.ts'
import { text, textId } from '../support/texts.ts'

/** What is said beside an input, for eyes and screen readers alike; null when nothing is. */
async function refusalOf(input: Locator): Promise<string | null> {
  const ids = (await input.getAttribute('aria-describedby'))?.split(' ') ?? []
  const id = ids.find((one) => one.endsWith('-error'))
  return id === undefined ? null : input.page().locator(`[id="${id}"]`).textContent()
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const optional = (key: 'senders.form.country' | 'senders.form.cap') => text('words.optional', { label: text(key) })

describeWindow('A refused field says so beside its input', () => {
  let app: TestApp
  let shop: string
  let official: string

  beforeAll(async () => {
    const graph = await startGraphPeer()
    app = await startWindowApp('en', { lives: 'file', env: { KURIR_GRAPH_URL: graph.url } })
    shop = await app.sender('linked', { name: 'Gudang' })
    official = await addOfficial(app)
    return graph.close
  })

  describe('of a sender', () => {
    const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })

    test.each([
      [text('senders.form.name'), '  ', text('errors.field.name')],
      [optional('senders.form.country'), '062', text('errors.field.country_code')],
      [optional('senders.form.cap'), '0', text('errors.field.daily_cap')],
      [`${text('senders.form.pacing')}, ${text('senders.form.to')}`, '1', text('errors.field.pacing.max_seconds')],
      [`${text('senders.form.pacing')}, ${text('senders.form.from')}`, '9999', text('errors.field.pacing.min_seconds')],
    ])('%s', async (name, typed, refusal) => {
      const page = await openWindow(app, `/senders?open=${shop}`)
      const input = field(page, name)
      await input.fill(typed)
      await press(page, text('actions.save'))
      await expect.poll(() => refusalOf(input)).toBe(refusal)
    })

    test('quiet hours without a time', async () => {
      const page = await openWindow(app, `/senders?open=${shop}`)
      await page.getByRole('switch', { name: text('senders.form.quiet') }).check()
      const until = field(page, `${text('senders.form.quiet')}, ${text('senders.form.to')}`)
      await until.fill('')
      await press(page, text('actions.save'))
      await expect.poll(() => refusalOf(until)).toBe(text('errors.field.quiet_hours.to'))
    })

    test('in the language of the window', async () => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
      const page = await openWindow(app, `/senders?open=${shop}`)
      const input = page.getByLabel(textId('senders.form.country'))
      await input.fill('abc')
      await press(page, textId('actions.save'))
      await expect.poll(() => refusalOf(input)).toBe(textId('errors.field.country_code'))
      await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    })

    test('what is right is kept, though Meta sets the pace of an official number', async () => {
      const page = await openWindow(app, `/senders?open=${official}`)
      expect(await page.getByText(text('senders.form.pacing')).count()).toBe(0)
      // Its own number has set the country already.
      expect(await page.getByLabel(text('senders.form.country')).inputValue()).toBe('62')
      await page.getByLabel(text('senders.form.country')).fill('60')
      await press(page, text('actions.save'))
      await page.getByText(text('actions.saved'), { exact: true }).waitFor()
      expect((await app.owner<SenderView>(`/api/senders/${official}`)).body.data.country_code).toBe('60')
    })

    test('the ids of an official number', async () => {
      const page = await openWindow(app, `/senders?open=${official}`)
      await press(page, text('senders.official.heading'))
      const meta = page.getByRole('link', { name: text('senders.official.dashboard') })
      expect(await meta.getAttribute('href')).toBe('https://developers.facebook.com/apps')
      const input = page.getByRole('textbox', { name: text('senders.official.wabaId') })
      await input.fill('+62 21')
      // Pressed until it is answered: the form is still unfolding under the pointer on a slow machine.
      const save = async () => {
        await press(page, text('senders.official.save'))
        return refusalOf(input)
      }
      await expect.poll(save).toBe(text('errors.field.waba_id'))
    })

    test('a new one', async () => {
      const page = await openWindow(app, '/senders?open=new')
      await page.getByText(text('senders.kinds.official.title')).click()
      await page.getByRole('textbox', { name: text('senders.official.phoneNumberId') }).fill('abc')
      await press(page, text('actions.add'))
      for (const [name, refusal] of [
        [text('senders.form.name'), text('errors.field.name')],
        [text('senders.official.phoneNumberId'), text('errors.field.phone_number_id')],
        [text('senders.official.appSecret'), text('errors.field.app_secret')],
      ] as const) {
        await expect.poll(() => refusalOf(page.getByLabel(name).first())).toBe(refusal)
      }
    })
  })

  describe('of a webhook', () => {
    test('no address, no event, no sender', async () => {
      const page = await openWindow(app, '/webhooks?open=new')
      await page.getByRole('checkbox').first().waitFor()
      for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
      await page.getByText(text('webhooks.form.some')).click()
      await press(page, text('actions.add'))
      await page.getByText(text('errors.field.events')).waitFor()
      await page.getByText(text('errors.field.sender_codes')).waitFor()
      expect(await refusalOf(page.getByRole('textbox', { name: text('webhooks.form.url') }))).toBe(
        text('errors.field.url'),
      )
    })

    test('an address that only the server knows to be wrong; no list of fields repeats it', async () => {
      const page = await openWindow(app, '/webhooks?open=new')
      const url = page.getByRole('textbox', { name: text('webhooks.form.url') })
      await url.fill(`${app.url}/send`)
      await press(page, text('actions.add'))
      await expect.poll(() => refusalOf(url)).toContain('Kurir')
      const alert = page.getByRole('alert')
      expect(await alert.getByRole('listitem').count()).toBe(0)
    })
  })

  test('of a message: the number', async () => {
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    await page.getByRole('textbox', { name: text('write.message') }).fill('Halo')
    const phone = page.getByRole('combobox', { name: text('write.phone') })
    await phone.fill('12')
    await press(page, text('write.send'))
    await expect.poll(() => refusalOf(phone)).not.toBe(null)
    await page.getByRole('alert').getByText(text('errors.code.invalid_request')).waitFor()
  })
})

describeWindow('A number as people write it', () => {
  test('is sent with the country of the language, and of the linked phone', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    await page.getByRole('textbox', { name: textId('write.message') }).fill('Halo')
    await page.getByRole('combobox', { name: textId('write.phone') }).fill('0812-9011-4473')
    await press(page, textId('write.send'))
    await page.getByRole('status').getByText(textId('states.message.read')).waitFor()
    const { body } = await app.owner<{ recipient: string }[]>('/api/messages')
    expect(body.data[0]?.recipient).toBe('6281290114473')
    // It arrives on the phone that is drawn beside the form.
    await page.getByRole('img', { name: textId('states.message.read') }).waitFor()
  })

  test('a message that cannot leave is not said to be on its way', async () => {
    const app = await startWindowApp()
    const code = await addNumber(app, 'Toko Budi', { state: 'logged_out', reason: 'unlinked_on_phone' })
    const page = await openWindow(app, `/write?sender=${code}&phone=6281234567890`)
    await page.getByRole('textbox', { name: text('write.message') }).fill('Halo')
    await press(page, text('write.send'))
    const result = page.getByRole('status')
    await result.getByText(text('states.message.queued')).waitFor()
    await result.getByText(text('states.messageHeld.not_connected')).waitFor()
    // Its detail says what to do, and has the button for it.
    await result.getByRole('link', { name: text('write.showLog') }).click()
    const held = page.getByRole('dialog').getByRole('note')
    await held.getByText('Toko Budi was unlinked on the phone.').waitFor()
    await held.getByRole('link', { name: en.actions.link_again }).waitFor()
  })

  test('a new sender understands it from the start', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/senders?open=new')
    await page.getByText(textId('senders.kinds.sandbox.title')).click()
    await page.getByLabel(textId('senders.form.name')).fill('Latihan')
    await press(page, textId('actions.add'))
    await page.getByRole('dialog', { name: 'Latihan' }).waitFor()
    const { body } = await app.owner<SenderView[]>('/api/senders')
    expect(body.data.find(({ name }) => name === 'Latihan')?.country_code).toBe('62')
  })
})
