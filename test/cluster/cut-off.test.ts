import { expect, onTestFinished, test } from 'vitest'
import { startCutWire } from '../support/cut-wire.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { accepted, judgeMessages, post, startNode } from './node-alone.ts'

// Without a watch over the connections a caller waits for 50 s: that fails here.
test('a node that is cut from the database answers within seconds, and says what it does not know', {
  timeout: 45_000,
}, async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const wire = await startCutWire(Number(new URL(databaseUrl).port))
  onTestFinished(wire.close)
  const url = new URL(databaseUrl)
  url.port = String(wire.port)
  const node = await startNode(url.href)
  await accepted(node, 'before')

  wire.cutAfter('committed unheard', 'COMMIT')
  const inDoubt = await post(node, 'committed unheard')
  expect(inDoubt).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
  expect(inDoubt.body.message).toMatch(/does not say whether it is written.*It may be accepted: repeat it/)
  const refused = await Promise.all(['cut off', 'cut off too'].map((text) => post(node, text)))
  for (const { status, body } of refused) {
    expect(status).toBe(503)
    expect(body.message).toMatch(/does not answer.*Nothing was accepted/)
  }

  wire.join()
  for (const text of ['committed unheard', 'after']) await accepted(node, text)
  await judgeMessages(node, databaseUrl, ['before', 'committed unheard', 'after'])
})
