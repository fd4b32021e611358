import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface Import {
  /** Path from the root for own files, otherwise the package name. */
  target: string
  /** Erased by compilation. */
  typeOnly: boolean
  /** `await import` or `require`: loaded only when that code runs. */
  whenUsed: boolean
}

export interface Source {
  /** Path from the root, with slashes. */
  path: string
  lines: number
  text: string
  /** Text without comments; string literals stay unchanged. */
  code: string
  imports: Import[]
}

// Strings and templates are matched first, so that `//` in a URL is not taken for a comment.
const TOKENS = /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const STATEMENT = /^(?:import|export)\s+(?:(?<type>type)\s)?(?<names>[\w*\s{},$]*?)(?:\s*from\s*)?'(?<target>[^']+)'/gm
const CALL = /(?<!typeof )\b(?:import|require)\('(?<target>[^']+)'\)/g

/** Returns true for `{ type A, type B }`, which compilation erases like `import type`. */
const onlyTypes = (names: string): boolean => {
  const inBraces = /^\{([^}]*)\}$/.exec(names.trim())?.[1]
  const each = inBraces?.split(',').map((name) => name.trim())
  return each?.filter((name) => name !== '').every((name) => name.startsWith('type ')) ?? false
}

function importsOf(path: string, code: string): Import[] {
  const resolve = (target: string) =>
    target.startsWith('.') ? relative(ROOT, join(ROOT, path, '..', target)).replaceAll('\\', '/') : target
  const statements = [...code.matchAll(STATEMENT)].map(({ groups = {} }) => ({
    target: resolve(groups.target ?? ''),
    typeOnly: groups.type !== undefined || onlyTypes(groups.names ?? ''),
    whenUsed: false,
  }))
  const calls = [...code.matchAll(CALL)].map(({ groups = {} }) => ({
    target: resolve(groups.target ?? ''),
    typeOnly: false,
    whenUsed: true,
  }))
  return [...statements, ...calls]
}

/** Reads every source file of the given top-level folders, with its imports. */
export function readSources(...folders: string[]): Source[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,cts,mts}`, { cwd: ROOT }))
    .map((file) => file.replaceAll('\\', '/'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const code = text.replace(TOKENS, (_all, quoted?: string) => quoted ?? '')
      return { path, text, lines: text.split('\n').length - 1, code, imports: importsOf(path, code) }
    })
}

/** Returns everything that is loaded together with `path`: own files and packages. */
export function loadedWith(path: string, sources: readonly Source[], loaded = new Set<string>()): Set<string> {
  loaded.add(path)
  const source = sources.find((each) => each.path === path)
  for (const { target, typeOnly, whenUsed } of source?.imports ?? [])
    if (!typeOnly && !whenUsed && !loaded.has(target)) loadedWith(target, sources, loaded)
  return loaded
}

/** Returns the paths of the first import cycle, or null if there is none. */
export function findCycle(sources: readonly Source[]): string[] | null {
  const graph = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const done = new Set<string>()

  function walk(path: string, trail: string[]): string[] | null {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return null
    for (const next of graph.get(path) ?? []) {
      const cycle = graph.has(next) ? walk(next, [...trail, path]) : null
      if (cycle !== null) return cycle
    }
    done.add(path)
    return null
  }

  for (const path of graph.keys()) {
    const cycle = walk(path, [])
    if (cycle !== null) return cycle
  }
  return null
}
