import { expect, test } from 'vitest'
import type { SettingsView } from '../../server/contract/settings.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

const start = () => startApp({ overrides: { pages: PAGES } })
const language = async (app: TestApp) => (await app.owner<SettingsView>('/api/settings')).body.data.language

describeWindow('The first start', () => {
  test.each([['id-ID'], ['id']])('speaks Indonesian in a browser that asks for %s, and keeps it', async (locale) => {
    const app = await start()
    const page = await openWindow(app, '/', { locale })
    await page.getByRole('heading', { name: textId('welcome.title') }).waitFor()
    // Notifications and the tray speak what the settings say.
    await expect.poll(() => language(app)).toBe('id')
    expect(await page.locator('html').getAttribute('lang')).toBe('id')
    await page.reload()
    await page.getByRole('heading', { name: textId('welcome.title') }).waitFor()
  })

  test('speaks English in any other browser', async () => {
    const app = await start()
    const page = await openWindow(app, '/', { locale: 'de-DE' })
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    expect(await language(app)).toBe('en')
  })

  test('what the owner chooses wins over the browser from then on, in every window', async () => {
    const app = await start()
    const page = await openWindow(app, '/', { locale: 'id-ID' })
    await expect.poll(() => language(app)).toBe('id')
    await page.getByRole('button', { name: inLanguage(textId('nav.language')) }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    await expect.poll(() => language(app)).toBe('en')
    await page.reload()
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    expect(await language(app)).toBe('en')
  })

  test('has no menu beside its three steps, and one afterwards', async () => {
    const page = await openWindow(await start(), '/')
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect((await page.getByRole('main').boundingBox())?.x).toBe(0)
    await page.getByRole('button', { name: text('welcome.skip') }).click()
    await page.getByRole('navigation', { name: text('nav.label') }).waitFor()
  })

  test('marks the number as linked only where one is', async () => {
    const page = await openWindow(await start(), '/welcome?step=key')
    await page.getByRole('heading', { name: text('welcome.key.heading') }).waitFor()
    const steps = page.locator('.mantine-Stepper-step')
    await expect.poll(() => steps.nth(0).locator('svg').count()).toBe(1)
    expect(await steps.nth(1).locator('svg').count()).toBe(0)
    expect(await steps.nth(1).textContent()).toContain('2')
  })

  test('after the first run a new browser speaks what was chosen', async () => {
    const app = await start()
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'en' } })
    const page = await openWindow(app, '/', { locale: 'id-ID' })
    await page.getByRole('heading', { name: 'No number is linked yet.' }).waitFor()
    expect(await language(app)).toBe('en')
  })
})

const inLanguage = (name: string) => new RegExp(`^${name}:`)
