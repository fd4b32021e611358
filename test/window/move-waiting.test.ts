import { expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SECOND } from '../../server/lib/clock.ts'
import { UNDO_WITHIN } from '../../server/slices/bulk/contract.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { createTestClock } from '../support/clock.ts'
import { addNumber, addWaiting } from '../support/numbers.ts'
import { text, textId } from '../support/texts.ts'

describeWindow('Moving what waits', () => {
  test('from a number that was logged out to one that is connected, or back', async () => {
    // The ten seconds last as long as this takes: at the server its clock stands, in the window the pointer stays.
    const clock = createTestClock(Date.now())
    const app = await startWindowApp('en', { clock })
    const gone = await addNumber(app, 'Gudang', { state: 'logged_out' })
    await addWaiting(app, gone, 3)
    const page = await openWindow(app, `/senders?open=${gone}`, { width: 1366, height: 768 })
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('senders.number')).first().waitFor()
    const button = drawer.getByRole('button', { name: text('senders.move.act', { count: 3 }) })
    expect(await button.count(), 'no other number is there').toBe(0)

    const other = await addNumber(app, 'Toko')
    await clock.advance(SECOND)
    const senderOf = async () =>
      (await app.owner<MessageRow[]>('/messages')).body.data.map(({ sender_code }) => sender_code)
    await button.click()
    const undo = page.getByRole('button', { name: text('messages.bulk.undo', { left: '' }).slice(0, 4) })
    await undo.hover()
    await page.getByText(text('messages.bulk.begun.move', { count: 3 })).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.route('**/api/bulk/*', (route) => route.abort())
    await undo.click()
    await page.getByText(text('errors.connection')).waitFor()
    await page.unrouteAll()
    const undoing = Promise.withResolvers<void>()
    await page.route('**/api/bulk/*', async (route) => {
      await undoing.promise
      await route.continue()
    })
    await undo.click()
    // A second press is not too late: it is the first that undoes.
    await undo.click()
    undoing.resolve()
    await page.getByText(text('messages.bulk.undone', { count: 3 })).waitFor()
    expect(await page.getByText(text('messages.bulk.tooLate')).count()).toBe(0)
    expect(await senderOf()).toEqual([gone, gone, gone])

    await clock.advance(SECOND)
    await button.click()
    await undo.waitFor()
    await clock.advance(UNDO_WITHIN)
    await expect.poll(senderOf).toEqual([other, other, other])
  })

  test('a banned number of which nothing waits asks for no other where one is connected', async () => {
    const app = await startWindowApp()
    const gone = await addNumber(app, 'Gudang', { state: 'restricted', reason: 'banned' })
    await addNumber(app, 'Kemang', { state: 'connected', reason: null })
    const page = await openWindow(app, `/senders?open=${gone}`)
    await page.getByRole('dialog').getByText('Gudang').first().waitFor()
    expect(await page.getByText(text('senders.move.none')).count()).toBe(0)
  })

  test('a banned number alone says that another one is needed, and leads to the form and the steps', async () => {
    const app = await startWindowApp()
    const gone = await addNumber(app, 'Gudang', { state: 'restricted', reason: 'banned' })
    await addWaiting(app, gone, 3)
    const page = await openWindow(app, `/senders?open=${gone}`)
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('senders.move.none')).waitFor()
    const steps = drawer.getByRole('link', { name: text('senders.move.steps') })
    expect(await steps.getAttribute('href')).toBe('/help#banned')
    expect(await axeFindings(page)).toEqual([])
    await drawer.getByRole('link', { name: text('senders.add') }).click()
    await page.getByRole('dialog', { name: text('senders.add') }).waitFor()
  })

  test('is offered on Home, where the card of the broken number says what waits', async () => {
    const app = await startWindowApp()
    const gone = await addNumber(app, 'Gudang', { state: 'logged_out' })
    await addWaiting(app, gone, 3)
    const page = await openWindow(app, '/')
    const card = page.getByRole('article').filter({ hasText: 'Gudang' })
    await card.getByText(text('states.sender.logged_out')).waitFor()
    const move = card.getByRole('link', { name: text('senders.move.act', { count: 3 }) })
    expect(await move.count(), 'no other number is there').toBe(0)
    await addNumber(app, 'Toko')
    await move.click()
    await page.getByRole('dialog').getByText(text('senders.move.to')).waitFor()
  })

  test('on a phone, in Indonesian', async () => {
    const app = await startWindowApp('id')
    const gone = await addNumber(app, 'Gudang', { state: 'logged_out' })
    await addWaiting(app, gone, 2)
    await addNumber(app, 'Toko')
    const page = await openWindow(app, `/senders?open=${gone}`, PHONE)
    const button = page.getByRole('button', { name: textId('senders.move.act', { count: 2 }) })
    await page.getByText(textId('senders.move.to')).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    await button.click()
    const label = page.getByText(textId('messages.bulk.undo', { left: '' }).slice(0, 8))
    const hidden = await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(hidden, 'how to undo it is read whole').toBeLessThanOrEqual(0)
  })
})
