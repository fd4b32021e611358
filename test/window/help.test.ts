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

  test.each([
    ['en', text],
    ['id', textId],
  ] as const)('they lead to a new key where a backup is in other hands (%s)', async (language, say) => {
    const app = await startWindowApp(language)
    const page = await openWindow(app, '/help#hands', PHONE)
    const topic = page.getByRole('region', { name: say('help.topics.hands.title') })
    await topic.getByRole('link', { name: say('help.to.newKey') }).click()
    const make = page.getByRole('button', { name: say('settings.backup.newKeyMake') })
    await make.waitFor()
    await expect.poll(async () => (await make.boundingBox())?.y).toBeLessThan(PHONE.height)
    expect(await axeFindings(page)).toEqual([])
  })

  test('the topic that the address names is in view, also when it changes', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/settings#backup')
    await page.setViewportSize(PHONE)
    const top = async (topic: 'newPc' | 'phone') => {
      const box = await page.getByRole('region', { name: text(`help.topics.${topic}.title`) }).boundingBox()
      return Math.abs(box?.y ?? PHONE.height)
    }
    await page.getByRole('link', { name: text('help.topics.newPc.title') }).click()
    await expect.poll(() => top('newPc')).toBeLessThan(PHONE.height / 2)
    expect(await top('phone')).toBeGreaterThan(PHONE.height / 2)
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox').fill(text('help.topics.phone.title'))
    await page.keyboard.press('Enter')
    await expect.poll(() => top('phone')).toBeLessThan(PHONE.height / 2)
  })

  test('in Indonesian too', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/help#staff')
    await page.getByRole('region', { name: textId('help.topics.staff.title') }).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })
})
