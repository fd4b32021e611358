import { expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { describeWindow, openWindow, PAGES } from '../support/browser.ts'
import { metaError } from '../support/graph-peer/faults.ts'
import { NUMBER_ID, sendTemplate, startOfficial } from '../support/official.ts'

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

describeWindow('An official number', () => {
  test('a template is picked and filled, sent, and seen in API Message Logs with the ticks that Meta reports', async () => {
    const { peer, app, code, meta } = await startOfficial({
      overrides: { pages: PAGES },
      prepare: ({ state }) => {
        state.templates = MANY
      },
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    const page = await openWindow(app, '/try-it?kind=template')
    await page.getByRole('textbox', { name: 'To' }).fill(CUSTOMER)
    await page.getByRole('combobox', { name: 'Template' }).fill('zz_')
    await page.getByRole('option', { name: 'zz_invoice · id' }).click()
    await page.getByLabel('Variable of the header').fill('INV-7')
    await page.getByLabel('Variable 1').fill('Budi')
    await page.getByLabel('Variable 2').fill('Rp 125.000')
    await page.getByLabel('End of the address behind “Lihat faktur”').fill('inv-7')
    await page.getByText('Halo Budi, faktur sebesar Rp 125.000 sudah siap.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('link', { name: 'Open in the log' }).click()

    const drawer = page.getByRole('dialog')
    await drawer.getByText('Accepted').first().waitFor()
    const sent = peer.requests.find(({ path }) => path.endsWith(`/${NUMBER_ID}/messages`))
    expect(sent?.body).toMatchObject({ to: `+${CUSTOMER}`, template: { name: 'zz_invoice' } })
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^Accepted.*zz_invoice/ }).waitFor()
    const wamid = sent?.wamid ?? ''
    for (const [status, word] of [
      ['sent', 'Sent'],
      ['delivered', 'Delivered'],
      ['read', 'Read'],
    ] as const) {
      // Meta tells whole seconds, which may lie before the call.
      await meta.status({ wamid, status, at: Date.now() - 1_000 })
      await page.getByRole('link', { name: new RegExp(`^${word}.*zz_invoice`) }).waitFor()
    }
    await page.getByRole('link', { name: /^Read.*zz_invoice/ }).click()
    const history = await drawer.getByRole('list').filter({ hasText: 'Sending' }).getByRole('listitem').allInnerTexts()
    const words = history.map((line) => line.split('\n', 1)[0])
    expect((await app.owner<SenderView>(`/api/senders/${code}`)).body.data).toMatchObject({
      sent_today: 1,
      last_sent_at: expect.any(String),
    })
    expect(words).toEqual(['Sending', 'Attempt', 'Accepted', 'Sent', 'Delivered', 'Read'])
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
    const checks = page.getByRole('list', { name: 'Pemeriksaan' })
    await checks.getByText('Token akses berlaku.').waitFor()
    await checks.getByText('Belum ada template yang dapat dikirim.').waitFor()
    await checks.getByText('Buat template di WhatsApp Manager').waitFor()
    await checks.getByText('No template is approved.').waitFor()
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
})
