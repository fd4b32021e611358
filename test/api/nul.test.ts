import { expect, it, test } from 'vitest'
import type { MessageDetail } from '../../server/contract/messages.ts'
import { withoutNul } from '../../server/lib/json.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { metaError } from '../support/graph-peer/faults.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { applied, sendTemplate, startOfficial } from '../support/official.ts'

// U+0000 fills up the texts of programs whose fields have a fixed length. No phone shows it, and PostgreSQL does not hold it.
const NUL = '\0\0'

test.each([
  [{ [`na${NUL}me`]: [`Bu${NUL}di`, 1] }, { name: ['Budi', 1] }],
  ['the escape itself: \\u0000', 'the escape itself: \\u0000'],
  [`behind backslashes: \\\\${NUL}"`, 'behind backslashes: \\\\"'],
  ['\u0001 and 👍', '\u0001 and 👍'],
])('is taken out of JSON, and nothing else is: %j', (given, expected) => {
  expect(JSON.parse(withoutNul(JSON.stringify(given)))).toEqual(expected)
})

it('is in no message that was posted, and in no question for it', async () => {
  const app = await startApp()
  const post = (message: string) =>
    app.owner<{ id: string; metadata: object }>('/send', {
      body: {
        ...{ phone: `6281234567890${NUL}`, message, sender_code: SANDBOX, reference_id: `INV-1${NUL}` },
        ...{ metadata: { [`till${NUL}`]: `a${NUL}b` }, [`refrence${NUL}`]: 1 },
      },
      headers: { 'idempotency-key': 'k' },
    })
  const answer = await post(`Halo${NUL} Budi`)
  expect(answer.body.data).toMatchObject({ metadata: { till: 'ab', reference_id: 'INV-1' } })
  expect(answer.headers['x-unknown-members']).toBe('refrence')
  expect((await post(`Halo${NUL} Budi`)).body.data).toEqual(answer.body.data)
  const found = await app.owner<MessageDetail[]>('/messages?reference_id=INV-1%00%00')
  expect(found.body.data).toMatchObject([{ id: answer.body.data.id, recipient: '6281234567890' }])
  const { body } = await app.owner<MessageDetail>(`/messages/${answer.body.data.id}`)
  expect(body.data).toMatchObject({
    ...{ message: 'Halo Budi', reference_id: 'INV-1', metadata: { till: 'ab' }, unknown_members: ['refrence'] },
  })
  expect(await app.owner('/send', { body: { phone: '6281234567890', message: NUL } })).toMatchObject({
    ...{ status: 400, body: { error: { code: 'invalid_request' } } },
  })
})

it('is in nothing that a form brings', async () => {
  const app = await startApp()
  const key = await app.key({ sender: SANDBOX })
  const form = new FormData()
  form.set('phone', '6281234567890')
  form.set('message', `Halo${NUL}`)
  form.set('metadata', JSON.stringify({ till: NUL }))
  const answer = await fetch(`${app.url}/send`, {
    ...{ method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } },
  })
  expect(answer.status).toBe(200)
  const list = await app.owner<MessageDetail[]>('/messages')
  expect(list.body.data).toMatchObject([{ message: 'Halo', metadata: { till: '' } }])
})

it('is in no name that the owner gives', async () => {
  const app = await startApp()
  const key = await app.owner('/api/keys', { body: { kind: 'global', name: `till${NUL}` } })
  expect(key.body.data).toMatchObject({ name: 'till' })
  const sender = await app.owner('/api/senders', { body: { kind: 'sandbox', name: `Toko${NUL}` } })
  expect(sender.body.data).toMatchObject({ name: 'Toko' })
})

it('is neither given to Meta nor taken from it', async () => {
  const { app, peer, meta } = await startOfficial({
    prepare: ({ state }) => void state.templates.push(textTemplate('greeting', 'id', 'Halo {{1}}.')),
  })
  const greeting = { template_name: 'greeting', parameters: [`Budi${NUL}`] }
  const sent = await sendTemplate(app, greeting)
  expect(sent.status, sent.text).toBe(200)
  const [request] = peer.requests.filter(({ route }) => route === 'messages')
  expect(JSON.stringify(request?.body)).toContain('"Budi"')

  const { providerMessageId } = await app.message(sent.body.data.id)
  const error = { code: 131026, title: `Un${NUL}deliverable`, message: `Un${NUL}deliverable` }
  await meta.status({ wamid: providerMessageId ?? '', status: 'failed', errors: [error] })
  await applied(app)
  expect((await app.message(sent.body.data.id)).error?.message).toContain('Undeliverable')

  peer.answerNext(metaError(131026, { details: `Not ${NUL}there` }))
  const refused = await sendTemplate(app, greeting)
  expect(refused.body.error.provider).toMatchObject({ details: 'Not there' })
})
