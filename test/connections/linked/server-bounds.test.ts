import { once } from 'node:events'
import { deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import '../../../server/connections/linked/index.ts'
import { decodeBinaryNode, initAuthCreds } from 'baileys'
import { MOST_FRAME_BYTES, MOST_GREETING_BYTES } from '../../../server/connections/linked/library/bounds.ts'
import { createLibraryLogger, makeSocket } from '../../../server/connections/linked/library/library-socket.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createWorld } from './world.ts'

const COMPRESSED = Buffer.from([2])

function socketTo(port: number, onRejection: (error: unknown) => void) {
  const keys = { get: async () => ({}), set: async () => undefined }
  return makeSocket(
    {
      auth: { creds: initAuthCreds(), keys },
      waWebSocketUrl: `ws://127.0.0.1:${port}/ws/chat`,
      logger: createLibraryLogger(createLogger('silent')),
    },
    onRejection,
  )
}

test('a stanza that inflates to more than a frame has is refused', async () => {
  const bomb = Buffer.concat([COMPRESSED, deflateSync(Buffer.alloc(MOST_FRAME_BYTES + 1))])
  await expect(decodeBinaryNode(bomb)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' })
})

test('before WhatsApp has proved who it is, its frames are short', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const refused = Promise.withResolvers<unknown>()
  const { port } = server.address() as { port: number }
  const sock = socketTo(port, refused.resolve)
  let frames = 0
  sock.ws.on('frame', () => {
    frames += 1
  })
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  socket.send(Buffer.alloc(MOST_GREETING_BYTES + 1))
  expect(await refused.promise).toMatchObject({ message: expect.stringContaining('more than 65536') })
  expect(frames).toBe(0)
  await sock.end(undefined)
})

test('the library keeps no message in memory, for a customer’s may take fifty megabytes', async () => {
  const { messageRetryManager, end } = socketTo(9, () => undefined)
  const at = ['6281234567890@s.whatsapp.net', 'A'] as const
  messageRetryManager?.addRecentMessage(...at, { conversation: 'halo' })
  expect(messageRetryManager?.getRecentMessage(...at)).toBeUndefined()
  await end(undefined)
})

test('a second welcome in one connection changes nothing', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  const asked = () => world.peer.journal.queries.get('encrypt count')
  const before = asked()
  phone.welcomeAgain({ lid: '199999999999999@lid' })
  expect(await run.send(await world.message('masih ada'))).toEqual({ kind: 'acknowledged' })
  expect(asked(), 'the library did not begin again').toBe(before)
})
