import { expect, test } from 'vitest'
import type { KeyView, SessionView } from '../../server/contract/access.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('Who calls, and who may open the window', () => {
  test.each([
    ['en', 1366],
    ['id', 390],
  ] as const)('a refused call says what to change in the program: %s, %i px', async (language, width) => {
    const app = await startWindowApp(language)
    const t = language === 'en' ? text : textId
    const key = await app.key({ name: 'Kasir 1' })
    const page = await openWindow(app, '/refused-calls', { width, height: 800 })
    await page.getByText(t('refusedCalls.empty')).waitFor()
    await app.call(key, '/send', { sender_code: SANDBOX, phone: '62812', message: 'halo' })
    await app.call('kurir_g_wrong', '/send', { phone: '6281234567890', message: 'halo' })
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'Kasir 1' }).getByRole('link').click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText(WORDS[language].refusals.invalid_request).waitFor()
    await drawer.getByText('phone', { exact: true }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/^400/)
    await page.getByRole('link', { name: /^401/ }).click()
    await drawer.getByText(WORDS[language].refusals.invalid_api_key).waitFor()
  })

  test('a refused field is said in Indonesian, with its values', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/settings#network')
    await page.getByText(textId('settings.network.advanced')).click()
    // The printer has a port too.
    const network = page.getByRole('region', { name: textId('settings.network.title') })
    await network.getByLabel(textId('settings.network.port'), { exact: true }).fill('70000')
    await page.keyboard.press('Enter')
    await page.getByText('tidak boleh lebih dari 65535').waitFor()
  })

  test('browsers that are logged in are listed, and another one can be logged out', async () => {
    const app = await startWindowApp()
    const phone = await openWindow(app, '/', PHONE)
    await phone.getByRole('navigation').waitFor()
    const page = await openWindow(app, '/settings#access')
    const section = page.getByRole('region', { name: text('settings.access.title') })
    await section.getByText(text('settings.access.here')).waitFor()
    const buttons = section.getByRole('button', { name: text('settings.access.end') })
    expect(await buttons.count()).toBe(1)
    await buttons.click()
    await buttons.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('PAGE')
    // Without a reload: its stream ends with the session.
    await phone.getByText(text('errors.ownerOnly')).waitFor()
    await phone.reload()
    await phone.getByText(text('errors.ownerOnly')).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('what was typed is there again for who was logged out and logs in; meanwhile nothing is seen', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    const message = page.getByRole('textbox', { name: text('write.message') })
    await message.fill('Halo Ibu Sari')
    const [session] = (await app.owner<SessionView[]>('/api/sessions')).body.data
    await app.owner(`/api/sessions/${session?.id}`, { method: 'DELETE' })
    await page.getByText(text('errors.ownerOnly')).waitFor()
    expect(await page.getByRole('main').innerText()).not.toContain('Sari')
    expect(await message.isVisible()).toBe(false)
    const other = await page.context().newPage()
    await other.goto(app.app.newWindowLink().url)
    await other.getByRole('navigation').waitFor()
    await message.waitFor()
    expect(await message.inputValue()).toBe('Halo Ibu Sari')
    expect(await page.getByText(text('errors.ownerOnly')).count()).toBe(0)
  })

  test('a link that was broken on its way opens the window all the same', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/#code=100%')
    await page.getByRole('navigation').waitFor()
    expect(new URL(page.url()).hash).toBe('')
  })

  test('keys that work stand beside the browsers, for when somebody leaves', async () => {
    const app = await startWindowApp('id')
    await app.key({ name: 'Kasir Budi' })
    await app.key({ name: 'Lama' })
    const keys = (await app.owner<KeyView[]>('/api/keys')).body.data
    await app.owner(`/api/keys/${keys.find(({ name }) => name === 'Lama')?.id}`, { method: 'DELETE' })
    const page = await openWindow(app, '/settings#access', PHONE)
    const list = page.getByRole('list', { name: textId('settings.access.sessions') })
    await list.getByText(textId('settings.access.here')).waitFor()
    await list.getByText(textId('settings.access.key', { name: 'Kasir Budi' })).waitFor()
    expect(await list.getByRole('listitem').count()).toBe(2)
    expect(await axeFindings(page)).toEqual([])
    await list.getByRole('link').click()
    await page.getByRole('dialog', { name: 'Kasir Budi' }).waitFor()
  })

  test('the phone of the owner gets a code that works once; before, it says what has to be allowed', async () => {
    const closed = await startWindowApp('id')
    const before = await openWindow(closed, '/settings#access')
    await before.getByText(textId('settings.access.phoneOff')).waitFor()
    const app = await startWindowApp('en')
    await app.owner('/api/settings', { method: 'PATCH', body: { host: '0.0.0.0', remote_administration: true } })
    await app.restart()
    const page = await openWindow(app, '/settings#access')
    await page.getByRole('button', { name: text('settings.access.show') }).click()
    await page.getByRole('img', { name: text('settings.access.qr') }).waitFor()
    await page.getByRole('button', { name: text('settings.access.copy') }).click()
    const link = () => page.evaluate('navigator.clipboard.readText()')
    await expect.poll(link).toMatch(/^http:\/\/[\d.]+:\d+\/#code=/)
    expect(await axeFindings(page)).toEqual([])
  })
})
