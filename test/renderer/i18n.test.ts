import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import i18next from 'i18next'
import { describe, expect, test } from 'vitest'
import { LANGUAGE_INFO, numbers, OPTIONS } from '../../renderer/i18n/resources.ts'
import { isLanguage, TEXTS } from '../../renderer/i18n/texts.ts'
import { LANGUAGES, LOCALES } from '../../server/contract/settings.ts'
import { en } from '../../server/words/en/index.ts'
import { id } from '../../server/words/id/index.ts'
import { RESOURCES, text } from '../support/texts.ts'

const ROOT = join(import.meta.dirname, '../../renderer')
const PLURAL = /_(zero|one|two|few|many|other)$/

/** Every text by its key, such as `home.issue.paused_one`. */
function textsOf(tree: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? [...textsOf(value, `${prefix}${name}.`)]
        : [[`${prefix}${name}`, String(value)] as const],
    ),
  )
}

const texts = Object.fromEntries(
  await Promise.all(LANGUAGES.map(async (language) => [language, textsOf((await TEXTS[language]()).texts)])),
) as Record<(typeof LANGUAGES)[number], Map<string, string>>

const baseOf = (key: string) => key.replace(PLURAL, '')
const bases = (language: (typeof LANGUAGES)[number]) => [...new Set([...texts[language].keys()].map(baseOf))].sort()
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{\{(.+?)\}\}/g)].map((match) => match[1]))].sort()

describe.each(LANGUAGES)('the texts in %s', (language) => {
  test('have the keys of English, none more and none less', () => {
    expect(bases(language)).toEqual(bases('en'))
  })

  test('have the plural forms of the language', () => {
    const forms = new Intl.PluralRules(LOCALES[language]).resolvedOptions().pluralCategories
    const plural = [...texts[language].keys()].filter((key) => /_other$/.test(key)).map(baseOf)
    const missing = plural.flatMap((base) =>
      forms.map((form) => `${base}_${form}`).filter((key) => !texts[language].has(key)),
    )
    expect(missing).toEqual([])
    const foreign = [...texts[language].keys()].filter((key) => {
      const form = PLURAL.exec(key)?.[1]
      return form !== undefined && form !== 'zero' && !forms.some((one) => one === form)
    })
    expect(foreign, 'forms that are never chosen').toEqual([])
  })

  test('name the same values as in English', () => {
    const different = [...texts[language]].filter(([key, text]) => {
      const english = texts.en.get(key) ?? texts.en.get(`${baseOf(key)}_other`) ?? ''
      return placeholders(text).join() !== placeholders(english).join()
    })
    // "None" and "one" need no figure.
    expect(different.filter(([key]) => !/_(zero|one)$/.test(key))).toEqual([])
    const unknown = different.filter(([key, text]) => {
      const all = placeholders(texts[language].get(`${baseOf(key)}_other`) ?? '')
      return placeholders(text).some((name) => !all.includes(name))
    })
    expect(unknown).toEqual([])
  })

  test('are all there, without slips of the pen', () => {
    for (const [key, text] of texts[language]) {
      expect(text.trim(), key).toBe(text)
      expect(text, key).not.toMatch(/^$| {2}|\.\.\.|\{\{\s|\s\}\}/)
    }
  })
})

test('one is no plural in English', () => {
  const one = { count: 1, all: 3 }
  expect([
    text('messages.exported', one),
    text('messages.exporting', one),
    text('tables.before', one),
    text('tables.left.sending', one),
    text('tables.left.paused', one),
  ]).toEqual([
    'Exported 1 row.',
    'Exporting… 1 row',
    '1 waits before them',
    '1 of 3 messages waits.',
    '1 of 3 messages has not left. It waits until you go on.',
  ])
})

/** Names of events and fields have dots in them. */
const wildcard = (template = '') => (/^(webhooks\.event|errors\.field)\./.test(template) ? '[\\w.]+' : '\\w+')

describe('keys', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: ROOT })
    .filter((path) => !path.startsWith('i18n'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
  const used = [...sources.matchAll(/\bt\(\s*(?:'([^']+)'|`([^`]+)`)/g)].map(([, plain, template]) =>
    plain === undefined
      ? new RegExp(`^${(template ?? '').replaceAll('.', '\\.').replaceAll(/\$\{[^}]+\}/g, wildcard(template))}$`)
      : new RegExp(`^${plain.replaceAll('.', '\\.')}$`),
  )
  const keys = bases('en')

  test('are found in the sources', () => {
    expect(used.length).toBeGreaterThan(300)
  })

  test('that are put together name their group, so that the others of an area are still seen to be unused', () => {
    const broad = [...sources.matchAll(/\bt\(\s*`(\w+\.\$\{[^`]+)`/g)].map((match) => match[1])
    const whole = ['failures.', 'providerHints.', 'settings.']
    expect(broad.filter((template) => !whole.some((area) => template?.startsWith(area)))).toEqual([])
  })

  test('that are used exist', () => {
    expect(used.filter((pattern) => !keys.some((key) => pattern.test(key))).map(String)).toEqual([])
  })

  test('that exist are used', () => {
    expect(keys.filter((key) => !used.some((pattern) => pattern.test(key)))).toEqual([])
  })
})

test('the window says of a failure what the server says', () => {
  for (const [code, { message, hint }] of Object.entries(en.failures)) {
    expect(texts.en.get(`failures.${code}.message`)).toBe(message)
    expect(texts.en.get(`failures.${code}.hint`)).toBe(hint)
    expect(texts.id.get(`failures.${code}.message`)).not.toBe(message)
  }
  expect(texts.id.get('failures.expired.message')).toBe(id.failures.expired.message)
})

test('the advice for a locked number names the button as it is called', () => {
  expect(en.concerns.locked.advice).toContain(`“${texts.en.get('senders.worksAgainTry')}”`)
  expect(id.concerns.locked.advice).toContain(`“${texts.id.get('senders.worksAgainTry')}”`)
})

test('who may not open the window is told the section with the code for a phone as it is called', () => {
  for (const language of LANGUAGES) {
    const words = texts[language]
    expect(words.get('errors.ownerOnlyHint')).toContain(`“${words.get('settings.access.title')}”`)
  }
})

test('numbers in a text are written as the language does', async () => {
  const speaker = i18next.createInstance()
  await speaker.use(numbers).init({ ...OPTIONS, lng: 'en', resources: RESOURCES })
  expect(speaker.getFixedT('en')('messages.exported', { count: 6623 })).toContain('6,623')
  expect(speaker.getFixedT('id')('messages.exported', { count: 6623 })).toContain('6.623')
  expect(speaker.getFixedT('en')('home.today', { count: 0 }), 'none has a text of its own').not.toContain('0')
  expect(speaker.getFixedT('en')('home.today', { count: 1 })).not.toBe(
    speaker.getFixedT('en')('home.today', { count: 2 }).replace('2', '1'),
  )
})

test('a language is known by its code alone', () => {
  expect(isLanguage('id')).toBe(true)
  expect(isLanguage('de')).toBe(false)
  expect(isLanguage(undefined)).toBe(false)
  expect(new Set(LANGUAGES.map((language) => LANGUAGE_INFO[language].name)).size).toBe(LANGUAGES.length)
})
