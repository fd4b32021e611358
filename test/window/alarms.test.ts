import { expect, test } from 'vitest'
import type { AlarmsView } from '../../server/slices/alarms/contract.ts'
import {
  axeFindings,
  describeWindow,
  focused,
  loseAnswer,
  openWindow,
  PHONE,
  startWindowApp,
} from '../support/browser.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('Alarms', () => {
  test('mail is set up, tried and switched off; the password is not shown again', async () => {
    const peer = await startSmtpPeer({ login: { user: 'kurir', password: 'hunter2' } })
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#alarms')
    const section = page.getByRole('region', { name: text('settings.alarms.title') })
    await section
      .getByRole('button', { name: text('settings.alarms.setUp') })
      .first()
      .click()
    const field = (name: 'host' | 'port' | 'user' | 'from' | 'to') =>
      section.getByRole('textbox', { name: text(`settings.alarms.fields.${name}`) })
    await field('host').fill('127.0.0.1')
    await field('port').fill(String(peer.port))
    await section.getByRole('combobox', { name: text('settings.alarms.fields.security') }).click()
    await page.getByRole('option', { name: text('settings.alarms.security.none') }).click()
    await field('user').fill('kurir')
    await section.getByLabel(text('settings.alarms.fields.password')).first().fill('hunter2')
    await field('from').fill('kurir@toko.example')
    await field('to').fill('no address')
    await section.getByRole('button', { name: text('actions.save') }).click()
    await section.getByRole('alert').waitFor()
    await field('to').fill('ibu@toko.example')
    expect(await axeFindings(page)).toEqual([])
    await section.getByRole('button', { name: text('actions.save') }).click()
    await expect.poll(() => focused(page)).toBe(text('settings.alarms.change'))
    await section.getByRole('button', { name: text('settings.alarms.test') }).click()
    await page.getByText(text('settings.alarms.tested')).waitFor()
    expect(peer.mails).toHaveLength(1)
    // One that is changed later goes from the page too, and nothing is left to be saved.
    const password = section.getByLabel(text('settings.alarms.fields.password')).first()
    await section
      .getByRole('button', { name: text('settings.alarms.change') })
      .first()
      .click()
    await password.fill('hunter2')
    await section.getByRole('button', { name: text('actions.save') }).click()
    await expect.poll(() => password.inputValue()).toBe('')
    expect(
      await section
        .getByRole('button', { name: text('actions.save') })
        .first()
        .isDisabled(),
    ).toBe(true)
    expect(await page.content()).not.toContain('hunter2')
    // Not open any more, as after a reload.
    await section
      .getByRole('button', { name: text('settings.alarms.change') })
      .first()
      .click()
    await loseAnswer(page, '**/api/alarms')
    const off = section.getByRole('button', { name: text('settings.alarms.off') })
    await off.click()
    await section.getByRole('alert').getByText(text('errors.connection')).waitFor()
    await off.click()
    await section.getByRole('button', { name: text('settings.alarms.test') }).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe(text('settings.alarms.setUp'))
    expect((await app.owner<AlarmsView>('/api/alarms')).body.data.email).toBeNull()
  })

  test('on a phone, in Indonesian: what a server refuses is shown with its own words', async () => {
    const app = await startWindowApp('id')
    await app.owner('/api/alarms', {
      method: 'PATCH',
      body: { ntfy: { url: `${app.url}/topic`, token: null }, daily_at: '20:00' },
    })
    const page = await openWindow(app, '/settings#alarms', PHONE)
    await page.getByRole('button', { name: textId('settings.alarms.test') }).click()
    await page.getByRole('alert', { name: textId('settings.alarms.testFailed') }).waitFor()
    expect(await focused(page)).toBe(textId('settings.alarms.test'))
    expect(await axeFindings(page)).toEqual([])
    expect(await page.getByLabel(textId('settings.alarms.daily')).inputValue()).toBe('20:00')
    // Another window's changes are followed, where nothing is being typed.
    await page.getByRole('button', { name: textId('settings.alarms.change') }).click()
    const other = { ntfy: { url: `${app.url}/other`, token: null }, daily_at: '21:00' }
    await page.getByLabel(textId('settings.alarms.daily')).fill('19:00')
    await app.owner('/api/alarms', { method: 'PATCH', body: other })
    const address = page.getByRole('textbox', { name: textId('settings.alarms.fields.url') })
    await expect.poll(() => address.inputValue()).toBe(other.ntfy.url)
    expect(await page.getByLabel(textId('settings.alarms.daily')).inputValue()).toBe('19:00')
    await page.getByText(textId('errors.savedMeanwhile')).waitFor()
    await address.fill('ntfy.sh/toko')
    await page
      .getByRole('button', { name: textId('actions.save') })
      .first()
      .click()
    await page.getByText('bentuknya harus seperti https://ntfy.sh/toko-melati').waitFor()
  })

  test('in Indonesian say in Indonesian why a test failed', async () => {
    const gone = await startHttpServer(() => undefined)
    await gone.close()
    const mail = await startSmtpPeer({ login: { user: 'kurir', password: 'hunter2' } })
    const app = await startWindowApp('id')
    const address = 'ibu@toko.example'
    const email = { host: '127.0.0.1', port: mail.port, security: 'none', user: 'kurir', from: address, to: address }
    await app.owner('/api/alarms', {
      method: 'PATCH',
      body: { email: { ...email, password: 'forgotten' }, ntfy: { url: `${gone.url}/topic`, token: null } },
    })
    const page = await openWindow(app, '/settings#alarms')
    const [tryMail, tryNtfy] = [0, 1].map((n) =>
      page.getByRole('button', { name: textId('settings.alarms.test') }).nth(n),
    )
    await tryMail?.click()
    const [refused = ''] = textId('settings.alarms.loginRefused', { said: '|' }).split('|')
    await page.getByRole('alert').getByText(refused).waitFor()
    await tryNtfy?.click()
    await page.getByRole('alert').getByText(textId('webhooks.error.connection_refused'), { exact: true }).waitFor()
    await app.owner('/api/alarms', { method: 'PATCH', body: { ntfy: { url: `${app.url}/send` } } })
    await tryNtfy?.click()
    const blocked = textId('webhooks.error.address_not_allowed')
    await page.getByRole('alert').getByText(blocked, { exact: true }).waitFor()
  })

  test('the time of the daily line is saved when it is typed, and not before', async () => {
    const app = await startWindowApp()
    await app.owner('/api/alarms', { method: 'PATCH', body: { daily_at: '20:00' } })
    const page = await openWindow(app, '/settings#alarms')
    const asked: unknown[] = []
    const error = { code: 'storage_unavailable', message: 'The disk is full.' }
    await page.route('**/api/alarms', (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      asked.push(route.request().postDataJSON())
      if (asked.length > 1) return route.continue()
      return route.fulfill({ status: 503, json: { success: false, message: 'The disk is full.', error } })
    })
    const time = page.getByLabel(text('settings.alarms.daily'))
    await time.focus()
    await page.keyboard.type('0745AM')
    const save = page.getByRole('region').getByRole('button', { name: text('actions.save') })
    await save.click()
    await page.getByText('The disk is full.').waitFor()
    expect(await time.inputValue()).toBe('07:45')
    await save.click()
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    expect(asked).toEqual([{ daily_at: '07:45' }, { daily_at: '07:45' }])
  })
})
