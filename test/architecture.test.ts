import { expect, test } from 'vitest'
import { findCycle, type Import, readSources, type Source } from './support/sources.ts'

const MOST_LINES = 250

const server = readSources('server')
const main = readSources('main')
const renderer = readSources('renderer')
const all = [...server, ...main, ...renderer]

/** Every import that a rule forbids, as `who → whom`. */
const offenders = (sources: Source[], forbidden: (to: Import, from: Source) => boolean): string[] =>
  sources.flatMap((from) => from.imports.filter((to) => forbidden(to, from)).map((to) => `${from.path} → ${to.target}`))

const under = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
const isPackage = ({ target }: Import, name: string) => target === name || target.startsWith(`${name}/`)

test('the sources and their imports are found', () => {
  const app = server.find(({ path }) => path === 'server/app.ts')
  expect(app?.imports).toContainEqual({ target: 'server/http/routes.ts', typeOnly: false })
  expect(app?.imports).toContainEqual({ target: 'server/config.ts', typeOnly: true })
  const preload = main.find(({ path }) => path === 'main/preload.cts')
  expect(preload?.imports).toContainEqual({ target: 'electron', typeOnly: false })
})

test('a cycle would be found', () => {
  const file = (path: string, target: string) => ({
    path,
    lines: 1,
    text: '',
    code: '',
    imports: [{ target, typeOnly: true }],
  })
  expect(findCycle([file('a', 'b'), file('b', 'c'), file('c', 'b')])).toEqual(['b', 'c', 'b'])
})

test('nothing imports in circles', () => {
  expect(findCycle(all)).toBeNull()
})

const BELOW = ['store', 'media', 'contract', 'lib']
const SIBLINGS = ['messages', 'access', 'webhooks', 'channels', 'backup']
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  lib: ['contract'],
  store: ['contract', 'lib'],
  media: ['contract', 'lib'],
  messages: BELOW,
  access: BELOW,
  webhooks: BELOW,
  channels: BELOW,
  backup: BELOW,
  http: [...SIBLINGS, ...BELOW],
}
// Functions without any effect: what a message looks like from outside, and when a lane opens.
const PURE = ['server/messages/view.ts', 'server/messages/gates.ts']

for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
  const within = (target: string, ...folders: string[]) => under(target, ...folders.map((name) => `server/${name}`))

  test(`server/${folder} uses only ${allowed.join(', ') || 'itself'}`, () => {
    const files = server.filter(({ path }) => within(path, folder))
    const forbidden = ({ target, typeOnly }: Import) => {
      if (!target.startsWith('server/') || within(target, folder, ...allowed)) return false
      // Siblings meet as functions that app.ts passes in: of each other they know types, and what is pure.
      const amongSiblings = SIBLINGS.includes(folder) && within(target, ...SIBLINGS)
      const settled = typeOnly && target === 'server/config.ts'
      return !settled && !(amongSiblings && (typeOnly || PURE.includes(target)))
    }
    expect(offenders(files, forbidden)).toEqual([])
  })
}

test('what siblings share is pure: no input, no output, no state of others', () => {
  const files = server.filter(({ path }) => PURE.includes(path))
  expect(files).toHaveLength(PURE.length)
  expect(offenders(files, (to) => !to.typeOnly && !under(to.target, 'server/contract', 'server/lib'))).toEqual([])
})

test('the contract needs nothing but zod', () => {
  const files = server.filter(({ path }) => under(path, 'server/contract'))
  expect(offenders(files, (to) => !under(to.target, 'server/contract') && to.target !== 'zod')).toEqual([])
})

test('the window and the shell know of the server only its contract', () => {
  const outside = ({ target }: Import) => target.startsWith('server/') && !under(target, 'server/contract')
  expect(offenders([...main, ...renderer], outside)).toEqual([])
  expect(offenders(server, ({ target }) => under(target, 'main', 'renderer'))).toEqual([])
  expect(offenders(main, ({ target }) => under(target, 'renderer'))).toEqual([])
  expect(offenders(renderer, ({ target }) => under(target, 'main'))).toEqual([])
})

test('Electron is touched by the entry and the preload script alone; all others get it handed in', () => {
  const touches = (to: Import, { path }: Source) =>
    isPackage(to, 'electron') && (!to.typeOnly || !under(path, 'main')) && !/^main\/(main\.ts|preload\.cts)$/.test(path)
  expect(offenders(all, touches)).toEqual([])
})

test('WhatsApp is spoken only in channels/linked, the Graph API only in channels/official', () => {
  const baileys = (to: Import, { path }: Source) =>
    (isPackage(to, 'baileys') || isPackage(to, '@whiskeysockets/baileys')) && !under(path, 'server/channels/linked')
  expect(offenders(all, baileys)).toEqual([])
  const graph = server.filter(({ path, code }) => code.includes('graph.facebook.com') && path !== 'server/config.ts')
  expect(graph.map(({ path }) => path).filter((path) => !under(path, 'server/channels/official'))).toEqual([])
})

test('SQL stands only in the store', () => {
  const sql =
    /\b(SELECT\s[\s\S]+?\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(TABLE|INDEX)\s)/
  const elsewhere = all.filter(({ path }) => !under(path, 'server/store'))
  expect(elsewhere.filter(({ code }) => sql.test(code)).map(({ path }) => path)).toEqual([])
  expect(offenders(elsewhere, (to) => isPackage(to, 'better-sqlite3'))).toEqual([])
  expect(server.filter(({ code }) => sql.test(code)).length, 'the pattern finds what there is').toBeGreaterThan(10)
})

test('the environment is read in one place', () => {
  const readers = server.filter(({ code }) => /\bprocess\.env\b/.test(code)).map(({ path }) => path)
  expect(readers.filter((path) => !/^server\/(config|main|cli)\.ts$/.test(path))).toEqual([])
})

test('nothing is typed any, and nothing is hidden from the compiler', () => {
  const withoutStrings = (code: string) => code.replace(/(['`])(?:\\.|(?!\1)[^\\])*\1/g, '')
  const loose = ({ text, code }: Source) =>
    /(:|<|\bas|,|\|)\s*any\b/.test(withoutStrings(code)) || /@ts-(ignore|nocheck|expect-error)/.test(text)
  expect(all.filter(loose).map(({ path }) => path)).toEqual([])
})

test(`no file has more than ${MOST_LINES} lines`, () => {
  expect(all.filter(({ lines }) => lines > MOST_LINES).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
})
