import { expect, test } from 'vitest'
import { followStream, readEvent, StreamRefused } from '../../renderer/api/event-stream.ts'
import { startHttpServer } from '../support/http-server.ts'

test('an event is read with its type, id and lines of data; a comment has no data', () => {
  expect(readEvent('event: message\nid: 5.7\ndata: {"a":1}')).toEqual({ type: 'message', id: '5.7', data: '{"a":1}' })
  expect(readEvent('data: one\ndata: two')).toEqual({ type: 'message', id: undefined, data: 'one\ntwo' })
  expect(readEvent(': still here').data).toBe('')
})

test('a stream is followed from the last id to its end, also where its parts come cut anywhere', async () => {
  const asked: (string | undefined)[] = []
  const server = await startHttpServer((req, res) => {
    asked.push(req.headers['last-event-id']?.toString())
    for (const part of ['id: 1.1\n: conn', 'ected\n\nevent: sen', 'der\nid: 1.2\ndata: {"n":"é"}\n', '\n'])
      res.write(part)
    res.end()
  })
  const seen: string[] = []
  await followStream(
    `${server.url}/`,
    { lastId: '0.9', signal: new AbortController().signal },
    {
      open: () => seen.push('open'),
      event: ({ type, data }) => seen.push(`${type} ${data}`),
      id: (id) => seen.push(id),
    },
  )
  await server.close()
  expect(asked).toEqual(['0.9'])
  expect(seen).toEqual(['open', '1.1', '1.2', 'sender {"n":"é"}'])
})

test('a refusal is not taken for the end of a stream', async () => {
  const server = await startHttpServer((_req, res) => void res.writeHead(403).end('{}'))
  const none = { open: () => undefined, event: () => undefined, id: () => undefined }
  const following = followStream(`${server.url}/`, { lastId: undefined, signal: new AbortController().signal }, none)
  await expect(following).rejects.toBeInstanceOf(StreamRefused)
  await server.close()
})
