import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { diagnostics } from '../../server/contract/diagnostics.ts'
import type { KeyView } from '../../server/contract/keys.ts'
import type { TestApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'

const PASSWORD = 'kata sandi panjang – 守'

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

  async function restore(page: Page, path: string, password: string): Promise<void> {
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByLabel('Restore a backup: Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Restore a backup', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Restore this backup?' })
    await question.getByText('Everything since the backup is lost').waitFor()
    await question.getByRole('textbox').fill('restore')
    await question.getByRole('button', { name: 'Restore a backup' }).click()
  }

  test('a backup is made, refused with another password, and restored', async () => {
    await app.key({ name: 'Till' })
    const page = await openWindow(app, '/settings')
    await page.getByLabel('Make a backup: Password', { exact: true }).fill(PASSWORD)
    const { name, path } = await downloaded(page, 'Make a backup')
    expect(name).toMatch(/^kurir-\d{4}-\d\d-\d\d\.kurirbackup$/)
    await page.getByText(/^Backup saved \(/).waitFor()

    await app.key({ name: 'Made since' })
    await restore(page, path, 'another password')
    await page.getByRole('alert').getByText('wrong_passphrase').waitFor()
    expect(await keyNames()).toContain('Made since')

    await restore(page, path, PASSWORD)
    await page.getByText('It counts from the next start').waitFor()
    await app.restart()
    expect(await keyNames()).toEqual(['Till'])
  })

  test('where Kurir can begin anew by itself it does so, and the page says it', async () => {
    const restarted = Promise.withResolvers<void>()
    const able = await startWindowApp('en', { overrides: { restart: restarted.resolve } })
    await able.key({ name: 'Till' })
    const page = await openWindow(able, '/settings')
    await page.getByLabel('Make a backup: Password', { exact: true }).fill(PASSWORD)
    const { path } = await downloaded(page, 'Make a backup')
    await restore(page, path, PASSWORD)
    await page.getByText('Restored. Kurir starts again…').waitFor()
    await restarted.promise
  })

  test('a file that is no backup is refused in words', async () => {
    const page = await openWindow(app, '/settings')
    await restore(page, import.meta.filename, PASSWORD)
    await page.getByRole('alert').getByText('backup_unreadable').waitFor()
  })

  test('the diagnostics file is what the contract says', async () => {
    const page = await openWindow(app, '/settings')
    const { name, path } = await downloaded(page, 'Download')
    expect(name).toBe('kurir-diagnostics.json')
    expect(diagnostics.parse(JSON.parse(await readFile(path, 'utf8'))).version).toBe('0.1.0')
  })
})
