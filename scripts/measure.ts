// Prints how large the code is: files and lines by room, the store's port, derived types,
// decisions, comments, and the files that only a sandbox message uses. `npm run measure`; the last
// row needs a build.
import { globSync, readFileSync } from 'node:fs'
import { findCycle, readSources, type Source } from '../test/support/sources.ts'
import { measureWalk } from './lib/measured-walk.ts'
import { inRoot } from './lib/paths.mjs'

const MOST_COLUMNS = 100
/** Doc comments that begin with a clause where a noun or a verb should stand. */
const INVERTED = /^\s*(?:\/\*\*|\*)\s+(?:What|Whether|Who|Of|Where|So)\b/
/**
 * Names that exist only because several nodes may share a database. Plain "node" would also match
 * WhatsApp's stanzas.
 */
const NODES =
  /\b(?:store\.nodes|nodes(?: ===|\?\.|: )|NodeStore|NodeRow|isShared|asHolder|not_holder|node_gone|older_nodes|inOrderOf|fileBytes|afterOpenWrites|isReporter)\b|\/cluster\//

const server = readSources('server')
const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)
const under = (folder: string) => server.filter(({ path }) => path.startsWith(`${folder}/`))
const matches = (pattern: RegExp): number => sum(server.map(({ code }) => [...code.matchAll(pattern)].length))
const percentile = (numbers: number[], part: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * part)] ?? 0

/**
 * Returns `messages` for server/messages/lane.ts, and the file name for a file directly in server/.
 */
const roomOf = (path: string): string => path.split('/')[1] ?? ''

function printRooms(): void {
  console.log('room                    files   lines  median  longest')
  const rooms = Map.groupBy(server, ({ path }) => path.split('/').slice(1, -1).join('/') || '(root)')
  for (const [room, files] of [...rooms].sort(([a], [b]) => a.localeCompare(b))) {
    const lines = files.map((file) => file.lines)
    const cells = [files.length, sum(lines), percentile(lines, 0.5), Math.max(...lines)]
    console.log(room.padEnd(22) + cells.map((cell) => String(cell).padStart(8)).join(''))
  }
}

/** Counts the rooms, the imports between them, and the longest path of imports. */
function floors(): { rooms: number; floors: number; arrows: number } {
  const targets = new Map<string, Set<string>>()
  for (const { path, imports } of server) {
    const from = roomOf(path)
    const known = targets.get(from) ?? new Set()
    targets.set(from, known)
    for (const { target } of imports)
      if (target.startsWith('server/') && roomOf(target) !== from) known.add(roomOf(target))
  }
  const heights = new Map<string, number>()
  const height = (room: string): number => {
    const known = heights.get(room)
    if (known !== undefined) return known
    const found = 1 + Math.max(0, ...[...(targets.get(room) ?? [])].map(height))
    heights.set(room, found)
    return found
  }
  return {
    rooms: targets.size,
    floors: Math.max(...[...targets.keys()].map(height)),
    arrows: sum([...targets.values()].map(({ size }) => size)),
  }
}

/** Counts the interfaces of the store's port and their members. */
function storePort(): { interfaces: number; methods: number; widest: string } {
  const port = under('server/store').filter(({ path }) => path.split('/').length === 3)
  const found = port.flatMap(({ code }) =>
    [...code.matchAll(/export interface (\w+Store|Store)\b[^{]*\{([\s\S]*?)\n\}/g)].map(([, name = '', body = '']) => ({
      name,
      methods: [...body.matchAll(/^ {2}(?:readonly )?\w+\??(?:<[^>]*>)?\(|^ {2}\w+: (?:\w+\[?|\()[^\n]*=>/gm)].length,
    })),
  )
  const widest = found.toSorted((a, b) => b.methods - a.methods)[0]
  return {
    interfaces: found.length,
    methods: sum(found.map(({ methods }) => methods)),
    widest: `${widest?.name} ${widest?.methods}`,
  }
}

function importers(): number {
  const counts = new Map<string, number>()
  for (const { imports } of readSources('server', 'main', 'renderer'))
    for (const target of new Set(imports.map((each) => each.target))) counts.set(target, (counts.get(target) ?? 0) + 1)
  return server.filter(({ path }) => counts.get(path) === 1).length
}

const commentLines = ({ text }: Source): string[] => text.split('\n').filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line))
const words = (file: string): number => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean).length

printRooms()
const store = under('server/store')
const decisions = globSync(inRoot('docs/decisions/[0-9]*.md'))
const pages = globSync(inRoot('docs/**/*.md')).filter((file) => !/[/\\](decisions|id)[/\\]/.test(file))
const knowsNodes = server.filter(
  ({ path, code }) => NODES.test(code) && !/^server\/(?:cluster|store\/postgres)\//.test(path),
)
const { interfaces, methods, widest } = storePort()
const house = floors()
const walk = await measureWalk()
const comments = server.flatMap(commentLines)
const table: [string, string | number][] = [
  ['server: files, lines', `${server.length}, ${sum(server.map(({ lines }) => lines))}`],
  ['rooms, floors, arrows', `${house.rooms}, ${house.floors}, ${house.arrows}`],
  ['circles of imports', findCycle(server) === null ? 0 : 1],
  ['store: files, lines', `${store.length}, ${sum(store.map(({ lines }) => lines))}`],
  [
    'store: SQL statements',
    sum(store.map(({ code }) => [...code.matchAll(/\b(?:prepare|selecting|query)\b.*\(/g)].length)),
  ],
  ['port of the store: interfaces, methods, widest', `${interfaces}, ${methods}, ${widest}`],
  ['Pick<', matches(/\bPick</g)],
  ['Omit<', matches(/\bOmit</g)],
  ['…Deps', matches(/\binterface \w+Deps\b/g)],
  ['files that know nodes', knowsNodes.length],
  ['files with one importer', importers()],
  [
    'pages in English: number, words, longest',
    `${pages.length}, ${sum(pages.map(words))}, ${Math.max(...pages.map(words))}`,
  ],
  ['decisions: pages, words', `${decisions.length}, ${sum(decisions.map(words))}`],
  [`comment lines over ${MOST_COLUMNS} columns`, comments.filter((line) => line.length > MOST_COLUMNS).length],
  ['doc comments that begin with what is said of', comments.filter((line) => INVERTED.test(line)).length],
  ['files that run only for one sandbox message', walk.length],
]
console.log()
for (const [name, value] of table) console.log(`${name.padEnd(50)} ${value}`)
console.log(`\n${walk.join('\n')}`)
