import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DropFolderView } from '../../server/slices/drop-folder/contract.ts'
import { SANDBOX } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('The drop folder', () => {
  test('is chosen, switched on, and shows what became of its files', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#folder', { width: 1366, height: 768 })
    const section = page.getByRole('region', { name: text('settings.folder.title') })
    const field = section.getByLabel(text('settings.folder.path'), { exact: true })
    const save = section.getByRole('button', { name: text('actions.save') })
    const on = section.getByRole('switch', { name: text('settings.folder.on') })
    expect(await on.isDisabled(), 'nothing is chosen yet').toBe(true)
    await field.fill('Kirim')
    await section.getByRole('combobox', { name: text('settings.folder.sender') }).click()
    await page.getByRole('option').first().click()
    await save.click()
    await section.getByText('must be a whole path such as C:\\Kurir\\Kirim').waitFor()
    const folder = join(temporaryFolder(), 'kirim')
    await field.fill(folder)
    await section.getByLabel(text('settings.folder.text')).fill('Faktur {reference}')
    await save.click()
    await expect.poll(() => on.isEnabled()).toBe(true)
    await on.click({ force: true })
    await expect
      .poll(async () => (await app.owner<DropFolderView>('/api/drop-folder')).body.data)
      .toMatchObject({ on: true, folder, sender_code: SANDBOX, text: 'Faktur {reference}' })
    writeFileSync(join(folder, '6281234567890 INV-1.pdf'), samples.pdf)
    writeFileSync(join(folder, 'INV-2.pdf'), samples.pdf)
    writeFileSync(join(folder, 'tagihan.csv'), 'HP,Pesan\n+6281234567890,Halo\n,Halo\n')
    await section.getByText(text('settings.folder.refused')).waitFor()
    await section.getByText(text('settings.folder.someRows')).waitFor()
    await section.getByText(text('settings.folder.failed', { count: 2 })).waitFor()
    expect(await axeFindings(page)).toEqual([])
    const table = await section.getByRole('link', { name: 'tagihan.csv' }).getAttribute('href')
    expect(table).toMatch(/^\/tables\//)
    await section.getByRole('link', { name: '6281234567890 INV-1.pdf' }).click()
    await page.getByRole('dialog').getByText('INV-1', { exact: true }).first().waitFor()
  })

  test('what is typed while it is saved stays, with its focus, and spaces around the folder are no edit', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#folder')
    const section = page.getByRole('region', { name: text('settings.folder.title') })
    const field = section.getByLabel(text('settings.folder.path'), { exact: true })
    const beside = section.getByLabel(text('settings.folder.text'))
    const save = section.getByRole('button', { name: text('actions.save') })
    const folder = join(temporaryFolder(), 'kirim')
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/drop-folder', async (route) => {
      if (route.request().method() === 'PATCH') await saving.promise
      await route.continue()
    })
    await beside.fill('Halo')
    await page.getByRole('link', { name: text('settings.log.title'), exact: true }).click()
    await page.getByRole('link', { name: text('settings.folder.title'), exact: true }).click()
    expect(await beside.inputValue(), 'kept while another section is looked at').toBe('Halo')
    await field.fill(` ${folder} `)
    await save.click()
    await beside.fill('Faktur {reference}')
    saving.resolve()
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    await expect.poll(() => field.inputValue()).toBe(folder)
    expect(await beside.inputValue()).toBe('Faktur {reference}')
    await page.keyboard.press('End')
    await page.keyboard.type('.')
    expect(await beside.inputValue(), 'the focus stays').toBe('Faktur {reference}.')
    await save.click()
    await expect.poll(() => save.isDisabled()).toBe(true)
    await field.fill(`${folder} `)
    await save.click()
    await expect.poll(() => field.inputValue()).toBe(folder)
    expect(await save.isDisabled(), 'nothing is left to save').toBe(true)
    expect((await app.owner<DropFolderView>('/api/drop-folder')).body.data).toMatchObject({
      folder,
      text: 'Faktur {reference}.',
    })
  })

  test('on a phone, in Indonesian: a folder that is away is told', async () => {
    const app = await startWindowApp('id')
    const folder = join(temporaryFolder(), 'kirim')
    await app.owner('/api/drop-folder', { method: 'PATCH', body: { folder, sender_code: SANDBOX, on: true } })
    const page = await openWindow(app, '/settings#folder', PHONE)
    await page.getByRole('switch', { name: textId('settings.folder.on') }).waitFor()
    renameSync(folder, `${folder}-away`)
    await page.getByText(textId('settings.folder.problems.away')).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  })
})
