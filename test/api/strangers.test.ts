import { setMaxListeners } from 'node:events'
import { expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'

const WRONG = { authorization: 'Bearer kurir_d_wrong' }

test.each([
  ['its health', '/health', {}],
  ['the window', '/', {}],
  ['something that is not there', '/nothing', {}],
  ['messages with a wrong key', '/messages', WRONG],
])('a call with a key does not wait for 600 strangers who ask for %s', async (_what, path, headers) => {
  const app = await startApp()
  const till = await app.key({ sender: SANDBOX })
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  let answered = 0
  const strangers = Array.from({ length: 600 }, async () => {
    const answer = await fetch(app.url + path, { headers, signal: stop.signal })
    answered += 1
    await answer.text()
  })
  expect((await app.call(till, '/send', { phone: '6281234567890', message: 'Hi' })).status).toBe(200)
  expect(answered).toBeLessThan(600)
  stop.abort()
  await Promise.allSettled(strangers)
})

test('a list that a program asks for is no page of the window', async () => {
  const app = await startApp()
  const till = await app.key({ sender: SANDBOX })
  const page = () => fetch(`${app.url}/?token=old`).then((answer) => answer.text())
  // The first list starts the thread that reads it.
  await app.call(till, '/messages')
  const first = async () => {
    await Promise.all(Array.from({ length: 300 }, page))
    return Promise.race([page().then(() => 'page'), app.call(till, '/messages').then(() => 'list')])
  }
  // Once is proof: a busy machine may read the list for longer than the page waits.
  const seen: string[] = []
  while (!seen.includes('list') && seen.length < 20) seen.push(await first())
  expect(seen).toContain('list')
})
