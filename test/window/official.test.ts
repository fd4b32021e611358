import { expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { id } from '../../server/words/id/index.ts'
import { sayWith } from '../../server/words/say.ts'
import { axeFindings, describeWindow, openWindow, PAGES, PHONE } from '../support/browser.ts'
import { metaError } from '../support/graph-peer/faults.ts'
import { unregister } from '../support/graph-peer/registration.ts'
import { inState, NUMBER_ID, sendTemplate, startOfficial } from '../support/official.ts'
import { inOrder, text, textId } from '../support/texts.ts'

const CUSTOMER = '6281234567890'
const BUTTON = { type: 'URL', text: 'Lihat faktur', url: 'https://toko.example/{{1}}' }

const template = (name: string, more: object = {}) => ({
  id: name,
  name,
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Faktur {{1}}' },
    { type: 'BODY', text: 'Halo {{1}}, faktur sebesar {{2}} sudah siap.' },
    { type: 'BUTTONS', buttons: [BUTTON] },
  ],
  ...more,
})

// More than one page of the API holds, and the one that is wanted on the last.
const MANY = [
  ...Array.from({ length: 210 }, (_, n) => template(`another_${n}`)),
  template('turned_down', { status: 'REJECTED' }),
  template('zz_invoice'),
]

/** An app with one template that Meta bills. */
async function startBilled() {
  const { app, meta } = await startOfficial({ overrides: { pages: PAGES } })
  await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
  const { id, messageId: wamid } = (await sendTemplate(app)).body.data
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
  await meta.status({ wamid, status: 'delivered', at: Date.now(), pricing })
  await app.reached(id, 'delivered')
  return app
}

describeWindow('An official number', () => {
  test('a template is picked and filled, sent, and seen in API Message Logs with the ticks that Meta reports', async () => {
    const { peer, app, code, meta } = await startOfficial({
      overrides: { pages: PAGES },
      prepare: ({ state }) => {
        state.templates = MANY
      },
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    const page = await openWindow(app, '/write?kind=template')
    await page.getByRole('combobox', { name: text('write.phone') }).fill(CUSTOMER)
    await page.getByRole('combobox', { name: text('write.chooseTemplate') }).fill('zz_')
    await page.getByRole('option', { name: 'zz_invoice · id' }).click()
    await page.getByLabel(text('write.headerVariable', { around: 'Faktur {{1}}' })).fill('INV-7')
    await page.getByLabel('Halo {{1}}, faktur sebesar').fill('Budi')
    await page.getByLabel('sebesar {{2}} sudah siap.').fill('Rp 125.000')
    await page.getByLabel(text('write.buttonVariable', { label: 'Lihat faktur' })).fill('inv-7')
    const preview = page.getByRole('region', { name: text('write.preview') })
    await preview.getByText('Halo Budi, faktur sebesar Rp 125.000 sudah siap.').waitFor()
    // The phone stays in sight while the last field is filled.
    const { y = -1, height = 0 } = (await preview.boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(768)
    await page.getByRole('button', { name: text('write.send'), exact: true }).click()
    const log = page.getByRole('link', { name: text('write.showLog') })
    await log.waitFor()
    // Another one that is begun is not sent yet.
    await page.getByLabel(text('write.buttonVariable', { label: 'Lihat faktur' })).fill('inv-8')
    await log.click()
    await page.getByRole('dialog', { name: text('leave.unsent') }).waitFor()
    await page.getByRole('button', { name: text('leave.discardMessage') }).click()

    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('states.message.accepted')).first().waitFor()
    const sent = peer.requests.find(({ path }) => path.endsWith(`/${NUMBER_ID}/messages`))
    expect(sent?.body).toMatchObject({ to: `+${CUSTOMER}`, template: { name: 'zz_invoice' } })
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: inOrder(text('states.message.accepted'), 'zz_invoice') }).waitFor()
    // The list shows what the customer reads.
    await page.getByRole('row').getByText('Halo Budi, faktur sebesar Rp 125.000 sudah siap.').waitFor()
    const wamid = sent?.wamid ?? ''
    for (const status of ['sent', 'delivered', 'read'] as const) {
      // Meta reports whole seconds, which may lie before the call.
      await meta.status({ wamid, status, at: Date.now() - 1_000 })
      await page.getByRole('link', { name: inOrder(text(`states.message.${status}`), 'zz_invoice') }).waitFor()
    }
    await page.getByRole('link', { name: inOrder(text('states.message.read'), 'zz_invoice') }).click()
    const history = drawer.getByRole('region', { name: text('messages.timeline') }).getByRole('listitem')
    const lines = async () => (await history.allInnerTexts()).map((line) => line.split('\n', 1)[0])
    expect((await app.owner<SenderView>(`/api/senders/${code}`)).body.data).toMatchObject({
      sent_today: 1,
      last_sent_at: expect.any(String),
    })
    // The drawer was open before: it shows what it had until it has read the message again.
    await expect
      .poll(lines)
      .toEqual([
        text('states.message.sending'),
        `${text('messages.attempt', { number: 1 })}: ${text('messages.acceptedByMeta')}`,
        ...(['accepted', 'sent', 'delivered', 'read'] as const).map((status) => text(`states.message.${status}`)),
      ])
  })

  test('what the checks found is said in the language of the window', async () => {
    const { app, code } = await startOfficial({
      overrides: { pages: PAGES },
      prepare: ({ state }) => {
        state.templates = []
      },
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    const page = await openWindow(app, `/senders?open=${code}`)
    const checks = page.getByRole('list', { name: textId('senders.official.checks') })
    const { official } = (await app.owner<SenderView>(`/api/senders/${code}`)).body.data
    expect(official?.checks).toHaveLength(8)
    for (const { message, finding } of official?.checks ?? []) {
      if (finding.code === 'number') continue
      await checks.getByText(sayWith(id, `findings.${finding.code}`, finding.values)).waitFor()
      expect(await checks.getByText(message, { exact: true }).count(), message).toBe(0)
    }
    await checks.getByText(/status tersambung, kualitas baik/).waitFor()
    expect(await checks.innerText()).not.toMatch(/CONNECTED|GREEN|STANDARD/)
    await checks.getByText(textId('providerHints.no_template')).waitFor()
  })

  test('a check names a time as the rest of the window does', async () => {
    const { app, code } = await startOfficial({ overrides: { pages: PAGES } })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    const at = new Date(Date.now() + 86_400_000).toISOString()
    const { senders, officialFacts } = app.app.store
    const finding = { code: 'token_until', values: { at }, exact: null } as const
    await officialFacts.change(senders.byCode(code)?.id ?? 0, ({ checks }) => ({
      checks: checks.map((check) => (check.name === 'token' ? { ...check, finding } : check)),
    }))
    const page = await openWindow(app, `/senders?open=${code}`)
    const checks = page.getByRole('list', { name: textId('senders.official.checks') })
    await checks.getByText(/Token akses berlaku sampai .*\d\d\.\d\d\./).waitFor()
    expect(await checks.innerText()).not.toContain(at)
  })

  test('what to do about a refusal is said in the language of the window, with Meta’s own text in small type', async () => {
    const { app, peer } = await startOfficial({ overrides: { pages: PAGES } })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    peer.answerNext(metaError(131042, { details: 'Business eligibility payment issue' }))
    const { error } = (await sendTemplate(app)).body
    const page = await openWindow(app, `/api-message-logs?open=${error.message_id}`)
    const note = page.getByRole('dialog').getByRole('alert')
    await note.getByText('Meta tidak dapat menagih akun ini.').waitFor()
    const exact = note.locator('[lang=en]')
    expect(await exact.innerText()).toBe('Meta refused the message: Business eligibility payment issue (code 131042).')
    await note.getByText('provider_rejected · 131042').waitFor()

    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    await note.getByText('Meta could not bill this account.').waitFor()
    expect(await exact.count()).toBe(0)
  })

  test('templates that wait are found in the log by their status', async () => {
    const { app, code } = await startOfficial({ overrides: { pages: PAGES } })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
    const queued = await sendTemplate(app, {}, { prefer: 'respond-async' })
    expect(queued.status).toBe(202)
    const page = await openWindow(app, '/api-message-logs')
    await page.getByRole('button', { name: text('messages.status'), exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: text('states.message.queued') }).click()
    await page.getByRole('button', { name: `${text('messages.status')}: ${text('states.message.queued')}` }).waitFor()
    await page.locator('tbody tr', { hasText: 'Pesanan Anda siap.' }).waitFor()
  })

  test('a template that Meta refused is sent again, with its parts, to the number as corrected', async () => {
    const { app, peer } = await startOfficial({ overrides: { pages: PAGES } })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    peer.answerNext(metaError(131042))
    const { error } = (await sendTemplate(app, { reference_id: 'INV-7' })).body
    const page = await openWindow(app, `/api-message-logs?open=${error.message_id}`, PHONE)
    await page.getByRole('textbox', { name: text('messages.to') }).fill('0812-9011-4473')
    await page.getByRole('button', { name: text('messages.again'), exact: true }).click()
    await page.getByRole('dialog', { name: '+62 812-9011-4473' }).waitFor()
    const sent = peer.requests.filter(({ path }) => path.endsWith(`/${NUMBER_ID}/messages`)).at(-1)
    expect(sent?.body).toMatchObject({ to: '+6281290114473', template: { name: 'invoice' } })
  })

  test('a number is registered with its PIN, and a wrong one is said in the language of the window', async () => {
    const { app, code, peer } = await startOfficial({
      overrides: { pages: PAGES },
      prepare: ({ state }) => unregister(state),
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    await inState(app, code, 'offline', 'not_registered')
    peer.state.pin = '111111'
    const page = await openWindow(app, `/senders?open=${code}`, PHONE)
    const pin = page.getByRole('textbox', { name: textId('senders.official.pin') })
    await pin.fill('123456')
    await page.getByRole('button', { name: textId('senders.official.registerNow'), exact: true }).click()
    await page.getByText(textId('providerHints.pin_wrong')).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await pin.fill('111111')
    await page.getByRole('button', { name: textId('senders.official.registerNow'), exact: true }).click()
    await page.getByText(textId('senders.official.registered')).waitFor()
    await inState(app, code, 'connected')
  })

  test('the address of this PC is entered at Meta by one button, which says what is missing first', async () => {
    const { app, code, peer } = await startOfficial({
      overrides: { pages: PAGES, resolve: () => Promise.reject(new Error('no names in tests')) },
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    const page = await openWindow(app, `/senders?open=${code}`)
    const setUp = page.getByRole('button', { name: text('senders.official.setUp'), exact: true })
    await setUp.click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await app.owner('/api/settings', { method: 'PATCH', body: { public_webhook_url: 'https://shop.example' } })
    peer.state.tunnels.set('https://shop.example', new URL(app.app.webhookUrl()).origin)
    await setUp.click()
    await page.getByText(text('senders.official.setUpDone')).waitFor()
  })

  test('the month names what Meta bills, by type and category, at every width', async () => {
    const app = await startBilled()
    for (const t of [text, textId]) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language: t === text ? 'en' : 'id' } })
      const page = await openWindow(app, '/month', PHONE)
      await page.getByText(t('month.billed', { billable: 1, free: 0 })).waitFor()
      const table = page.getByRole('table', { name: t('month.prices') })
      for (const width of [390, 1024, 1366]) {
        await page.setViewportSize({ width, height: 800 })
        const cells = await table.getByRole('row').last().getByRole('cell').allInnerTexts()
        const type = width === PHONE.width ? [] : ['regular']
        expect(cells).toEqual([expect.any(String), 'utility', ...type, t('words.yes'), '1'])
      }
      const price = page.getByLabel(t('month.price', { category: 'utility' }))
      await page.getByText(t('month.noPrices')).waitFor()
      await price.fill('350')
      await page.getByRole('button', { name: t('actions.save') }).click()
      await page.getByText(t('month.about', { sum: '350' })).waitFor()
      await price.fill('')
      await page.getByRole('button', { name: t('actions.save') }).click()
      await page.getByText(t('month.noPrices')).waitFor()
      expect(await axeFindings(page)).toEqual([])
    }
  })

  test('a price that is typed while another is saved stays', async () => {
    const app = await startBilled()
    const page = await openWindow(app, '/month')
    const price = page.getByLabel(text('month.price', { category: 'utility' }))
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/pricing', async (route) => {
      await saving.promise
      await route.continue()
    })
    await price.fill('350')
    await page.keyboard.press('Enter')
    await price.fill('400')
    saving.resolve()
    await page.getByText(text('month.about', { sum: '350' })).waitFor()
    await page.getByText(text('actions.saved'), { exact: true }).waitFor()
    expect(await price.inputValue()).toBe('400')
    await page.keyboard.press('Enter')
    await page.getByText(text('month.about', { sum: '400' })).waitFor()
  })
})
