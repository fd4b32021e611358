import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** Returns the repository's files that match, as paths from its root with slashes. */
export const filesOf = (pattern: string): string[] =>
  globSync(pattern, {
    cwd: ROOT,
    exclude: (path) => /(^|[/\\])(node_modules|dist|release|coverage|\.git)($|[/\\])/.test(path),
  })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()

export const PAGES = filesOf('**/*.md')

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

export interface Fence {
  page: string
  line: number
  language: string
  code: string
  /** Reason in the comment `<!-- not run: … -->` on the line before. */
  notRun: string | undefined
}

const FENCE = /(?:^<!-- not run: (?<why>.+) -->\n)?^```(?<language>\w*)\n(?<code>[\s\S]*?)\n?^```$/gm

/** Returns the code blocks of a page in order. */
export function fencesOf(page: string): Fence[] {
  const text = readPage(page)
  return [...text.matchAll(FENCE)].map(({ index, groups = {} }) => ({
    page,
    line: text.slice(0, index).split('\n').length + (groups.why === undefined ? 0 : 1),
    language: groups.language ?? '',
    code: groups.code ?? '',
    notRun: groups.why,
  }))
}
