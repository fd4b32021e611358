import { describe, expect, expectTypeOf, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { en } from '../../server/words/en/index.ts'
import { id } from '../../server/words/id/index.ts'
import { WORDS } from '../../server/words/index.ts'
import { say, sayWith, type ValuesOf } from '../../server/words/say.ts'
import type { Translated } from '../../server/words/text.ts'

/** Every text by its code. */
const textsOf = (tree: object, prefix = ''): [code: string, text: string][] =>
  Object.entries(tree).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? textsOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(value)] as [string, string]],
  )

describe('a text', () => {
  test('is filled in, with numbers as the language writes them', () => {
    expect(say(en, 'alarms.figures', { sent: 6623, failed: 1, waiting: 0 })).toBe(
      'Today 6,623 sent, 1 failed, 0 waiting.',
    )
    expect(say(id, 'alarms.figures', { sent: 6623, failed: 1, waiting: 0 })).toMatch(/^Hari ini 6\.623 /)
  })

  test('chooses by number where the language does', () => {
    expect(say(en, 'concernParts.waiting', { waiting: 1 })).toBe('1 message is waiting.')
    expect(say(en, 'concernParts.waiting', { waiting: 2 })).toBe('2 messages are waiting.')
  })

  test('leaves out what is not known', () => {
    expect(say(en, 'concerns.temporarily_banned.title', { name: 'Budi', until: null })).toBe(
      'WhatsApp has blocked Budi.',
    )
  })

  test('does not read what is filled in', () => {
    expect(sayWith(en, 'fields.other', { reason: '{name} [x]' })).toBe('{name} [x]')
  })
})

test('the values of a text are known to the compiler', () => {
  type Required = { at: string | number }
  expectTypeOf<ValuesOf<'findings.token_until'>>().toExtend<Required>()
  expectTypeOf<Required>().toExtend<ValuesOf<'findings.token_until'>>()
  expectTypeOf<object>().not.toExtend<ValuesOf<'findings.token_until'>>()
  expectTypeOf<{ failed: string }>().not.toExtend<ValuesOf<'concernParts.failed'>>()
  expectTypeOf<{ name: string; until: null }>().toExtend<ValuesOf<'concerns.temporarily_banned.title'>>()
  expectTypeOf<'findings.token_untill'>().not.toExtend<Parameters<typeof say>[1]>()
})

test('a language without a text, with another value, or with a text of its own does not compile', () => {
  interface English {
    readonly ends: 'ends {at}'
    readonly count: '{count} {count:message|messages}[ of {name}]'
  }
  type Fits<Other> = Other extends Translated<English, Other> ? true : false
  const count = '{count} pesan[ dari {name}]'
  expectTypeOf<Fits<{ ends: 'berakhir {at}'; count: typeof count }>>().toEqualTypeOf<true>()
  expectTypeOf<Fits<{ ends: 'berakhir {at}' }>>().toEqualTypeOf<false>()
  expectTypeOf<Fits<{ ends: 'berakhir'; count: typeof count }>>().toEqualTypeOf<false>()
  expectTypeOf<Fits<{ ends: 'berakhir {on}'; count: typeof count }>>().toEqualTypeOf<false>()
  expectTypeOf<Fits<{ ends: 'berakhir {at}'; count: '{count} pesan dari {name}' }>>().toEqualTypeOf<false>()
  expectTypeOf<Fits<{ ends: 'berakhir {at}'; count: typeof count; more: 'lagi' }>>().toEqualTypeOf<false>()
})

test.each(LANGUAGES)('texts in %s have no slips of the pen', (language) => {
  for (const [code, text] of textsOf(WORDS[language])) {
    expect(text.trim(), code).toBe(text)
    expect(text, code).not.toMatch(/ {2}|\.\.\.|\{\{|\{\s|\s\}/)
    const bare = text.replaceAll(/\{\w+(:[^|{}]*\|[^{}]*)?\}/g, '').replaceAll(/\[[^[\]]*\]/g, '')
    expect(bare, code).not.toMatch(/[{}[\]|]/)
  }
})

test('no sentence is English in Indonesian', () => {
  const indonesian = new Map(textsOf(id))
  const same = textsOf(en).filter(([code, text]) => text.includes(' ') && indonesian.get(code) === text)
  // Names at Meta.
  expect(same.map(([code]) => code)).toEqual(['actNames.app_secret', 'actNames.verify_token', 'checks.app_secret'])
})
