import { expect, test } from 'vitest'
import { findMarks, findNumber, findReference, learnRule } from '../../server/slices/printer/rules.ts'

const RECEIPT = [
  '          TOKO MELATI',
  '     Telp: 021-555-0123',
  'Nota : INV-1001   26-11-2026 10:24',
  'Kepada: Bu Sari HP: 0812-3456-7890   2',
  'Kopi   2 x 18.000   36.000',
]

/** The rule that is learnt by marking `text`. */
function learnt(lines: readonly string[], text: string) {
  const mark = findMarks(lines).find(({ line, from, to }) => lines[line]?.slice(from, to) === text)
  if (mark === undefined) throw new Error(`${text} cannot be marked`)
  return learnRule(lines, mark)
}

test('a rule is learnt from one print, and finds the value on others', () => {
  const rule = learnt(RECEIPT, '0812-3456-7890')
  expect(rule).toEqual({ label: 'HP', place: 'after' })
  expect(findNumber(rule, RECEIPT)).toEqual({ kind: 'found', value: '0812-3456-7890' })
  const other = ['Kepada: Pak Budi hp 0857 1234 5678', 'HPP 12.000']
  expect(findNumber(rule, other)).toEqual({ kind: 'found', value: '0857 1234 5678' })
  expect(findNumber(rule, ['HP Pelanggan tidak ada', 'Total 081234567890'])).toEqual({ kind: 'none' })

  const reference = learnt(RECEIPT, 'INV-1001')
  expect(reference).toEqual({ label: 'Nota', place: 'after' })
  expect(findReference(reference, ['NOTA: INV-2002, lunas'])).toBe('INV-2002')
  expect(findReference(reference, ['Nota: -'])).toBeNull()
})

test('of two numbers none is taken; the same one twice is one', () => {
  const rule = { label: 'HP', place: 'after' } as const
  expect(findNumber(rule, ['HP: 081234567890', 'HP: 081234567891'])).toEqual({ kind: 'several' })
  expect(findNumber(rule, ['HP: 081234567890', 'HP: 0812-3456-7890'])).toMatchObject({ kind: 'found' })
})

test.each([
  ['HP:081234567890', '081234567890'],
  ['HP : +62 812-3456-7890', '+62 812-3456-7890'],
  ['HP: +62 81234567890 2', '+62 81234567890'],
  ['HP. (0812) 3456 7890', '(0812) 3456 7890'],
  // The quantity behind it is no part of the number, and neither is the date.
  ['HP: 081234567890 2', '081234567890'],
  ['HP: 0812-3456-7890 26-11-2026', '0812-3456-7890'],
  ['HP: 0812 3456 7890  12', '0812 3456 7890'],
])('%s', (line, value) => {
  expect(findNumber({ label: 'HP', place: 'after' }, [line])).toEqual({ kind: 'found', value })
})

test.each(['HP: 0812****7890', 'HP: 08123456xxxx', 'HP: tidak ada', 'XHP: 081234567890', 'HP', 'HP:'])(
  '%s names no number',
  (line) => {
    expect(findNumber({ label: 'HP', place: 'after' }, [line])).toEqual({ kind: 'none' })
  },
)

test('a number below its words, or alone in its line', () => {
  const below = ['No. WhatsApp:', '0812-3456-7890', 'Total 5']
  expect(learnt(below, '0812-3456-7890')).toEqual({ label: 'No. WhatsApp', place: 'below' })
  expect(findNumber({ label: 'No. WhatsApp', place: 'below' }, ['no.  whatsapp', '', '0857'])).toMatchObject({
    value: '0857',
  })
  const alone = ['Toko Melati, Jl. Mawar 5', '0812-3456-7890', '12']
  expect(learnt(alone, '0812-3456-7890')).toEqual({ label: '', place: 'alone' })
  expect(findNumber({ label: '', place: 'alone' }, alone)).toEqual({ kind: 'found', value: '0812-3456-7890' })
})

test('what can be marked, without the words before a colon', () => {
  const marked = findMarks(['HP:0812-3456-7890 Nota:A-12. 10:24 kopi']).map(({ from, to }) => [from, to])
  expect(marked.map(([from, to]) => 'HP:0812-3456-7890 Nota:A-12. 10:24 kopi'.slice(from, to))).toEqual([
    ...['0812-3456-7890', 'A-12', '10:24'],
  ])
})

test('a line of any letters takes a time that grows with it', () => {
  for (const text of [
    '0 '.repeat(5_000),
    '('.repeat(10_000),
    'HP '.repeat(5_000),
    '+'.repeat(9_000),
    '0-'.repeat(5_000),
  ])
    expect(
      findMarks([text]).length + findNumber({ label: 'HP HP HP', place: 'after' }, [text]).kind.length,
    ).toBeGreaterThan(0)
})
