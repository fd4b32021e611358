import { expect, test } from 'vitest'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { textId } from '../support/texts.ts'

describeWindow('The page of the nodes', () => {
  test('is in the menu, and says which ones run and what each holds; also on a phone', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/', { width: 1366, height: 768 })
    const name = textId('nav.pages.nodes')
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: textId('nodes.title') }).waitFor()
    const { node } = (await app.owner<{ node: string }>('/api/settings')).body.data
    const panel = page.getByRole('region', { name: node })
    await panel.getByText(textId('nodes.alive'), { exact: true }).waitFor()
    await panel.getByText(textId('nodes.here')).waitFor()
    // The sandbox.
    await expect.poll(() => panel.locator('dd').first().innerText()).toBe('1')
    expect(await axeFindings(page)).toEqual([])

    // One that was killed.
    await app.disk.write(
      `INSERT INTO nodes (name, instance, url, version, started_at, seen_at, taken_over, fenced)
       VALUES ('killed', 'x', NULL, '1', 1, now() - interval '1 hour', 0, 0)`,
    )
    const killed = page.getByRole('region', { name: 'killed' })
    await killed.getByText(textId('nodes.gone'), { exact: true }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    expect(await panel.getByRole('button').count()).toBe(0)
    await killed.getByRole('button', { name: textId('nodes.forget') }).click()
    await killed.waitFor({ state: 'detached' })

    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: textId('nav.more') }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
    await panel.getByText(textId('nodes.alive'), { exact: true }).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })
})
