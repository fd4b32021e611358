import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ERROR_STATUS } from '../../server/contract/errors.ts'
import { settings } from '../../server/contract/settings.ts'
import { EVENTS } from '../../server/contract/webhooks.ts'
import { OWNER_TOKEN, startApp } from '../support/app.ts'
import { fencesOf, filesOf, PAGES, ROOT, readPage } from '../support/markdown.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { samples } from '../support/samples.ts'
import { RESOURCES } from '../support/texts.ts'

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '')

/** What a heading's address is on the usual hosts. */
const anchors = (page: string): string[] =>
  [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Paths from the root, with the anchor of each. */
const linksOf = (page: string): { path: string; anchor: string | undefined }[] =>
  [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      return { path: path === '' ? page : posix.join(dirname(page), path), anchor }
    })

test.each(PAGES)('%s leads nowhere that is not there', (page) => {
  const dead = linksOf(page).filter(
    ({ path, anchor }) => !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchors(path).includes(anchor)),
  )
  expect(dead).toEqual([])
})

const SOURCES = filesOf('**/*.{ts,tsx,cts,mjs,js,css}')
const packageJson = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object }

/** Whether a name such as `lane.ts`, `messages/lane.ts` or `server/store/<noun>.ts` is that of a source file. */
function isSource(name: string): boolean {
  const pattern = name
    .replace(/^\.\//, '')
    .replaceAll('.', '\\.')
    .replace(/<\w+>|\*/g, '[^/]+')
  return SOURCES.some((path) => new RegExp(`(^|/)${pattern}$`).test(path))
}

test.each(PAGES)('%s names only files that are there', (page) => {
  const names = [
    ...readPage(page)
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/`([\w<>*./-]+)`/g),
  ].map(([, name = '']) => name)
  const sources = names.filter((name) => /\.(ts|tsx|cts|mjs|js|css)$/.test(name) && !(name in packageJson.dependencies))
  const folders = names.filter((name) =>
    /^(server|main|renderer|test|scripts|bench|packaging|docs)\/[\w/-]*$/.test(name),
  )
  expect([
    ...sources.filter((name) => !isSource(name)),
    ...folders.filter((name) => !existsSync(join(ROOT, name))),
  ]).toEqual([])
})

test('every page is found from README', () => {
  const found = new Set(['README.md'])
  for (const page of found) for (const { path } of linksOf(page)) if (path.endsWith('.md')) found.add(path)
  expect(PAGES.filter((page) => !found.has(page) && !/^(\.github|test\/support)\//.test(page))).toEqual([])
})

test('every decision is in the index, once and by its number', () => {
  const decisions = PAGES.filter((page) => /decisions\/\d/.test(page)).map((page) => posix.basename(page))
  const listed = [...readPage('docs/decisions/README.md').matchAll(/\((\d{4}-[^)]+)\)/g)].map(([, file]) => file)
  expect(listed.toSorted()).toEqual(decisions.toSorted())
  expect(new Set(decisions.map((file) => file.slice(0, 4))).size).toBe(decisions.length)
  for (const file of decisions)
    expect(readPage(`docs/decisions/${file}`)).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. `))
})

test('the first message of README gets the answer of README', async () => {
  const fences = fencesOf('README.md')
  const body = fences.map(({ code }) => /-d '(\{.*\})'/.exec(code)?.[1]).find((found) => found !== undefined) ?? ''
  const shown = JSON.parse(fences.find(({ language }) => language === 'json')?.code ?? '')
  const app = await startApp()
  const answer = await app.call<{ id: string }>(await app.key(), '/send', body)
  const { id } = answer.body.data
  expect(answer.body).toEqual({ ...shown, data: { ...shown.data, id, message_id: id } })
})

test.each(['README.md', 'docs/id/pesan-pertama.md'])('%s sends the same message in every shell', (page) => {
  const bodies = fencesOf(page)
    .filter(({ language, code }) => ['sh', 'bat'].includes(language) && code.includes(' -d '))
    .map(({ code }) => JSON.parse(/-d ['"](.*)['"]/.exec(code)?.[1]?.replaceAll('\\"', '"') ?? ''))
  expect(bodies.length).toBeGreaterThan(1)
  for (const body of bodies) expect(body).toEqual(bodies[0])
})

test('every page starts scripts of PowerShell in a way that a new Windows allows', () => {
  const started = PAGES.flatMap(fencesOf).flatMap(({ code }) => code.split('\n').filter((line) => /\.ps1\b/.test(line)))
  expect(started.length).toBeGreaterThan(0)
  for (const line of started) expect(line).toMatch(/^powershell -ExecutionPolicy Bypass -File /)
})

test.each(PAGES)('%s calls Kurir by the address that it listens on', (page) => {
  expect(readPage(page)).not.toMatch(/localhost:742/)
})

/** What other programs call their buttons and pages, and states in the middle of a sentence. */
const NOT_IN_WINDOW = [
  ['Linked devices', 'Perangkat tertaut', 'Link a device', 'Tautkan perangkat', 'Link with phone number instead'],
  ['More info', 'Run anyway', 'Applications', 'System Settings', 'Privacy & Security', 'Open Anyway', 'Kurir'],
  ['Connect with customers through WhatsApp', 'Use cases', 'Customize', 'API Setup', 'Configuration', 'App settings'],
  ['Basic', 'App secret', 'Business settings', 'Users', 'System users', 'Admin', 'generate a token', 'Approved'],
  ['WhatsApp Manager', 'Phone numbers', 'Two-step verification', 'Message templates', 'Publish', 'Run workflow'],
  ['Security', 'Report a vulnerability', 'healthy'],
].flat()

/** Every text of the window in a language, as a button shows it. */
const textsIn = (tree: object): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === 'string' ? [value.replace(/…$/, '')] : textsIn(value)))

/** Words in italics; in a paragraph that is all in italics, those that are not. `A > B` are two. */
const labelsOf = (page: string): { label: string; language: 'en' | 'id' }[] =>
  withoutCode(readPage(page))
    .split('\n\n')
    .flatMap((paragraph) => {
      const parts = paragraph
        .replaceAll('**', '')
        .replace(/\*[^*]*\[[^\]]*\]\([^)]*\)\.?\*|\[[^\]]*\]\([^)]*\)/g, '')
        .split(/(?<![\\*])\*(?!\s*\*)/)
      const translated = parts[0] === '' && parts.at(-1) === '' && parts.length % 2 === 1
      const language = translated || /(^docs\/id\/|\.id\.md$)/.test(page) ? 'id' : 'en'
      return parts
        .filter((_, index) => (index % 2 === 1) !== translated)
        .flatMap((part) => part.replace(/\s+/g, ' ').split(/ (?:>|→) /))
        .map((label) => ({ label: label.replace(/^[ ,.]+|[ ,.:…]+$/g, ''), language }) as const)
        .filter(({ label }) => label !== '')
    })

const GUIDES = PAGES.filter(
  (page) => /^(README|SECURITY|docs\/)/.test(page) && !/decisions|architecture|packaging/.test(page),
)
test.each(GUIDES)('%s names buttons and pages as the window does', (page) => {
  const shown = { en: textsIn(RESOURCES.en), id: textsIn(RESOURCES.id) }
  const labels = labelsOf(page).filter(({ label }) => !NOT_IN_WINDOW.includes(label))
  expect(labels.filter(({ label, language }) => !shown[language].includes(label))).toEqual([])
})

/** The rows of the tables of a page, as cells. */
const rows = (page: string): string[][] =>
  readPage(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' |')
        .map((cell) => cell.trim()),
    )

describe.each(['docs/errors.md', 'docs/id/kesalahan.md'])('the errors in %s', (page) => {
  test.each(Object.entries(ERROR_STATUS))('hold %s (%i), with what to do', (code, status) => {
    const row = rows(page).find((cells) => cells[1]?.includes(`\`${code}\``))
    expect(row?.[0]).toBe(String(status))
    expect(row?.[2]).toBeTruthy()
    expect(row?.[3]).toBeTruthy()
  })
})

test.skipIf(!hasNginx())(
  'nginx as in docs/configuration.md lets callers through, with their files, and nobody else',
  async () => {
    const app = await startApp()
    const page = fencesOf('docs/configuration.md').find(({ language }) => language === 'nginx')?.code ?? ''
    const port = Number(new URL(app.url).port)
    const nginx = await startNginx([{ api: port, webhook: port }], page.replace('127.0.0.1:7420', 'node1:7420'))
    onTestFinished(nginx.close)
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    const key = bearer(await app.key())

    const { paths } = JSON.parse(readPage('docs/openapi.json')) as { paths: Record<string, object> }
    const ofCallers = Object.keys(paths).filter(
      (path) => !/^\/(api|compat|health|metrics|openapi\.json|docs)\b/.test(path),
    )
    for (const path of ofCallers) {
      const answer = await nginx.ask(path.replace('{id}', 'none'), key)
      expect(answer.headers.get('content-type'), path).toMatch(/^application\/json/)
    }
    const pdf = Buffer.concat([samples.pdf, Buffer.alloc(2_000_000, '\n')])
    const stored = await nginx.ask('/files?filename=inv-1.pdf', { ...key, method: 'POST', body: pdf })
    expect(stored.status, await stored.text()).toBe(200)

    for (const path of ['/', '/api/senders', '/metrics', '/api/diagnostics'])
      expect((await nginx.ask(path, bearer(OWNER_TOKEN))).status, path).toBe(404)
  },
)

test('docs/configuration.md names every variable of the environment and every setting', () => {
  const page = readPage('docs/configuration.md')
  const source = readFileSync(join(ROOT, 'server', 'settings', 'config.ts'), 'utf8')
  const variables = [...source.matchAll(/^ {2}(KURIR_\w+):/gm)].map(([, name = '']) => name)
  expect(variables.length).toBeGreaterThan(8)
  const shown = Object.keys(settings.shape).filter((name) => name !== 'onboarded')
  expect([...variables, ...shown].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test.each(['docs/callbacks.md', 'docs/id/callback.md'])('%s names every event', (page) => {
  expect(EVENTS.filter((event) => !readPage(page).includes(`\`${event}\``))).toEqual([])
})
