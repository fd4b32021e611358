import { beforeEach, expect, test } from 'vitest'
import type { DesktopBridge } from '../../server/contract/desktop.ts'
import type { SettingsView } from '../../server/contract/settings.ts'
import type { TestApp } from '../support/app.ts'
import { describeWindow, loseAnswer, openWindow, startWindowApp } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { text, textId } from '../support/texts.ts'

declare global {
  // What the stand-in for the desktop was asked to do.
  var asked: string[]
}

/** Runs in the page: a desktop that has fetched an update. */
function standInDesktop(): void {
  globalThis.asked = []
  const desktop: DesktopBridge = {
    platform: 'linux',
    version: '0.1.0',
    getLoginItem: async () => ({ enabled: false }),
    setLoginItem: async (enabled) => {
      asked.push(`login ${enabled}`)
      if (asked.length === 1) throw new Error('EROFS: read-only file system')
      return { enabled: enabled && asked.length > 2 }
    },
    getUpdate: async () => ({ state: 'ready', version: '0.2.0' }),
    checkForUpdate: async () => ({ state: 'current' }),
    installUpdate: async () => {
      asked.push('install')
    },
    confirmPasskey: async () => null,
  }
  Object.assign(globalThis, { kurirDesktop: desktop })
}

describeWindow('Settings', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await startWindowApp()
  })

  const settings = async () => (await app.owner<SettingsView>('/api/settings')).body.data

  test('on a phone a field begins where its text does; at 1024 px the text beside it has room', async () => {
    const page = await openWindow(app, '/settings#files', { width: 390, height: 844 })
    const boxOf = async (name: string) => page.getByText(name, { exact: true }).boundingBox()
    const field = page.getByRole('textbox', { name: text('settings.files.quota') })
    await field.waitFor()
    expect((await field.boundingBox())?.x).toBe((await boxOf(text('settings.files.quota')))?.x)
    await page.setViewportSize({ width: 1024, height: 768 })
    await expect.poll(async () => (await boxOf(text('settings.files.hostsHint')))?.width).toBeGreaterThan(240)
  })

  test('the language is switched at once and stays', async () => {
    const page = await openWindow(app, '/settings')
    await page.getByRole('radiogroup').getByText('Bahasa Indonesia').click()
    await page.getByRole('heading', { name: textId('settings.title') }).waitFor()
    await page.getByRole('link', { name: textId('nav.pages.customers') }).waitFor()
    await expect.poll(async () => (await settings()).language).toBe('id')
    await loseAnswer(page, '**/api/settings')
    await page.getByRole('radiogroup').getByText('English').click()
    await page.getByText(textId('errors.connection')).waitFor()
    await page.getByRole('heading', { name: textId('settings.title') }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: textId('settings.title') }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('id')
  })

  test('dark is kept by the window', async () => {
    const page = await openWindow(app, '/settings')
    await page.getByText(text('nav.themes.dark'), { exact: true }).click()
    await page.reload()
    await page.getByRole('radio', { name: text('nav.themes.dark') }).waitFor({ state: 'attached' })
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
  })

  test('opening to the network warns and asks for a restart', async () => {
    const page = await openWindow(app, '/settings#network')
    await page.getByText(text('settings.network.lan'), { exact: true }).click()
    await page.getByText(text('settings.network.lanWarningLater')).waitFor()
    await page.getByText(text('settings.network.lanLater')).waitFor()
    await page.getByText(text('settings.restart')).waitFor()
    expect((await settings()).host).toBe('0.0.0.0')
  })

  test('Kurir is restarted by a button, and the page goes on by itself', async () => {
    const able: TestApp = await startWindowApp('en', {
      overrides: { restart: () => void able.restart() },
      env: { KURIR_PORT: String(await freePort()) },
    })
    const page = await openWindow(able, '/settings#network')
    await page.getByText(text('settings.network.lan'), { exact: true }).click()
    await page.getByRole('button', { name: text('settings.restartNow') }).click()
    await page.getByText(text('settings.restart')).waitFor({ state: 'detached' })
    await page.getByText(text('settings.network.lanWarning')).waitFor()
  })

  test('once it is open to the network, the addresses for other PCs are shown, to be copied', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { host: '0.0.0.0' } })
    await app.restart()
    const { lan_urls: addresses } = await settings()
    const page = await openWindow(app, '/settings#network')
    await page.getByText(text('settings.network.lanWarning')).waitFor()
    for (const address of addresses) await page.getByText(address, { exact: true }).waitFor()
    expect(await page.getByText(text('settings.restart')).count()).toBe(0)
  })

  test('a port that cannot be is refused beside its input; Escape brings the old one back', async () => {
    const page = await openWindow(app, '/settings#network')
    await page.getByText(text('settings.network.advanced')).click()
    const network = page.getByRole('region', { name: text('settings.network.title') })
    const port = network.getByLabel(text('settings.network.port'), { exact: true })
    await port.fill('70000')
    await port.press('Enter')
    await page.locator('.mantine-InputWrapper-error').waitFor()
    await port.press('Escape')
    for (const typed of ['abc', '8.000']) {
      await port.fill(typed)
      await port.press('Enter')
      await page.locator('.mantine-InputWrapper-error').waitFor()
      await port.press('Escape')
    }
    expect(await port.inputValue()).toBe('7420')
    await port.fill('7500')
    await app.owner('/api/settings', { method: 'PATCH', body: { port: 7600 } })
    await page.getByText(text('errors.savedMeanwhile')).waitFor()
    await port.press('Enter')
    await page.getByText(text('settings.restart')).waitFor()
    expect((await settings()).port).toBe(7500)
  })

  test('what is typed while a text is saved stays', async () => {
    const page = await openWindow(app, '/settings#meta')
    const address = page.getByLabel(text('settings.meta.publicUrl'))
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/settings', async (route) => {
      await saving.promise
      await route.continue()
    })
    await address.fill('https://kurir.example/waba')
    await page.keyboard.press('Enter')
    await address.fill('https://kurir.example/waba/webhook')
    saving.resolve()
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    expect(await address.inputValue()).toBe('https://kurir.example/waba/webhook')
    await app.owner('/api/settings', { method: 'PATCH', body: { public_webhook_url: null } })
  })

  test('an address for files is refused with its name until it is one', async () => {
    const page = await openWindow(app, '/settings#files')
    const hosts = page.getByLabel(text('settings.files.hosts'))
    await hosts.fill('192.168.1.10/99')
    await hosts.press('Enter')
    await page.getByText(text('settings.files.bad', { entry: '192.168.1.10/99' })).waitFor()
    await hosts.press('Backspace')
    await hosts.fill('192.168.1.0/24')
    await hosts.press('Enter')
    await expect.poll(async () => (await settings()).media_allowed_hosts).toEqual(['192.168.1.0/24'])
    await page.getByText(text('settings.files.bad', { entry: '192.168.1.10/99' })).waitFor({ state: 'detached' })
  })

  test('a right address that was not kept is not called wrong, and is saved by a button', async () => {
    const page = await openWindow(app, '/settings#files')
    await loseAnswer(page, '**/api/settings')
    const hosts = page.getByLabel(text('settings.files.hosts'))
    await hosts.fill('192.168.1.10')
    await hosts.press('Enter')
    await page.getByRole('alert').getByText(text('errors.connection')).waitFor()
    expect(await page.getByText(text('settings.files.bad', { entry: '192.168.1.10' })).count()).toBe(0)
    await page.getByRole('link', { name: text('nav.pages.messages') }).click()
    await page.getByRole('dialog', { name: text('leave.unsaved') }).waitFor()
    await page.getByRole('button', { name: text('leave.keepEditing') }).click()
    await page.getByRole('button', { name: text('actions.retry') }).click()
    await expect.poll(async () => (await settings()).media_allowed_hosts).toEqual(['192.168.1.10'])
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('how long messages are kept', async () => {
    const page = await openWindow(app, '/settings#log')
    await page.getByRole('combobox', { name: text('settings.log.retention') }).click()
    await page.getByRole('option', { name: text('settings.log.forever') }).click()
    await expect.poll(async () => (await settings()).retention_days).toBe(null)
    await loseAnswer(page, '**/api/settings')
    await page.getByRole('combobox', { name: text('settings.log.retention') }).click()
    await page.getByRole('option', { name: text('settings.log.days', { count: 30 }), exact: true }).click()
    await page.getByRole('alert').getByText(text('errors.connection')).waitFor()
  })

  test('a browser offers nothing that only the desktop can do', async () => {
    const page = await openWindow(app, '/settings#about')
    await page.getByRole('heading', { name: text('settings.about.title') }).waitFor()
    expect(await page.getByText(text('settings.window.login')).count()).toBe(0)
  })

  test('the desktop starts with the computer and installs an update when asked', async () => {
    const page = await openWindow(app, '/settings', { before: standInDesktop })
    const failed = page.getByRole('alert').getByText(text('settings.window.loginFailed'))
    for (let tries = 0; tries < 2; tries += 1) {
      await page.getByText(text('settings.window.login')).click()
      await failed.waitFor()
    }
    await page.getByText(text('settings.window.login')).click()
    await failed.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: text('settings.about.title') }).click()
    await page.getByText(text('settings.about.updates.ready', { version: '0.2.0' })).waitFor()
    await page.getByRole('button', { name: text('settings.about.install') }).click()
    await expect.poll(() => page.evaluate(() => asked)).toEqual(['login true', 'login true', 'login true', 'install'])
  })
})
