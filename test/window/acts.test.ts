import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { createOwnerActStore } from '../../server/slices/owner-acts/store.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('What owners did', () => {
  test('is listed with who did it, from the settings, and can be taken along as a table', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#access')
    await app.owner('/api/keys', { body: { kind: 'global', name: 'Kasir' } })
    await page.getByRole('link', { name: text('settings.access.showActs') }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Kasir' })
    await row.getByText('Made an API key').waitFor()
    expect(await row.textContent()).toContain('Program with the owner’s token')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: text('messages.export') }).click()
    const saved = await waiting
    expect(readFileSync(await saved.path(), 'utf8')).toContain('Kasir')
    // The list names the browser of a window.
    await page.goto(`${app.url}/settings#programs`)
    await page.getByRole('switch', { name: text('settings.programs.fonnte') }).press('Space')
    await page.getByText(text('settings.programs.look')).waitFor()
    await page.goto(`${app.url}/acts`)
    const mine = page.getByRole('listitem').filter({ hasText: 'Answer as Fonnte does: on' })
    await mine.waitFor()
    expect(await mine.textContent()).toMatch(/Window · Chrome, Linux · 127\.0\.0\.1/)
  })

  test('names a message by its recipient and reference, and leads to it', async () => {
    const app = await startWindowApp()
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'Siap', reference_id: 'INV-7', delay: 3_600 }
    const { id } = (await app.owner<{ id: string }>('/send', { body })).body.data
    await app.owner(`/api/messages/${id}`, { method: 'DELETE' })
    const page = await openWindow(app, '/acts')
    await page.getByRole('link', { name: '+62 812-3456-7890 · INV-7' }).click()
    await page.getByRole('dialog').getByText('INV-7').first().waitFor()
  })

  test('goes on with older ones', async () => {
    const app = await startWindowApp()
    const act = { actedBy: 'tray', browser: null, address: null, act: 'tray pause', details: [], done: false } as const
    const rows = Array.from({ length: 60 }, (_, n) => ({ ...act, id: `a${n}`, at: Date.now(), thing: `nomor ${n}` }))
    await createOwnerActStore(app.app.store.statements).add(rows, { since: 0, most: 100 })
    const page = await openWindow(app, '/acts')
    await page.getByRole('button', { name: text('acts.more') }).click()
    await page.getByText('nomor 0', { exact: false }).first().waitFor()
    expect(await page.getByRole('button', { name: text('acts.more') }).count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('can be read by everybody, %s, in both languages and sizes', async (theme) => {
    const app = await startWindowApp()
    for (const language of LANGUAGES) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language, file_folders: [], compat_waha: true } })
      await app.owner('/api/keys', { body: { kind: 'global', name: `Kasir ${'panjang'.repeat(10)}` } })
      for (const size of [{}, PHONE]) {
        const page = await openWindow(app, '/acts', { theme, ...size })
        const say = language === 'en' ? text : textId
        await page.getByRole('heading', { name: say('acts.title') }).waitFor()
        await page
          .getByText(`${WORDS[language].actNames.compat_waha}: ${WORDS[language].actValues.on}`)
          .first()
          .waitFor()
        expect(await axeFindings(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      }
    }
  })
})
