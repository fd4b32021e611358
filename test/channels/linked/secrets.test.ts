import { expect, test, vi } from 'vitest'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

test('no private key, number or text is printed or logged', async () => {
  const written: string[] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...args: unknown[]) => void written.push(args.map(String).join(' '))),
  )
  const world = await createWorld()
  // The library is made quiet on top of the spies.
  const { quietLibsignal } = await import('../../../server/channels/linked/libsignal-quiet.ts')
  quietLibsignal()
  const run = world.open()
  await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  const sent = await world.message('rahasia dagang')
  await run.send(sent)
  await recipient.next()
  // Twice, so that the phone sends new keys and libsignal closes the old session.
  recipient.askRetry(sent.providerMessageId)
  await recipient.next()
  recipient.askRetry(sent.providerMessageId)
  await recipient.next()
  await recipient.send('balasan')
  console.info('of somebody else')
  for (const spy of spies) spy.mockRestore()

  expect(written).toEqual(['of somebody else'])
  const log = world.printed.join('')
  expect(log).toContain('whatsapp library')
  for (const secret of ['rahasia', OWNER, RECIPIENT, 'privKey', 'private', 'ephemeralKeyPair']) {
    expect(log).not.toContain(secret)
  }
})
