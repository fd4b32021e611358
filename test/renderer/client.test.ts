import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ConnectionLost, call, done, queryString, request, UnreadableAnswer } from '../../renderer/api/client.ts'
import { nameFrom } from '../../renderer/api/download.ts'
import { ApiError } from '../../server/contract/errors.ts'

/** A server that answers everything the same; returns its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json = (status: number, body: unknown) =>
  answering((_request, response) => response.writeHead(status).end(JSON.stringify(body)))

const number = z.object({ success: z.literal(true), message: z.string(), data: z.number() })

describe('a call', () => {
  test('gives what the schema says', async () => {
    const url = await json(200, { success: true, message: '', data: 7, more: 'dropped' })
    expect(await call(number, `${url}/x`)).toEqual({ success: true, message: '', data: 7 })
    expect(await call(done, `${url}/x`)).toMatchObject({ data: 7 })
  })

  test('gives no text that turns or hides what stands beside it', async () => {
    const name = 'faktur\u202efdp.exe\u0007\u2066'
    const data = { name, lines: 'a\nb', [name]: [name] }
    const url = await json(200, { success: true, message: name, data })
    const safe = 'fakturfdp.exe'
    expect(await call(done, url)).toEqual({
      ...{ success: true, message: safe },
      data: { name: safe, lines: 'a\nb', [safe]: [safe] },
    })
    const refused = await json(400, { success: false, message: name, error: { code: 'invalid_request' } })
    await expect(call(number, refused)).rejects.toMatchObject({ message: safe })
  })

  test('sends its body as JSON, and no content type without one', async () => {
    const seen: unknown[] = []
    const url = await answering((incoming, response) => {
      let body = ''
      incoming.on('data', (part) => {
        body += String(part)
      })
      incoming.on('end', () => {
        seen.push([incoming.method, incoming.headers['content-type'], body])
        response.end(JSON.stringify({ success: true, message: '', data: 1 }))
      })
    })
    await call(number, url, { method: 'POST', body: { a: 'é' } })
    await call(number, url)
    expect(seen).toEqual([
      ['POST', 'application/json', '{"a":"é"}'],
      ['GET', undefined, ''],
    ])
  })

  test('throws the error of the server with all that it says', async () => {
    const details = [{ field: 'name', code: 'empty', message: 'must not be empty' }]
    const url = await json(400, { success: false, message: 'No.', error: { code: 'invalid_request', details } })
    const error = await call(number, url).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'invalid_request', message: 'No.', status: 400, extras: { details } })
  })

  test.each([
    ['an answer of another version', 200, { success: true, message: '', data: 'seven' }],
    ['an answer without JSON', 200, undefined],
    ['an error of a proxy', 502, '<html>'],
    ['an error code that is not known', 400, { success: false, message: '', error: { code: 'new' } }],
  ])('%s cannot be read', async (_, status, body) => {
    const url = await json(status, body)
    await expect(call(number, url)).rejects.toBeInstanceOf(UnreadableAnswer)
  })

  test('a server that is not there is a lost connection', async () => {
    const url = await answering((incoming) => void incoming.socket.destroy())
    await expect(call(number, url)).rejects.toBeInstanceOf(ConnectionLost)
  })

  test('one that is given up is not taken for a lost connection', async () => {
    const url = await answering(() => undefined)
    const stop = new AbortController()
    const waiting = request(url, { signal: stop.signal })
    stop.abort()
    const error = await waiting.catch((thrown: unknown) => thrown)
    expect(error).not.toBeInstanceOf(ConnectionLost)
    expect(stop.signal.aborted).toBe(true)
  })
})

test('a query holds what is set, encoded', () => {
  expect(queryString({ a: undefined, b: '', c: 0, d: 'x y&z' })).toBe('?c=0&d=x+y%26z')
  expect(queryString({ a: undefined })).toBe('')
})

test.each([
  ['attachment; filename="messages.csv"', 'messages.csv'],
  ['attachment; filename=a.csv', 'a.csv'],
  ['inline', 'kurir'],
])('the name of a file in %s', (disposition, expected) => {
  expect(nameFrom(new Headers({ 'content-disposition': disposition }))).toBe(expected)
})
