import { expect, test } from 'vitest'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

test('no private key, number or text gets into the log', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  const sent = await world.message('rahasia dagang')
  await run.send(sent)
  await recipient.next()
  // Twice, so that the phone sends new keys and the old session is closed.
  recipient.askRetry(sent.providerMessageId)
  await recipient.next()
  recipient.askRetry(sent.providerMessageId)
  await recipient.next()
  await recipient.send('balasan')
  await run.linked.unlink()

  const log = world.printed.join('')
  expect(log).toContain('whatsapp library')
  for (const secret of ['rahasia', 'balasan', OWNER, RECIPIENT, 'privKey', 'private', 'keyPair']) {
    expect(log).not.toContain(secret)
  }
})
