import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { forwardToHolder } from '../../server/cluster/forward.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { openTestStore } from '../support/engine.ts'
import { startHttpServer } from '../support/http-server.ts'
import { newHome } from '../support/new-home.ts'
import { startProvedServer } from '../support/proved-server.ts'

const INSTANCE = { id: 'the one that holds the sandbox', token: 'secret' }

/** A node that does not hold the sandbox, and the one that does; what each server is asked. */
async function start() {
  const home = await newHome()
  const store = await openTestStore({ home, now: systemClock.now })
  onTestFinished(async () => {
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  await store.senders.add({
    ...{ code: 'SND-SANDBOX', kind: 'sandbox', state: 'connected', official: null, createdAt: 0 },
    settings: {
      ...{ name: 'Sandbox', daily_cap: null, quiet_hours: null, country_code: null, second_road: null },
      pacing: { min_seconds: 0, max_seconds: 0 },
    },
  })
  const [held, elsewhere]: [string[], string[]] = [[], []]
  const server = async (asked: string[]) => {
    const started = await startProvedServer(INSTANCE, (req) => {
      asked.push(`${req.method} ${req.url}`)
      return {}
    })
    onTestFinished(started.close)
    return started
  }
  const [holder, other] = [await server(held), await server(elsewhere)]
  const forward = forwardToHolder({
    nodes: {
      holds: () => false,
      holderOf: async () => ({ url: holder.url, instance: INSTANCE.id }),
      refresh: async () => undefined,
    },
    senders: store.senders,
    isRunning: () => false,
    ownerToken: INSTANCE.token,
    readBody: buffer,
    clock: systemClock,
  })
  const app = express().all('/{*path}', async (req, res) => {
    Object.assign(req.params, { code: 'SND-SANDBOX' })
    expect(await forward(req, res, null)).toBe(true)
  })
  const node = await startHttpServer(app)
  onTestFinished(node.close)

  /** A request line as it is written, which clients would put in order first. */
  async function ask(line: string): Promise<string> {
    const socket = connect(node.port, '127.0.0.1')
    socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\nConnection: close\r\n\r\n`)
    const answer = await text(socket)
    if (!socket.closed) await once(socket, 'close')
    return answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
  }
  return { ask, held, elsewhere, other }
}

test('what is passed on goes to the node that holds the sender, whatever the request line says', async () => {
  const { ask, held, elsewhere, other } = await start()
  expect(await ask('GET /api/senders/SND-SANDBOX?x=1')).toBe('200')
  expect(await ask(`DELETE ${other.url}/api/senders/SND-SANDBOX`)).toBe('200')
  expect(await ask(`GET /api/senders/SND-SANDBOX/../../..//127.0.0.1:${other.port}/x`)).toBe('200')
  expect(elsewhere).toEqual([])
  expect(held).toEqual([
    'GET /api/senders/SND-SANDBOX?x=1',
    'DELETE /api/senders/SND-SANDBOX',
    `GET //127.0.0.1:${other.port}/x`,
  ])
})
