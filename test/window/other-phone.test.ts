import { expect, test } from 'vitest'
import { phoneInText } from '../../renderer/model/phone.ts'
import { axeFindings, describeWindow, openWindow, PAGES, PHONE } from '../support/browser.ts'
import { SHOP, startShop } from '../support/shop.ts'
import { text, textId } from '../support/texts.ts'

const OTHER = '6282222222222'

describeWindow('Another phone than before', () => {
  test.each([[1366], [390]] as const)('asks before what waits leaves from it: %i px', async (width) => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    await shop.link()
    shop.phone.unlink()
    await shop.state('logged_out')
    const id = await shop.send({ message: 'Tagihan bulan ini' })
    await shop.app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'en' } })
    await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
    const { qr } = await shop.until((view) => view.qr !== null)
    await shop.peer.phone(OTHER).scan(qr ?? '')
    await shop.until(({ previous_phone }) => previous_phone !== null)

    const page = await openWindow(shop.app, `/senders?open=${shop.sender}`, { width, height: PHONE.height })
    const question = page.getByRole('dialog').getByRole('alert')
    const numbers = { phone: phoneInText('6282222222222'), before: phoneInText('6281111111111') }
    await question.getByText(text('senders.otherPhone.title', numbers)).waitFor()
    expect(await question.getByRole('button', { name: text('senders.otherPhone.wrong') }).isVisible()).toBe(true)
    expect(await axeFindings(page)).toEqual([])
    expect(shop.peer.journal.messages, 'nothing has left').toEqual([])
    await question.getByRole('button', { name: text('senders.otherPhone.use', numbers) }).click()
    await shop.app.reached(id, 'read')
    await question.waitFor({ state: 'detached' })
    expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([OTHER])
  })

  test('on the link page nothing is green before the answer; the wrong phone goes, and the right one is linked there', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    await shop.link()
    shop.phone.unlink()
    await shop.state('logged_out')
    const id = await shop.send({ message: 'Tagihan bulan ini' })
    await shop.app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`)
    const { qr } = await shop.until((view) => view.qr !== null)
    await shop.peer.phone(OTHER).scan(qr ?? '')
    const wrong = page.getByRole('button', { name: textId('senders.otherPhone.wrong') })
    await wrong.waitFor()
    expect(await page.getByText(textId('senders.linking.linkedHint')).count()).toBe(0)
    await wrong.click()
    const { qr: another } = await shop.until((view) => view.qr !== null)
    await shop.phone.scan(another ?? '')
    await shop.app.reached(id, 'read')
    await page.getByText(textId('senders.linking.linkedHint')).waitFor()
    expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([SHOP])
  })
})
