import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'

const ROOT = join(import.meta.dirname, '../..')

export interface Found {
  path: string
  pattern: string
  flags: string
}

/** Returns every regular expression literal in the files of a folder. */
export function regexpsIn(folder: string): Found[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).flatMap((path) => {
    const found: Found[] = []
    const look = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if ('regex' in node && node.regex !== null) found.push({ path, ...(node.regex as Omit<Found, 'path'>) })
      else for (const child of Object.values(node)) look(child)
    }
    look(parseAst(readFileSync(join(ROOT, path), 'utf8'), { lang: path.endsWith('x') ? 'tsx' : 'ts' }))
    return found
  })
}

/** Sample of characters that stands for all characters. */
const LETTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  'é',
  '中',
  '−',
  '\u2028',
  '\u200e',
]
const ALL: ReadonlySet<string> = new Set(LETTERS)

/** One step of a pattern: the characters it matches, and how often. */
interface Step {
  letters: ReadonlySet<string>
  /** Characters with which the step can begin. */
  begins: ReadonlySet<string>
  isOptional: boolean
  isEndless: boolean
  /** A lookahead: backtracking in later steps does not repeat it. */
  isLooked?: true
  /** Matches once per text or once per word. */
  isAnchor?: true
}
/** One path through a pattern. */
type Way = Step[]
const ANYWHERE: Step = { letters: ALL, begins: ALL, isOptional: true, isEndless: true }
const PLACE: Step = { letters: ALL, begins: ALL, isOptional: true, isEndless: false }

// Limit, because a pattern with many branches has very many paths.
const MOST_WAYS = 500
const overlap = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...some].some((letter) => others.has(letter))
const beginsOf = (way: Way): Set<string> => {
  const must = way.findIndex(({ isOptional }) => !isOptional)
  return new Set(way.slice(0, must === -1 ? way.length : must + 1).flatMap(({ begins }) => [...begins]))
}
const union = (ways: readonly Way[]): Set<string> => new Set(ways.flat().flatMap(({ letters }) => [...letters]))

/** Parses a pattern into paths. The engine itself decides which characters a class matches. */
function waysOf(pattern: string, flags: string): { ways: Way[]; nested: boolean } {
  let at = 0
  let nested = false
  const take = (expected: RegExp): string => {
    const found = new RegExp(expected.source, 'y')
    found.lastIndex = at
    const text = found.exec(pattern)?.[0] ?? ''
    at += text.length
    return text
  }
  const lettersOf = (source: string): Set<string> => {
    const one = new RegExp(`^(?:${source})$`, flags.replace(/[gym]/g, ''))
    return new Set(LETTERS.filter((letter) => one.test(letter)))
  }

  function atom(): Way[] {
    if (take(/\^|\\b/) !== '') return [[{ ...PLACE, isAnchor: true }]]
    if (take(/\\B|\$/) !== '') return [[PLACE]]
    const open = take(/\((?:\?(?:<?[=!]|:|<\w+>))?/)
    if (open !== '') {
      const inner = branches()
      at += 1
      if (open.startsWith('(?<') && /[=!]/.test(open)) return [[{ ...PLACE, isAnchor: true }]]
      if (/[=!]/.test(open))
        return inner.map((way) => way.map((step) => ({ ...step, isOptional: true, isLooked: true })))
      return inner
    }
    const source = take(/\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u\w{4}|\\x\w\w|\\k<\w+>|\\c\w|\\.|./s)
    const isBackreference = /^\\(?:[1-9]|k)/.test(source)
    const letters = isBackreference ? ALL : lettersOf(source)
    return [[{ letters, begins: letters, isOptional: isBackreference, isEndless: false }]]
  }

  function quantified(): Way[] {
    const ways = atom()
    const many = take(/[*+?]\??|\{\d+(?:,\d*)?\}\??/)
    if (many === '') return ways
    const isOptional = /^[*?]|^\{0/.test(many)
    if (!/^[*+]|^\{\d+,\}/.test(many)) return isOptional ? [...ways, []] : ways
    // Within a repetition, no step may also match what follows it, and no two branches may begin
    // with
    // the same character.
    nested ||= ways.some((way) => isAmbiguous([...way, ...way], true))
    nested ||= ways.some((way, n) => ways.slice(n + 1).some((other) => overlap(beginsOf(way), beginsOf(other))))
    const begins = new Set(ways.flatMap((way) => [...beginsOf(way)]))
    return [[{ letters: union(ways), begins, isOptional, isEndless: true }]]
  }

  function branches(): Way[] {
    const all: Way[] = []
    do {
      let ways: Way[] = [[]]
      while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
        const next = quantified()
        ways = ways.flatMap((way) => next.map((more) => [...way, ...more])).slice(0, MOST_WAYS)
      }
      all.push(...ways)
    } while (take(/\|/) !== '')
    return all
  }

  return { ways: branches(), nested }
}

/**
 * Returns true if characters fit two unbounded steps in a row, so that every split between them is
 * tried before the match fails.
 */
function isAmbiguous(way: Way, goesOn: boolean): boolean {
  return way.some((first, i) => {
    if (!first.isEndless || first.isLooked) return false
    return way.slice(i + 1).some((second, n) => {
      const j = i + 1 + n
      if (!second.isEndless || (!goesOn && j === way.length - 1)) return false
      if (!overlap(first.letters, second.begins)) return false
      const both = [...first.letters].filter((letter) => second.letters.has(letter))
      const between = way.slice(i + 1, j).filter(({ isOptional }) => !isOptional)
      return both.length > 0 && between.every(({ letters }) => both.some((letter) => letters.has(letter)))
    })
  })
}

/** Returns true if some text takes more than linear time. May report a pattern that is not slow. */
export function isSlow({ pattern, flags }: Pick<Found, 'pattern' | 'flags'>): boolean {
  const { ways, nested } = waysOf(pattern, flags)
  const isSticky = flags.includes('y')
  // A match that may begin anywhere is tried at every position.
  const tried = (way: Way) => (isSticky || way[0]?.isAnchor ? way : [ANYWHERE, ...way])
  return nested || ways.some((way) => isAmbiguous(tried(way), false))
}
