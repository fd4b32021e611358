import { once } from 'node:events'
import { deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import '../../../server/connections/linked/index.ts'
import { decodeBinaryNode, initAuthCreds } from 'baileys'
import {
  FRAMES_IN_ONE_GO,
  MOST_FRAME_BYTES,
  MOST_GREETING_BYTES,
} from '../../../server/connections/linked/library/bounds.ts'
import { createLibraryLogger, makeSocket } from '../../../server/connections/linked/library/library-socket.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld, OWNER } from './world.ts'

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

test.each([null, '-1e99'])('a welcome by a LID that is none (%s) takes nothing from the number', async (welcomeAs) => {
  const world = await createWorld()
  world.peer.faults.welcomeAs = welcomeAs
  const run = world.open()
  await run.link({ method: 'qr' }, world.peer.phone(OWNER, { kind: 'migrated' }))
  expect(await run.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages).toHaveLength(1)
})

test('what comes in a burst is read in portions', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const sock = socketTo((server.address() as { port: number }).port, () => undefined)
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  await once(socket, 'open')
  const paused = Array.from({ length: FRAMES_IN_ONE_GO }, () => {
    sock.ws.emit('message', Buffer.alloc(0))
    return socket.isPaused
  })
  expect(paused.indexOf(true)).toBe(FRAMES_IN_ONE_GO - 1)
  await eventually(() => !socket.isPaused)
  await sock.end(undefined)
})

test('others have their turn while customers with new keys are looked at', async () => {
  const world = await createWorld()
  let [looks, inTurn, most] = [0, 0, 0]
  const sessions: typeof world.store.sessions = {
    ...world.store.sessions,
    getKey(senderId, type, id) {
      if (type === 'session') {
        looks += 1
        inTurn += 1
        most = Math.max(most, inTurn)
        setImmediate(() => {
          inTurn = 0
        })
      }
      return world.store.sessions.getKey(senderId, type, id)
    },
  }
  const phone = await world.open({ sessions }).link()
  looks = 0
  const content = [{ tag: 'identity', attrs: {} }]
  for (let n = 0; n < 200; n += 1) {
    const from = `${628_000_000_000 + n}@s.whatsapp.net`
    phone.post({ tag: 'notification', attrs: { from, type: 'encrypt' }, content })
  }
  await eventually(() => looks >= 200)
  expect(most).toBeLessThan(20)
})
