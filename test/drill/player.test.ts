import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startHttpServer } from '../support/http-server.ts'
import { createDrillClock, createPlayer } from './player.ts'

test('a process that did not run for a while reads its sockets before time moves on', async () => {
  let calls = 0
  const server = await startHttpServer((_req, res) => {
    calls += 1
    res.end()
  })
  onTestFinished(server.close)
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const { quiet } = createPlayer(createDrillClock(0), () => calls)
  const isQuiet = quiet()
  socket.write('GET / HTTP/1.1\r\nHost: shop\r\n\r\n')
  for (const until = performance.now() + 200; performance.now() < until; );
  await isQuiet
  expect(calls).toBe(1)
})
