import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import type { EmergencySheet } from '../../server/slices/backup/contract.ts'
import { axeFindings, describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { text } from '../support/texts.ts'

describeWindow('Automatic backups', () => {
  test('a folder is chosen, its backup seen, and the sheet has the key', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#backup')
    const field = page.getByLabel(text('backup.auto'))
    const choose = page.getByRole('button', { name: text('backup.choose') })
    await field.fill('not a whole path')
    await choose.click()
    await page.getByText('must be a whole path such as E:\\Kurir').waitFor()
    const folder = join(temporaryFolder(), 'stick')
    await field.fill(folder)
    await page.getByRole('link', { name: text('nav.pages.messages') }).click()
    await page.getByRole('dialog', { name: text('leave.unsaved') }).waitFor()
    await page.getByRole('button', { name: text('leave.keepEditing') }).click()
    await choose.click()
    await page.getByText(text('backup.last')).waitFor()
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.kurirbackup'))
    await page.getByText(file).waitFor()
    expect(await axeFindings(page)).toEqual([])

    renameSync(folder, `${folder}-away`)
    await page.getByRole('button', { name: text('backup.now') }).click()
    await page.getByText(text('backup.fault.away')).waitFor()

    await page.getByRole('link', { name: text('backup.sheetOpen') }).click()
    const sheet = page.getByRole('article', { name: text('backup.sheet') })
    const { key } = (await app.owner<EmergencySheet>('/api/backup/sheet')).body.data
    for (const part of [key, folder, file, text('backup.steps.key')]) await sheet.getByText(part).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: text('backup.print') }).isVisible()).toBe(false)
  })

  test('another folder, chosen in a second window meanwhile, is said beside the one that is typed', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#backup')
    const field = page.getByLabel(text('backup.auto'))
    const folder = temporaryFolder()
    const typed = join(folder, 'typed')
    await field.fill(typed)
    await app.owner('/api/backup/plan', { method: 'PATCH', body: { folder: join(folder, 'other') } })
    await page.getByText(text('errors.savedMeanwhile')).waitFor()
    expect(await field.inputValue()).toBe(typed)
    await page.getByRole('button', { name: text('backup.choose') }).click()
    await page.getByText(text('backup.last')).waitFor()
    expect(await field.inputValue()).toBe(typed)
    expect(await page.getByText(text('errors.savedMeanwhile')).count()).toBe(0)
  })

  test('the sheet of a shop without backups leads to the folder for them', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/emergency-sheet')
    await page.getByText(text('backup.noSheet')).waitFor()
    expect(await page.getByRole('button', { name: text('backup.print') }).count()).toBe(0)
    await page.getByRole('link', { name: text('backup.toFolder') }).click()
    await page.getByLabel(text('backup.auto')).waitFor()
  })

  test('who has a backup gets from the welcome to the restore', async () => {
    const app = await startWindowApp()
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: false } })
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: text('backup.have') }).click()
    const restore = page.getByRole('button', { name: text('settings.backup.restore'), exact: true })
    await restore.waitFor()
    // Above it, "Back up here" would be the first thing for somebody with a folder of backups at hand.
    const top = async (what: Locator) => (await what.boundingBox())?.y ?? 0
    expect(await top(restore)).toBeLessThan(await top(page.getByLabel(text('backup.auto'))))
    await page.getByPlaceholder(text('settings.backup.keyOrPassphrase')).waitFor()
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    await expect.poll(async () => (await top(page.getByLabel(text('backup.auto')))) < (await top(restore))).toBe(true)
  })
})
