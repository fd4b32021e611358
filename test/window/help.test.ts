import { expect, test } from 'vitest'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('When things go wrong', () => {
  test('the steps are reached from the sender and from the settings, and lead to where they are done', async () => {
    const app = await startWindowApp()
    const code = await app.sender('linked', { name: 'Toko' })
    const page = await openWindow(app, `/senders?open=${code}`)
    await page.getByRole('link', { name: text('help.open') }).click()
    const banned = page.getByRole('region', { name: text('help.topics.banned.title') })
    await expect.poll(() => banned.getByRole('listitem').count()).toBe(4)
    expect(await axeFindings(page)).toEqual([])
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
    await page.getByRole('link', { name: text('help.to.access') }).click()
    await page.getByText(text('settings.access.sessions')).waitFor()

    const about = await openWindow(app, '/settings#about')
    await about.getByRole('link', { name: text('help.show') }).click()
    await about.getByRole('heading', { name: text('help.title') }).waitFor()
  })

  test('in Indonesian too', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/help#staff')
    await page.getByRole('region', { name: textId('help.topics.staff.title') }).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })
})
