import { beforeEach, expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, seriousFindings, startWindowApp } from '../support/browser.ts'
import { startReceiver } from '../support/receiver.ts'

/** A key of the words that was shown instead of its words. */
const MISSING_WORD = /\b(actions|errors|keys|list|messages|rail|settings|states|webhooks|words)\.[a-z]\w+/

describeWindow('Webhooks, API keys and Settings', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await startWindowApp()
    const receiver = await startReceiver()
    receiver.answer({ status: 500, body: 'no database' })
    await app.owner('/api/webhooks', { body: { url: receiver.url } })
    await app.owner('/send', { body: { sender_code: SANDBOX, phone: '6281234567890', message: 'halo' } })
    await receiver.calls(1)
    await app.key({ name: 'Till' })
  })

  const places = async () => {
    const { body } = await app.owner<{ id: string }[]>('/api/keys')
    const key = body.data[0]?.id
    return [
      '/webhooks',
      '/webhooks?open=1',
      '/webhooks?open=new',
      '/webhooks?delivery=1',
      '/keys',
      `/keys?open=${key}`,
      '/keys?open=new',
      '/settings',
    ]
  }

  for (const theme of ['light', 'dark'] as const) {
    for (const language of ['en', 'id'] as const) {
      test(`axe finds nothing serious and no word is missing: ${theme}, ${language}`, {
        timeout: 120_000,
      }, async () => {
        await app.owner('/api/settings', { method: 'PATCH', body: { language, host: '0.0.0.0' } })
        const page = await openWindow(app, '/', { theme })
        for (const path of await places()) {
          await page.goto(app.url + path)
          await page
            .getByRole('heading', { level: path.includes('?') ? 2 : 1 })
            .first()
            .waitFor()
          await page.locator(`html[lang=${language}]`).waitFor()
          expect(await seriousFindings(page), path).toEqual([])
          expect(await page.locator('body').innerText(), path).not.toMatch(MISSING_WORD)
        }
      })
    }
  }

  test('the pages fit a small window: nothing is wider than it', { timeout: 60_000 }, async () => {
    const page = await openWindow(app, '/', { width: 1024, height: 700 })
    for (const path of await places()) {
      await page.goto(app.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      const tooWide = await page.evaluate(
        'document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth',
      )
      expect(tooWide, path).toBe(0)
    }
  })
})
