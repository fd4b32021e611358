import { expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { startApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PAGES, PHONE } from '../support/browser.ts'
import { startGraphPeer } from '../support/graph-peer/graph-peer.ts'
import { addOfficial } from '../support/official.ts'
import { text, textId } from '../support/texts.ts'

const TEMPLATE = {
  id: '1',
  name: 'invoice',
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Faktur {{1}} siap.' }],
}

describeWindow('A second road', () => {
  test.each([
    ['en', 1366],
    ['id', 390],
  ] as const)('is tried on past messages, saved and taken away: %s, %i px', async (language, width) => {
    const graph = await startGraphPeer()
    graph.state.templates = [TEMPLATE]
    const app = await startApp({ env: { KURIR_GRAPH_URL: graph.url }, overrides: { pages: PAGES } })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language } })
    const official = await addOfficial(app)
    const linked = await app.sender('linked', { name: 'Toko Melati' })
    const body = { sender_code: linked, phone: '6281234567890', message: 'Faktur INV-7 siap.' }
    await app.owner('/send', { body })
    const t = language === 'en' ? text : textId
    const page = await openWindow(app, `/senders?open=${linked}`, { width, height: PHONE.height })
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: t('senders.road.setUp') }).click()
    await drawer.getByRole('textbox', { name: t('senders.road.pattern') }).fill('Faktur {{nomor}} siap.')
    await drawer.getByRole('textbox', { name: t('senders.road.template') }).fill('invoice')
    await drawer.getByRole('button', { name: t('senders.road.try') }).click()
    await drawer
      .getByRole('status')
      .filter({ hasText: t('senders.road.fitting', { count: 1, of: 1 }) })
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    const road = async () => (await app.owner<SenderView>(`/api/senders/${linked}`)).body.data.second_road
    expect(await road(), 'tried, not saved').toBeNull()
    await drawer
      .getByRole('button', { name: t('actions.save'), exact: true })
      .last()
      .click()
    await expect.poll(road).toMatchObject({ sender_code: official, rules: [{ template_name: 'invoice' }], used: 0 })
    // Another window's change is followed, and not put back by the next save here.
    const saved = await road()
    const changed = { second_road: saved && { ...saved, used: undefined, after_minutes: 45 } }
    await app.owner(`/api/senders/${linked}`, { method: 'PATCH', body: changed })
    await expect.poll(() => drawer.getByRole('textbox', { name: t('senders.road.after') }).inputValue()).toBe('45')
    const remove = drawer.getByRole('button', { name: t('senders.road.remove'), exact: true })
    await remove.and(page.locator('[aria-busy="false"]')).click()
    await expect.poll(road).toBeNull()
  })
})
