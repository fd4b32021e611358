import { expect, it } from 'vitest'
import { MEANINGS } from '../../../server/connections/official/graph/errors.ts'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { inState, sendTemplate, startOfficial } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'

// Expected errors of the API, apart from the table that is tested.
const CLASSES: [codes: number[], status: number, code: string][] = [
  [[0, 190, 3, 10, 200, 299, 131005], 502, 'provider_auth_failed'],
  [[4, 80007, 130429, 131056], 429, 'provider_rate_limited'],
  [[1, 2, 131000, 131016, 131057, 133004], 502, 'provider_unavailable'],
  [
    [100, 131008, 131026, 131047, 131049, 132000, 132001, 132015, 368, 130472, 133010, 999999],
    422,
    'provider_rejected',
  ],
]

it('names every code of Meta in the answer, the log and the callback, and the token in none of them', async () => {
  const { app, peer } = await startOfficial()
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.failed'] } })
  const codes = [...new Set([...MEANINGS.keys(), ...CLASSES.flatMap(([listed]) => listed)])]
  const texts: string[] = []
  for (const [i, metaCode] of codes.entries()) {
    const details = `Because of ${metaCode}; the token was ${peer.token}.`
    peer.answerNext(metaError(metaCode, { details, errorDataAsString: i % 2 === 1, userTitle: 'A title' }))
    const answer = await sendTemplate(app, { phone: `62812345${10000 + i}`, reference_id: `R-${metaCode}` })
    const [, status, code] = CLASSES.find(([listed]) => listed.includes(metaCode)) ?? []
    if (status !== undefined)
      expect([metaCode, answer.status, answer.body.error.code]).toEqual([metaCode, status, code])
    const { error } = answer.body
    expect(error.provider).toMatchObject({
      code: metaCode,
      title: 'A title',
      details: `Because of ${metaCode}; the token was [token].`,
      fbtrace_id: expect.any(String),
      http_status: expect.any(Number),
    })
    expect(error.retry_after !== undefined).toBe(error.code === 'provider_rate_limited')

    const entry = await app.owner<MessageDetail>(`/messages/${error.message_id}`)
    expect(entry.body.data).toMatchObject({
      status: 'failed',
      reference_id: `R-${metaCode}`,
      error: { code: error.code, provider_code: String(metaCode), hint: expect.stringMatching(/\w/) },
      provider: { http_status: error.provider?.http_status, answer: { error: { code: metaCode } } },
      attempt_log: [{ outcome: 'refused' }],
    })
    const callback = await receiver.event('message.failed', error.message_id)
    expect(callback.event.data).toMatchObject({
      reference_id: `R-${metaCode}`,
      status: 'failed',
      error: entry.body.data.error,
    })
    texts.push(answer.text, entry.text, callback.text)
  }
  expect(peer.requests.filter(({ route }) => route === 'messages')).toHaveLength(codes.length)
  expect(texts.join('')).not.toContain(peer.token)
  expect(app.logs()).not.toContain(peer.token)
})

it('shows the sender as offline while Meta refuses its token, and as connected when it is let in again', async () => {
  const { app, peer, code } = await startOfficial()
  const state = async () => (await app.owner<{ state: string; reason: string }>(`/api/senders/${code}`)).body.data
  peer.answerNext(metaError(190))
  await sendTemplate(app)
  await inState(app, code, 'offline')
  expect(await state()).toMatchObject({ state: 'offline', reason: 'token_refused' })
  expect((await sendTemplate(app)).status).toBe(200)
  await inState(app, code, 'connected')
  expect(await state()).toMatchObject({ state: 'connected', reason: null })
})
