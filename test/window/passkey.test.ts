import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { phoneInText } from '../../renderer/model/phone.ts'
import type { DesktopBridge } from '../../server/contract/desktop.ts'
import type { PasskeyOptions } from '../../server/contract/linking.ts'
import { MINUTE } from '../../server/lib/clock.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { axeFindings, describeWindow, openWindow, PAGES, PHONE } from '../support/browser.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { SHOP, startShop } from '../support/shop.ts'
import { text, textId } from '../support/texts.ts'

declare global {
  // The passkey of the computer that a test gives the page.
  var signHere: (options: PasskeyOptions) => ReturnType<DesktopBridge['confirmPasskey']>
}

/** Runs in the page: Kurir's window on Windows. */
function standInWindows(): void {
  const desktop: Partial<DesktopBridge> = {
    platform: 'win32',
    version: '0.1.0',
    getUpdate: async () => ({ state: 'off' }),
    confirmPasskey: (options) => globalThis.signHere(options),
  }
  Object.assign(globalThis, { kurirDesktop: desktop })
}

/** A shop whose owner has scanned the code, and is asked for a passkey. */
async function askedShop({ clock, language = 'en' }: { clock?: TestClock; language?: 'en' | 'id' } = {}) {
  const authenticator = createAuthenticator()
  const account = { passkey: 'asked', authenticator } as const
  const shop = await startShop({ account, overrides: { pages: PAGES }, ...(clock && { clock }) })
  await shop.app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language } })
  await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
  const { qr } = await shop.until((view) => view.qr !== null)
  expect(await shop.phone.scan(qr ?? '')).toBe('passkey')
  const options = async (): Promise<PasskeyOptions> => {
    const { linking } = await shop.until((view) => view.linking?.passkey?.step === 'asked')
    if (!linking?.passkey) throw new Error('no options')
    return linking.passkey.options
  }
  return { ...shop, authenticator, options, path: `/senders/${shop.sender}/link` }
}

const linkedAs = (page: Page, t: typeof text) =>
  page.getByText(t('senders.linking.linkedAlone', { phone: phoneInText(SHOP) })).waitFor()

const fits = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')

describeWindow('A passkey', () => {
  test('of this computer links the number: in Kurir’s window on Windows', async () => {
    const shop = await askedShop()
    const page = await openWindow(shop.app, shop.path, { before: standInWindows })
    const answers = [null, 'sign']
    await page.exposeFunction('signHere', (options: PasskeyOptions) =>
      answers.shift() === null ? null : shop.authenticator.sign(options),
    )
    const here = page.getByRole('button', { name: text('senders.linking.passkey.here') })
    await here.click()
    await page.getByRole('alert').getByText(text('senders.linking.passkey.notHere')).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await here.click()
    await linkedAs(page, text)
  })

  for (const [language, t, size] of [
    ['en', text, { width: 1366, height: 768 }],
    ['id', textId, PHONE],
  ] as const) {
    test(`of a browser is pasted; what is wrong with it is said, and it may be tried again: ${language}`, async () => {
      const shop = await askedShop({ language })
      const page = await openWindow(shop.app, shop.path, size)
      await page.getByRole('heading', { name: t('senders.linking.passkey.title') }).waitFor()
      expect(await page.getByRole('button', { name: t('senders.linking.passkey.here') }).count()).toBe(0)
      await page.getByRole('button', { name: t('senders.linking.passkey.copyLine') }).click()
      const line = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(line).toContain((await shop.options()).challenge)

      const field = page.getByLabel(t('senders.linking.passkey.answer'))
      const send = async (answer: string) => {
        await field.fill(answer)
        const button = page.getByRole('button', { name: t('senders.linking.passkey.send') })
        // The page hears what was wrong before the call is over, and a busy button does nothing.
        await expect.poll(() => button.getAttribute('aria-busy')).toBe('false')
        await button.click()
      }
      await send('halo')
      await page.getByText(t('senders.linking.passkey.notAnAnswer')).waitFor()
      await send(JSON.stringify(shop.authenticator.sign({ challenge: 'b2xk' })))
      await page.getByText(t('senders.linking.passkey.faults.other_challenge')).waitFor()
      await send(JSON.stringify(shop.authenticator.sign(await shop.options(), { verified: false })))
      await page.getByText(t('senders.linking.passkey.refusedHint', { code: '400' })).waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect(await fits(page)).toBe(true)
      await send(JSON.stringify(shop.authenticator.sign(await shop.options())))
      await linkedAs(page, t)
    })
  }

  test('after five minutes leads to a code that is compared with that of the phone', async () => {
    const clock = createTestClock(Date.now())
    const shop = await askedShop({ clock })
    await clock.advance(5 * MINUTE)
    const page = await openWindow(shop.app, shop.path, PHONE)
    await page
      .getByLabel(text('senders.linking.passkey.answer'))
      .fill(JSON.stringify(shop.authenticator.sign(await shop.options())))
    await page.getByRole('button', { name: text('senders.linking.passkey.send') }).click()
    await shop.until((view) => view.linking?.passkey?.step === 'compare')
    // On a clock that stands still the page hears of no change by itself.
    await page.reload()
    await page.getByText(await shop.phone.passkey.code, { exact: true }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await fits(page)).toBe(true)
    await page.getByRole('button', { name: text('senders.linking.passkey.same') }).click()
    await page.getByText(text('senders.linking.passkey.checking')).waitFor()
    shop.phone.passkey.confirmCode()
    await shop.until((view) => view.connection === 'connected')
    expect(shop.phone.passkey.faults).toEqual([])
  })
})
