import { expect, test } from 'vitest'
import { findCycle, type Import, loadedWith, readSources, type Source } from './support/sources.ts'

const server = readSources('server')
const main = readSources('main')
const renderer = readSources('renderer')
const all = [...server, ...main, ...renderer]

/** Every import that a rule forbids, as `who → whom`. */
const offenders = (sources: Source[], forbidden: (to: Import, from: Source) => boolean): string[] =>
  sources.flatMap((from) => from.imports.filter((to) => forbidden(to, from)).map((to) => `${from.path} → ${to.target}`))

const under = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
const isPackage = ({ target }: Pick<Import, 'target'>, name: string) => target === name || target.startsWith(`${name}/`)

test('the sources and their imports are found', () => {
  const api = server.find(({ path }) => path === 'server/composition/api.ts')
  expect(api?.imports).toContainEqual({ target: 'server/composition/routes.ts', typeOnly: false, whenUsed: false })
  const app = server.find(({ path }) => path === 'server/composition/app.ts')
  expect(app?.imports).toContainEqual({ target: 'server/settings/config.ts', typeOnly: true, whenUsed: false })
  const preload = main.find(({ path }) => path === 'main/preload.cts')
  expect(preload?.imports).toContainEqual({ target: 'electron', typeOnly: false, whenUsed: true })
})

test('a cycle would be found', () => {
  const file = (path: string, target: string) => ({
    path,
    lines: 1,
    text: '',
    code: '',
    imports: [{ target, typeOnly: true, whenUsed: false }],
  })
  expect(findCycle([file('a', 'b'), file('b', 'c'), file('c', 'b')])).toEqual(['b', 'c', 'b'])
})

test('nothing imports in circles', () => {
  expect(findCycle(all)).toBeNull()
})

/** The rooms of the server from the ground up. A room uses those on lower floors and nothing else, types included. */
const FLOORS = [
  ['contract', 'lib'],
  ['words', 'store', 'media'],
  ['messages', 'settings'],
  ['senders', 'webhooks'],
  ['http', 'connections'],
  ['health', 'cluster', 'slices', 'cli'],
  ['composition'],
  ['process'],
  ['main.ts', 'cli.ts'],
]
const floorOf = (room: string): number => FLOORS.findIndex((floor) => floor.includes(room))
/** `contract` for server/contract/errors.ts, `main.ts` for server/main.ts. */
const roomOf = (path: string): string => path.split('/')[1] ?? ''

/** Whether one room of the server may import from another. */
function mayImport(from: string, to: string): boolean {
  if (from === to) return true
  // Connections implement what messages and senders ask for; only the composition root knows that they exist.
  if (to === 'connections') return from === 'composition'
  // Features that a shop can live without.
  if (to === 'slices') return from === 'composition'
  if (to === 'cli') return from === 'process'
  if (from === 'cli') return ['settings', 'contract', 'lib', 'words'].includes(to)
  return floorOf(to) < floorOf(from)
}

test('every room of the server has its floor', () => {
  const rooms = new Set(server.map(({ path }) => roomOf(path)))
  expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([])
})

/** The command line and the words may read a slice's contract; any other room would need the slice. */
const isForAll = ({ target }: Import, { path }: Source) =>
  under(target, 'server/contract') || (isContract(target) && under(path, 'server/cli', 'server/words'))

test('imports of the server run downwards, types included', () => {
  const upwards = (to: Import, from: Source) =>
    to.target.startsWith('server/') &&
    !mayImport(roomOf(from.path), isForAll(to, from) ? 'contract' : roomOf(to.target))
  expect(offenders(server, upwards)).toEqual([])
})

test('no slice imports another', () => {
  const slice = (path: string) => path.split('/')[2]
  const slices = server.filter(({ path }) => under(path, 'server/slices'))
  expect(slices.length).toBeGreaterThan(50)
  const other = ({ target }: Import, { path }: Source) =>
    under(target, 'server/slices') && slice(target) !== slice(path)
  expect(offenders(slices, other)).toEqual([])
})

/** The rooms of the two large connections, each from the ground up. What puts them together stands beside them. */
const ROOMS_OF: Record<string, string[][]> = {
  'server/connections/linked': [
    ['library'],
    ['keys', 'passkey'],
    ['account'],
    ['groups', 'receiving'],
    ['media'],
    ['sending'],
    ['session'],
  ],
  'server/connections/official': [['graph'], ['inbox'], ['templates'], ['sending', 'account']],
}

test.each(Object.entries(ROOMS_OF))('imports between the rooms of %s run downwards', (folder, floors) => {
  const roomIn = (path: string) => path.slice(folder.length + 1).split('/')[0] ?? ''
  const floorIn = (path: string) => floors.findIndex((floor) => floor.includes(roomIn(path)))
  const inRooms = server.filter(({ path }) => under(path, folder) && path.slice(folder.length + 1).includes('/'))
  expect(inRooms.filter(({ path }) => floorIn(path) < 0).map(({ path }) => path)).toEqual([])
  expect(floors.flat().filter((room) => !inRooms.some(({ path }) => roomIn(path) === room))).toEqual([])
  const upwards = ({ target }: Import, { path }: Source) =>
    under(target, folder) && roomIn(target) !== roomIn(path) && floorIn(target) >= floorIn(path)
  expect(offenders(inRooms, upwards)).toEqual([])
  const fromRoom = ({ target }: Import) => under(target, folder) && floorIn(target) < 0
  expect(offenders(inRooms, fromRoom), 'no room knows what puts it together').toEqual([])
})

test('the rooms of the store are private to it; only its command moves it from one engine to the other', () => {
  const outside = server.filter(({ path }) => !under(path, 'server/store'))
  const inside = ({ target }: Import, { path }: Source) =>
    under(target, 'server/store') &&
    target !== 'server/store/index.ts' &&
    !(path === 'server/composition/migrate.ts' && target === 'server/store/transfer/index.ts')
  expect(offenders(outside, inside)).toEqual([])
})

test('a file of routes has a file of the contract with its name', () => {
  const namesIn = (folder: string) =>
    server.flatMap(({ path }) => (under(path, folder) ? [path.slice(folder.length + 1)] : []))
  const contract = namesIn('server/contract')
  // The description itself, which no schema describes.
  expect(namesIn('server/http/routes').filter((name) => !contract.includes(name))).toEqual(['docs.ts'])
})

/** The folders of the window from the ground up. */
const WINDOW_FLOORS = [['api'], ['model', 'i18n'], ['hooks'], ['components'], ['pages']]
const windowFloorOf = (path: string): number => WINDOW_FLOORS.findIndex((floor) => floor.includes(roomOf(path)))

test('imports of the window run downwards, and no page imports a page', () => {
  const inside = renderer.filter(({ path }) => path.split('/').length > 2)
  expect(inside.filter(({ path }) => windowFloorOf(path) < 0).map(({ path }) => path)).toEqual([])
  const pageOf = (path: string) => path.split('/')[2]
  const wrong = ({ target }: Import, { path }: Source) => {
    if (!target.startsWith('renderer/')) return false
    if (roomOf(target) === roomOf(path)) return roomOf(path) === 'pages' && pageOf(target) !== pageOf(path)
    return windowFloorOf(target) >= windowFloorOf(path)
  }
  expect(offenders(inside, wrong)).toEqual([])
})

/** The room of the contract, and the contract of a slice. */
const isContract = (path: string) =>
  under(path, 'server/contract') || /^server\/slices\/[^/]+(\/[^/]+)?\/contract\.ts$/.test(path)

test('the contract needs nothing but zod', () => {
  const files = server.filter(({ path }) => isContract(path))
  expect(files.length).toBeGreaterThan(server.filter(({ path }) => under(path, 'server/contract')).length)
  expect(offenders(files, (to) => !under(to.target, 'server/contract') && to.target !== 'zod')).toEqual([])
})

const RENAMES = 'server/lib/sync-folder.ts'

test('files are renamed in one way, which waits for a virus scanner', () => {
  const renames = all.filter(({ code }) => /import \{[^}]*\brename(Sync)?\b[^}]*\} from 'node:fs/.test(code))
  // The drop folder tries a file that is held again by itself.
  expect(renames.map(({ path }) => path)).toEqual(['server/slices/drop-folder/folder.ts', RENAMES])
})

test('the words need nothing but the contract', () => {
  const files = server.filter(({ path }) => under(path, 'server/words'))
  expect(offenders(files, (to) => !under(to.target, 'server/contract', 'server/words'))).toEqual([])
})

test('the window and the shell know of the server only its contract and its words', () => {
  const outside = ({ target }: Import) =>
    target.startsWith('server/') && !isContract(target) && !under(target, 'server/words')
  expect(offenders(renderer, outside)).toEqual([])
  expect(offenders(main, (to) => outside(to) && to.target !== RENAMES)).toEqual([])
  expect(offenders(server, ({ target }) => under(target, 'main', 'renderer'))).toEqual([])
  expect(offenders(main, ({ target }) => under(target, 'renderer'))).toEqual([])
  expect(offenders(renderer, ({ target }) => under(target, 'main'))).toEqual([])
})

test('the window fetches the words of the language that it speaks, and of no other', () => {
  const loaded = loadedWith('renderer/open-window.tsx', [...server, ...renderer])
  expect([...loaded], 'the files of the window are followed').toContain('server/words/say.ts')
  expect([...loaded].filter((path) => under(path, 'server/words/en', 'server/words/id'))).toEqual([])
})

test('Electron is touched by the entry and the preload script alone; all others get it handed in', () => {
  const touches = (to: Import, { path }: Source) =>
    isPackage(to, 'electron') && (!to.typeOnly || !under(path, 'main')) && !/^main\/(main\.ts|preload\.cts)$/.test(path)
  expect(offenders(all, touches)).toEqual([])
})

test('WhatsApp is spoken only in connections/linked, the Graph API only in connections/official', () => {
  const baileys = (to: Import, { path }: Source) =>
    (isPackage(to, 'baileys') || isPackage(to, '@whiskeysockets/baileys')) && !under(path, 'server/connections/linked')
  expect(offenders(all, baileys)).toEqual([])
  const graph = server.filter(
    ({ path, code }) => code.includes('graph.facebook.com') && path !== 'server/settings/config.ts',
  )
  expect(graph.map(({ path }) => path).filter((path) => !under(path, 'server/connections/official'))).toEqual([])
})

test('what only some shops need is not loaded at the start: the library of linked numbers, PostgreSQL, object stores, mail', () => {
  // The entry fetches these two once the heap is kept small.
  const entries = ['server/process/desktop.ts', 'server/process/headless.ts']
  const loaded = new Set(entries.flatMap((entry) => [...loadedWith(entry, server)]))
  expect([...loaded], 'the files of the program are followed').toContain('express')
  const whenUsed = ['baileys', 'libsignal', 'protobufjs', 'pg', 'aws4fetch', 'nodemailer']
  expect([...loaded].filter((target) => whenUsed.some((name) => isPackage({ target }, name)))).toEqual([])
})

test('SQL stands only in the store, and in the file of a slice that keeps rows', () => {
  const sql =
    /\b(SELECT\s[\s\S]+?\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(TABLE|INDEX)\s)/
  const elsewhere = all.filter(({ path }) => !under(path, 'server/store'))
  const isOfSlice = (path: string) => /^server\/slices\/[\w-]+\/store\.ts$/.test(path)
  const others = elsewhere.filter(({ path }) => !isOfSlice(path))
  expect(others.filter(({ code }) => sql.test(code)).map(({ path }) => path)).toEqual([])
  expect(offenders(elsewhere, (to) => isPackage(to, 'better-sqlite3'))).toEqual([])
  expect(server.filter(({ code }) => sql.test(code)).length, 'the pattern finds what there is').toBeGreaterThan(10)
})

test('the environment is read in one place', () => {
  const readers = server.filter(({ code }) => /\bprocess\.env\b/.test(code)).map(({ path }) => path)
  expect(
    readers.filter(
      (path) => !/^server\/(process\/(first|start|command-line|lifecycle)|settings\/config)\.ts$/.test(path),
    ),
  ).toEqual([])
})

test('nothing is typed any, and nothing is hidden from the compiler', () => {
  const withoutStrings = (code: string) => code.replace(/(['`])(?:\\.|(?!\1)[^\\])*\1/g, '')
  const loose = ({ text, code }: Source) =>
    /(:|<|\bas|,|\|)\s*any\b/.test(withoutStrings(code)) || /@ts-(ignore|nocheck|expect-error)/.test(text)
  expect(all.filter(loose).map(({ path }) => path)).toEqual([])
})
