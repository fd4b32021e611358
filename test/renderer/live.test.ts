import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConnectionLost } from '../../renderer/api/client.ts'
import { applyLive } from '../../renderer/api/live.ts'
import type { MessagePages } from '../../renderer/api/live-rows.ts'
import { matches } from '../../renderer/api/message-filters.ts'
import { queryClient } from '../../renderer/api/query-client.ts'
import { queryKeys, refresh } from '../../renderer/api/query-keys.ts'
import { messageRow } from './support/rows.ts'

/** A cache that holds something under each of the keys; says which are stale. */
function cacheOf(...keys: (readonly unknown[])[]) {
  const client = new QueryClient()
  for (const key of keys) client.setQueryData(key, key === undefined ? null : {})
  return { client, stale: () => keys.filter((key) => client.getQueryState(key)?.isInvalidated) }
}

describe('what is read again', () => {
  test('after a change of a webhook: all that shows callbacks, and nothing else', async () => {
    const touched = [
      queryKeys.webhooks,
      queryKeys.deliveryList({ state: 'dead' }),
      queryKeys.delivery('1'),
      queryKeys.message('1'),
      queryKeys.overview,
    ]
    const others = [queryKeys.settings, queryKeys.senders, queryKeys.apiKeys]
    const { client, stale } = cacheOf(...touched, ...others)
    await refresh(client, ['webhook'])
    expect(stale()).toEqual(touched)
  })

  test('after a message: its own detail, not that of another', () => {
    const { client, stale } = cacheOf(queryKeys.message('1'), queryKeys.message('2'), queryKeys.overview)
    applyLive(client, [{ type: 'message', data: messageRow({ id: '1' }) }])
    expect(stale()).toEqual([queryKeys.message('1'), queryKeys.overview])
  })

  test('a topic of the stream touches what shows it', () => {
    const { client, stale } = cacheOf(queryKeys.settings, queryKeys.senders, queryKeys.templatesOf('A'))
    applyLive(client, [{ type: 'sender', data: { sender_code: 'A' } }])
    expect(stale()).toEqual([queryKeys.senders, queryKeys.templatesOf('A')])
  })
})

test('a read that is under way goes to its end, and one more follows it, however much comes meanwhile', async () => {
  const client = new QueryClient()
  client.setQueryData(queryKeys.overview, 'old')
  const answers: PromiseWithResolvers<string>[] = []
  const observer = new QueryObserver(client, {
    queryKey: queryKeys.overview,
    queryFn: () => {
      const answer = Promise.withResolvers<string>()
      answers.push(answer)
      return answer.promise
    },
  })
  onTestFinished(observer.subscribe(() => undefined))
  const shown = () => client.getQueryData(queryKeys.overview)
  for (let n = 0; n < 5; n += 1) {
    applyLive(client, [{ type: 'sender', data: { sender_code: 'A' } }])
    await Promise.resolve()
  }
  expect(answers).toHaveLength(1)
  answers[0]?.resolve('older')
  await expect.poll(() => answers).toHaveLength(2)
  expect(shown()).toBe('older')
  answers[1]?.resolve('newer')
  await expect.poll(shown).toBe('newer')
  expect(answers).toHaveLength(2)
})

test('rows of a burst are put into every list that they fit, the last state of each', () => {
  const client = new QueryClient()
  const empty: MessagePages = {
    pages: [{ success: true, message: '', data: [], next_cursor: null }],
    pageParams: [undefined],
  }
  const all = queryKeys.messageList({})
  const failed = queryKeys.messageList({ status: 'failed' })
  client.setQueryData(all, empty)
  client.setQueryData(failed, empty)
  applyLive(client, [
    { type: 'message', data: messageRow({ id: '1', status: 'sending' }) },
    { type: 'message', data: messageRow({ id: '1', status: 'failed' }) },
    { type: 'message', data: messageRow({ id: '2', status: 'sent' }) },
  ])
  const ids = (key: readonly unknown[]) =>
    client.getQueryData<MessagePages>(key)?.pages.flatMap(({ data }) => data.map(({ id, status }) => `${id} ${status}`))
  expect(ids(all)).toEqual(['2 sent', '1 failed'])
  expect(ids(failed)).toEqual(['1 failed'])
})

test('an answer that was on its way hides no row that happened meanwhile', async () => {
  const client = new QueryClient()
  const all = queryKeys.messageList({})
  const old = Promise.withResolvers<MessagePages['pages'][number]>()
  const read = client.fetchInfiniteQuery({ queryKey: all, queryFn: () => old.promise, initialPageParam: undefined })
  applyLive(client, [{ type: 'message', data: messageRow({ id: '1', status: 'sent' }) }])
  old.resolve({ success: true, message: '', data: [messageRow({ id: '1', status: 'sending' })], next_cursor: null })
  await read
  const [row] = client.getQueryData<MessagePages>(all)?.pages[0]?.data ?? []
  expect(row?.status).toBe('sent')
})

describe('a row that just happened is in a list', () => {
  const row = messageRow({
    message: 'About the bicycle, INV',
    reference_id: 'INV-7',
    recipient: '6281290114473',
    created_at: '2026-11-21T08:00:00.000Z',
  })
  test.each([
    [{}, true],
    [{ status: 'sent,queued' }, true],
    [{ status: 'sent' }, false],
    [{ channel: 'template' as const }, false],
    [{ sender_code: 'SND-2' }, false],
    [{ recipient: '6281290114473' }, true],
    [{ reference_id: 'INV-7' }, true],
    [{ template_name: 'x' }, false],
    [{ from: '2026-11-21T08:00:00.000Z', to: '2026-11-21T08:00:00.001Z' }, true],
    [{ to: '2026-11-21T08:00:00.000Z' }, false],
    [{ q: 'bicy' }, true],
    [{ q: 'BICYCLE' }, true],
    [{ q: 'cycle' }, false],
    [{ q: 'abou bicycle' }, false],
    [{ q: 'about bicyc' }, true],
    [{ q: '9011' }, true],
    [{ q: '901' }, false],
    [{ q: '+62 812-9011-4473' }, true],
    [{ q: '812-9011-4473' }, true],
    [{ q: '0812-9011-4473' }, true],
    [{ q: '0813-9011-4473' }, false],
    [{ q: 'inv 7' }, true],
  ])('with %o: %s', (filters, expected) => {
    expect(matches(row, filters)).toBe(expected)
  })
})

test('a read is tried again while the server is away, never when it refused', () => {
  const { retry } = queryClient.getDefaultOptions().queries ?? {}
  if (typeof retry !== 'function') throw new Error('a rule is expected')
  expect(retry(0, new ConnectionLost())).toBe(true)
  expect(retry(3, new ConnectionLost())).toBe(false)
  expect(retry(0, new Error('refused'))).toBe(false)
})
