import { expect, test } from 'vitest'
import { createSavedTextStore } from '../../../server/slices/texts/store.ts'
import { NOW, openOwnStore } from '../../support/own-store.ts'

test('saved texts do on both engines what they promise', async () => {
  const { store } = await openOwnStore()
  const { statements } = store
  const texts = createSavedTextStore(statements)
  const [one, two] = ['one', 'two'].map((name) => ({ id: name, name, text: `Text ${name}`, changedAt: NOW }))
  if (one === undefined || two === undefined) return
  expect([await texts.add(one, 2), await texts.add({ ...two, name: 'one' }, 2)]).toEqual(['added', 'taken'])
  expect([await texts.add(two, 2), await texts.add({ ...two, id: 'three', name: 'three' }, 2)]).toEqual([
    ...['added', 'full'],
  ])
  expect(await texts.change('two', { name: 'one', changedAt: NOW + 1 })).toBe('taken')
  expect(await texts.change('four', { name: 'four', changedAt: NOW + 1 })).toBe('unknown')
  expect(await texts.change('two', { text: 'Another', changedAt: NOW + 1 })).toEqual({
    ...{ ...two, text: 'Another', changedAt: NOW + 1 },
  })
  expect([await texts.remove('one'), await texts.remove('one')]).toEqual([true, false])
  expect(await texts.list()).toEqual([{ ...two, text: 'Another', changedAt: NOW + 1 }])
})
