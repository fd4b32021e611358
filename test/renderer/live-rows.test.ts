import { describe, expect, test } from 'vitest'
import { type MessagePages, withRows } from '../../renderer/api/live-rows.ts'
import type { MessageRow } from '../../server/contract/messages.ts'
import { messageRow } from './support/rows.ts'

const row = (id: string, more: Partial<MessageRow> = {}) => messageRow({ id, ...more })

const pages = (...lists: string[][]): MessagePages => ({
  pages: lists.map((ids, index) => ({
    success: true,
    message: '',
    data: ids.map((id) => row(id)),
    next_cursor: index === lists.length - 1 ? 'more' : 'next',
  })),
  pageParams: lists.map(() => undefined),
})

const ids = (result: MessagePages) => result.pages.map((page) => page.data.map(({ id }) => id).join(''))

describe('what happens finds its place in the pages that are shown', () => {
  test.each([
    ['a new message comes first', row('9'), {}, ['987', '54']],
    ['a known one stays where it is', row('5', { status: 'sent' }), {}, ['87', '54']],
    ['one that fits now goes between its neighbours', row('6'), {}, ['87', '654']],
    ['one older than what is loaded is left for later', row('1'), {}, ['87', '54']],
    ['one that no longer fits leaves', row('8', { status: 'sent' }), { status: 'queued' }, ['7', '54']],
    ['one of another sender stays out', row('9', { sender_code: 'SND-2' }), { sender_code: 'SND-1' }, ['87', '54']],
    ['one that lacks a searched word stays out', row('9'), { q: 'halo bicycle' }, ['87', '54']],
  ])('%s', (_, changed, filters, expected) => {
    expect(ids(withRows(pages(['8', '7'], ['5', '4']), [changed], filters))).toEqual(expected)
  })

  test('the first message of all fills an empty list', () => {
    const empty: MessagePages = {
      pages: [{ success: true, message: '', data: [], next_cursor: null }],
      pageParams: [undefined],
    }
    expect(ids(withRows(empty, [row('1')], {}))).toEqual(['1'])
  })
})
