import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { createStrangers } from '../../server/http/auth.ts'
import { createErrorHandler } from '../../server/http/server.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { closeAfter } from '../support/cleanup.ts'
import { startHttpServer } from '../support/http-server.ts'

async function start() {
  const lines: string[] = []
  const app = express()
  // Takes the socket from the request when nobody answers there.
  app.post('/passed-on', async (req) => void (await request('http://127.0.0.1:9', { method: 'POST', body: req })))
  app.post('/refused', (_req, res) => {
    res.locals.failure = () => {
      throw new Error('no words for it')
    }
    throw new Error('refused')
  })
  app.get('/begun', (_req, res) => {
    res.writeHead(200).write('half of it')
    throw new Error('in the middle')
  })
  app.get('/gone', (req) => {
    req.socket.destroy()
    throw new Error('nobody hears it')
  })
  app.use(createErrorHandler(createLogger('trace', { write: (line) => void lines.push(line) }), createStrangers()))
  const server = await startHttpServer(app)
  closeAfter('test', server.close)
  return { server, lines }
}

test.each(['/passed-on', '/refused'])(
  '%s: an error is answered in JSON, whatever is left of its request',
  async (path) => {
    const { server } = await start()
    const { statusCode, headers, body } = await request(server.url + path, { method: 'POST', body: '{}' })
    expect([statusCode, headers['content-type']]).toEqual([500, 'application/json; charset=utf-8'])
    expect(await body.json()).toMatchObject({ success: false, error: { code: 'internal_error' } })
  },
)

test.each(['/begun', '/gone'])(
  '%s: what cannot be answered any more ends with its connection, and the next is served',
  async (path) => {
    const { server, lines } = await start()
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    expect(await text(socket).catch(() => '')).not.toContain('Error')
    if (!socket.closed) await once(socket, 'close')
    expect(lines.join('')).toContain('unexpected error')
    expect((await request(`${server.url}/refused`, { method: 'POST' })).statusCode).toBe(500)
  },
)
