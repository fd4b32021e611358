import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { KeyView } from '../../server/contract/access.ts'
import { diagnostics } from '../../server/contract/operation.ts'
import type { TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { beginning, text, textId } from '../support/texts.ts'

const PASSWORD = 'kata sandi panjang – 守'
const MAKE = text('settings.backup.make')
const RESTORE = text('settings.backup.restore')

describeWindow('Backup and diagnostics', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await startWindowApp()
  })

  const keyNames = async () => (await app.owner<KeyView[]>('/api/keys')).body.data.map(({ name }) => name)

  async function downloaded(page: Page, button: string): Promise<{ name: string; path: string }> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button, exact: true }).click(),
    ])
    return { name: file.suggestedFilename(), path: await file.path() }
  }

  async function typePassword(page: Page, password: string, repeated = password): Promise<void> {
    await page.getByLabel(`${MAKE}: ${text('settings.backup.passphrase')}`, { exact: true }).fill(password)
    await page.getByLabel(`${MAKE}: ${text('settings.backup.repeat')}`, { exact: true }).fill(repeated)
  }

  async function restore(page: Page, path: string, password: string): Promise<void> {
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByLabel(`${RESTORE}: ${text('settings.backup.passphrase')}`, { exact: true }).fill(password)
    await page.getByRole('button', { name: RESTORE, exact: true }).click()
    const question = page.getByRole('dialog', { name: text('settings.backup.restoreTitle') })
    await question.getByText(text('settings.backup.lossNow')).waitFor()
    await question.getByText(text('settings.backup.lossLogin')).waitFor()
    await question.getByRole('textbox').fill(text('settings.backup.word'))
    await question.getByRole('button', { name: RESTORE }).click()
  }

  test('a backup is made, refused with another password, and restored', async () => {
    await app.key({ name: 'Till' })
    const page = await openWindow(app, '/settings#backup')
    await typePassword(page, PASSWORD)
    const { name, path } = await downloaded(page, MAKE)
    expect(name).toMatch(/^kurir-\d{4}-\d\d-\d\d\.kurirbackup$/)
    await page.getByText(beginning(text('settings.backup.made', { size: '' }).split('(')[0] ?? '')).waitFor()

    await app.key({ name: 'Made since' })
    await restore(page, path, 'another password')
    await page.getByRole('alert').getByText('wrong_passphrase').waitFor()
    expect(await keyNames()).toContain('Made since')

    await restore(page, path, PASSWORD)
    await page.getByText(text('settings.backup.nextStart')).waitFor()
    // The password does not stay in the page, and a second press does nothing.
    const field = page.getByLabel(`${RESTORE}: ${text('settings.backup.passphrase')}`, { exact: true })
    expect(await field.inputValue()).toBe('')
    expect(await page.getByRole('button', { name: RESTORE, exact: true }).isDisabled()).toBe(true)
    await app.restart()
    expect(await keyNames()).toEqual(['Till'])
  })

  test('where Kurir can restart by itself it does so, and the page says it', async () => {
    const restarted = Promise.withResolvers<void>()
    const able = await startWindowApp('en', { overrides: { restart: restarted.resolve } })
    await able.key({ name: 'Till' })
    const page = await openWindow(able, '/settings#backup')
    await typePassword(page, PASSWORD)
    const { path } = await downloaded(page, MAKE)
    await restore(page, path, PASSWORD)
    await page.getByText(text('settings.backup.restarting')).waitFor()
    await restarted.promise
  })

  test('a password with a typo makes no backup', async () => {
    const page = await openWindow(app, '/settings#backup')
    await typePassword(page, PASSWORD, `${PASSWORD}x`)
    await page.getByText(text('settings.backup.mismatch')).waitFor()
    expect(await page.getByRole('button', { name: MAKE, exact: true }).isDisabled()).toBe(true)
  })

  test('a file that is no backup is refused with a reason', async () => {
    const page = await openWindow(app, '/settings#backup')
    await restore(page, import.meta.filename, PASSWORD)
    const refused = page.getByRole('alert').getByText('backup_unreadable')
    await refused.waitFor()
    expect(await axeFindings(page)).toEqual([])
    // It is said of that file, not of the next one.
    await page.locator('input[type=file]').setInputFiles('package.json')
    await refused.waitFor({ state: 'detached' })
  })

  const makeKey = async (page: Page, t: typeof text) => {
    await page.getByRole('button', { name: t('settings.backup.newKeyMake'), exact: true }).click()
    const question = page.getByRole('dialog', { name: t('settings.backup.newKeyTitle') })
    await question.getByText(t('settings.backup.newKeyWebhooks')).waitFor()
    return question
  }

  test.each([
    ['en', 1366],
    ['id', 390],
  ] as const)('a new key for saved secrets is made where the owner agrees: %s, %i px', async (language, width) => {
    const t = language === 'en' ? text : textId
    const restarts: string[] = []
    const able = await startWindowApp(language, { overrides: { restart: () => void restarts.push('now') } })
    const wanted = () => able.app.store.meta.get('data_key_rotation')
    const page = await openWindow(able, '/settings#backup', { width, height: 800 })

    const refused = await makeKey(page, t)
    // It fades in, and what is half there has no contrast.
    const opacity = () => page.evaluate('getComputedStyle(document.querySelector("[role=dialog]")).opacity')
    await expect.poll(opacity).toBe('1')
    expect(await axeFindings(page)).toEqual([])
    await refused.getByRole('button', { name: t('actions.cancel') }).click()
    await refused.waitFor({ state: 'detached' })
    expect([wanted(), restarts]).toEqual([undefined, []])

    const question = await makeKey(page, t)
    await question.getByRole('button', { name: t('settings.backup.newKeyNow') }).click()
    await page.getByText(t('settings.backup.newKeyRestarting')).waitFor()
    await expect.poll(() => restarts).toEqual(['now'])
    expect(wanted()).toBe('wanted')
  })

  test('a new key that cannot be asked for says so; where Kurir cannot restart it is made at the next start', async () => {
    const page = await openWindow(app, '/settings#backup')
    const dataKey = () => app.app.store.meta.get('data_key')
    await page.route('**/api/data-key/rotate', (route) => route.abort(), { times: 1 })
    await (await makeKey(page, text)).getByRole('button', { name: text('settings.backup.newKeyNow') }).click()
    await page.getByRole('alert').waitFor()
    await (await makeKey(page, text)).getByRole('button', { name: text('settings.backup.newKeyNow') }).click()
    await page.getByText(text('settings.backup.newKeyNextStart')).waitFor()
    const before = dataKey()
    await app.restart()
    expect(dataKey()).not.toBe(before)
  })

  test('the diagnostics file is what the contract says', async () => {
    const page = await openWindow(app, '/settings#about')
    const { name, path } = await downloaded(page, text('settings.about.download'))
    expect(name).toBe('kurir-diagnostics.json')
    expect(diagnostics.parse(JSON.parse(await readFile(path, 'utf8'))).version).toBe('0.1.0')
  })
})
