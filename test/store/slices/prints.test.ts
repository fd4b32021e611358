import { expect, test } from 'vitest'
import { createPrintStore } from '../../../server/slices/printer/store.ts'
import { NOW, openOwnStore } from '../../support/own-store.ts'

const PHONE = '6281234567890'
const bytes = (text: string) => Buffer.from(text)

test('prints do on both engines what they promise', async () => {
  const { store } = await openOwnStore()
  const { statements } = store
  const prints = createPrintStore(statements)
  const print = (id: string, at: number) => ({
    ...{ id, at, content: bytes('HP 0812'), digest: 'same', status: 'new' as const, reason: null },
  })
  const most = { prints: 2, bytes: 20 }
  for (const one of [print('p1', NOW), print('p2', NOW + 1)]) expect(await prints.add(one, most)).toBe('added')
  expect(await prints.add(print('p3', NOW + 2), most)).toBe('full')
  const outcome = { reason: null, error: null, title: 'Shop', phone: PHONE, reference: 'INV-1' }
  await prints.change('p1', { ...outcome, status: 'sent' })
  expect(await prints.add(print('p3', NOW + 2), most)).toBe('added')
  expect(await prints.add({ ...print('p4', NOW), content: bytes('x'.repeat(21)) }, most)).toBe('full')
  expect(await prints.get('p1')).toBeUndefined()
  const [second] = await prints.fresh(1)
  expect(second).toMatchObject({ id: 'p2', size: 7, title: '' })
  expect(await prints.get('p3')).toMatchObject({ content: bytes('HP 0812'), digest: 'same', phone: null })
  const third = await prints.get('p3')
  if (third === undefined) return
  expect([await prints.isCopy(third, NOW), await prints.isCopy(third, NOW + 2)]).toEqual([true, false])
  await prints.change('p3', { ...outcome, status: 'waiting', reason: 'copy', error: 'refused' })
  expect(await prints.waiting()).toEqual([{ reason: 'copy', count: 1, since: NOW + 2 }])
  expect((await prints.list({ before: undefined, limit: 9 })).map(({ id }) => id)).toEqual(['p3', 'p2'])
  expect(await prints.list({ before: undefined, limit: 9, status: 'waiting' })).toMatchObject([
    { id: 'p3', reason: 'copy', error: 'refused', title: 'Shop', phone: PHONE, reference: 'INV-1' },
  ])
  expect([await prints.remove('p3'), await prints.remove('p3')]).toEqual([true, false])
  expect(await prints.add(print('p5', NOW + 2), most)).toBe('added')
  await prints.change('p2', { ...outcome, status: 'waiting', reason: 'several_numbers' })
  await prints.change('p5', { ...outcome, status: 'waiting', reason: 'no_number' })
  // The one that is not clear stays.
  expect(await prints.add(print('p6', NOW + 2), most)).toBe('added')
  expect(await prints.add(print('p7', NOW + 2), most)).toBe('full')
  expect((await prints.list({ before: undefined, limit: 9 })).map(({ id }) => id)).toEqual(['p6', 'p2'])
  expect([await prints.expire(NOW + 1), await prints.expire(NOW + 2)]).toEqual([0, 1])
})
