import { expect, it } from 'vitest'
import { sendTemplate, startOfficial } from '../support/official.ts'

it('works', async () => {
  const { app, code, meta, peer } = await startOfficial()
  const sent = await sendTemplate(app, { sender_code: code, parameters: ['a', 1] })
  console.log(sent.text)
  const wamid = sent.body.data.messageId
  console.log(await meta.status({ wamid, status: 'delivered' }))
  await app.reached(sent.body.data.id, 'delivered')
  console.log((await app.owner(`/messages/${sent.body.data.id}`)).text)
  console.log((await app.owner('/health')).text)
  console.log((await app.owner(`/api/senders/${code}`)).text)
  console.log((await app.owner(`/api/messages/export.csv`)).text)
  expect(peer.requests.length).toBeGreaterThan(1)
  await peer.close()
})
