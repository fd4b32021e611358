import { expect, test } from 'vitest'
import { urlEncodedPairs } from '../../server/lib/url-encoded.ts'

const pairsOf = (text: string) =>
  urlEncodedPairs(Buffer.from(text), Number.POSITIVE_INFINITY).map(([name, value]) => [name, value.toString()])

test('forms are read as browsers read them', () => {
  const letters = 'ab=&%+2fF '
  let seed = 7
  const random = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % n
  }
  for (let n = 0; n < 20_000; n += 1) {
    const text = Array.from({ length: random(12) }, () => letters[random(letters.length)]).join('')
    expect(pairsOf(text), text).toEqual([...new URLSearchParams(text)])
  }
})

// Each name would be looked at as often as there are names.
test('two megabytes of separators are read once', () => {
  expect(pairsOf('&'.repeat(2 * 1024 * 1024))).toEqual([])
})
