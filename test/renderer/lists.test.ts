import { describe, expect, test } from 'vitest'
import { createRowCounter } from '../../renderer/model/csv-rows.ts'
import { withDays } from '../../renderer/model/day-items.ts'
import { daysSummary, scaleOf } from '../../renderer/model/days.ts'
import { neighbours } from '../../renderer/model/neighbours.ts'
import { placeOf } from '../../renderer/model/place.ts'
import { takeSlots } from '../../renderer/model/slots.ts'

process.env.TZ = 'Asia/Jakarta'

describe('headings of days', () => {
  const shape = (times: string[], today = 'Sat Nov 21 2026') =>
    withDays(times, (at) => at, today).map((item) => (item.kind === 'day' ? 'day' : item.place))

  test('are above the first row of each day but today', () => {
    expect(
      shape(['2026-11-21T05:00:00Z', '2026-11-20T16:00:00Z', '2026-11-20T15:00:00Z', '2026-11-01T00:00:00Z']),
    ).toEqual([0, 'day', 1, 2, 'day', 3])
  })

  test('follow the days of this PC, not those of UTC', () => {
    expect(shape(['2026-11-20T18:00:00Z', '2026-11-20T16:59:00Z'])).toEqual([0, 'day', 1])
  })

  test('are above a list that begins on another day', () => {
    expect(shape(['2026-11-19T05:00:00Z'])).toEqual(['day', 0])
    expect(shape([])).toEqual([])
  })
})

test('rows that stay keep their elements, others get those of rows that left', () => {
  const first = takeSlots(new Map<string, number>(), ['a', 'b', 'c'])
  expect([...first]).toEqual(Object.entries({ a: 0, b: 1, c: 2 }))
  const second = takeSlots(first, ['b', 'c', 'd'])
  expect([...second]).toEqual(Object.entries({ b: 1, c: 2, d: 0 }))
  expect([...takeSlots(second, ['x', 'd', 'b', 'c', 'y'])]).toEqual(Object.entries({ x: 3, d: 0, b: 1, c: 2, y: 4 }))
  expect([...takeSlots(second, ['p', 'q', 'r'])]).toEqual(Object.entries({ p: 0, q: 1, r: 2 }))
})

test('the rows beside the open one', () => {
  const opened: string[] = []
  const { previous, next } = neighbours(['a', 'b', 'c'], 1, (row) => opened.push(row))
  previous?.()
  next?.()
  expect(opened).toEqual(['a', 'c'])
  expect(neighbours(['a'], 0, () => undefined)).toEqual({ previous: undefined, next: undefined })
  expect(
    neighbours(['a', 'b'], -1, () => undefined),
    'a row that is not in the list',
  ).toEqual({
    previous: undefined,
    next: undefined,
  })
})

test.each([
  ['/senders?open=A', '/senders?open=A&status=failed', true],
  ['/senders?open=A', 'http://127.0.0.1:7420/senders?open=A#x', true],
  ['/senders?open=A', '/senders', false],
  ['/senders?open=A', '/senders?open=B', false],
  ['/webhooks?delivery=1', '/webhooks?delivery=2', false],
  ['/welcome', '/welcome?step=key', false],
  ['/keys', '/senders', false],
])('going from %s to %s stays at the same place: %s', (from, to, same) => {
  expect(placeOf(from) === placeOf(to)).toBe(same)
})

describe('the days of the chart', () => {
  const day = (sent: number, read: number, failed: number) => ({
    day: '2026-11-21',
    sent,
    delivered: sent,
    read,
    failed,
  })

  test('together', () => {
    expect(daysSummary([day(10, 8, 1), day(30, 22, 2)])).toEqual({ sent: 40, readShare: 0.75, failed: 3 })
    expect(daysSummary([])).toEqual({ sent: 0, readShare: 0, failed: 0 })
    expect(daysSummary([day(1, 2, 0)]).readShare, 'read today, sent yesterday').toBe(1)
  })

  test('the highest bar is the largest day with its failures', () => {
    expect(scaleOf([day(10, 0, 5), day(12, 0, 0)])).toBe(15)
    expect(scaleOf([day(1, 0, 0)]), 'one message is no tower').toBe(4)
    expect(scaleOf([])).toBe(4)
  })
})

test('rows of a CSV are counted however it is cut; line breaks in cells are no rows', () => {
  const table = 'id,text\n1,"a\nb ""c"""\n2,d\n'
  for (let cut = 0; cut <= table.length; cut += 1) {
    const count = createRowCounter()
    count(Buffer.from(table.slice(0, cut)))
    expect(count(Buffer.from(table.slice(cut))), `cut at ${cut}`).toBe(2)
  }
  expect(createRowCounter()(new Uint8Array())).toBe(0)
})
