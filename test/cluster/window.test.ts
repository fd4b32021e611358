import { expect, test } from 'vitest'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { textId } from '../support/texts.ts'

describeWindow('The page of the nodes', () => {
  test.each([
    ['a wide window', { width: 1366, height: 768 }],
    ['a phone', PHONE],
  ])('is in the menu, and says which ones run and what each holds: %s', async (_size, size) => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/', size)
    const more = page.getByRole('button', { name: textId('nav.more') })
    const link = page.getByRole(size === PHONE ? 'menuitem' : 'link', { name: textId('nav.pages.nodes'), exact: true })
    if (size === PHONE) await more.click()
    await link.click()
    await page.getByRole('heading', { level: 1, name: textId('nodes.title') }).waitFor()
    const { node } = (await app.owner<{ node: string }>('/api/settings')).body.data
    const panel = page.getByRole('region', { name: node })
    await panel.getByText(textId('nodes.alive'), { exact: true }).waitFor()
    await panel.getByText(textId('nodes.here')).waitFor()
    // The sandbox.
    await expect.poll(() => panel.locator('dd').first().innerText()).toBe('1')
    expect(await axeFindings(page)).toEqual([])
  })
})
