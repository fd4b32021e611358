import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VERIFY_SNIPPETS } from '../../renderer/model/verify-snippets.ts'
import { createSecret, signatureHeaders } from '../../server/webhooks/sign.ts'
import { startApp } from '../support/app.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const pages = ['.', 'docs', 'docs/decisions', 'bench']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.md'))

const codeBlocks = (file: string, language: string): string[] =>
  [...read(file).matchAll(/```(\w*)\n([\s\S]*?)\n```/g)].flatMap(([, of, code = '']) => (of === language ? [code] : []))

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '')

/** What a heading's address is on the usual hosts. */
const anchors = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

function deadLinks(page: string): string[] {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : relative(root, join(root, dirname(page), path))
    return !existsSync(join(root, file)) || (anchor !== undefined && !anchors(file).includes(anchor))
  })
}

test.each(pages)('%s leads nowhere that is not there', (page) => {
  expect(deadLinks(page)).toEqual([])
})

test('every decision is in the index, once and by its number', () => {
  const decisions = pages
    .filter((file) => /decisions.\d/.test(file))
    .map((file) => file.slice(file.lastIndexOf('/') + 1))
  const listed = [...read('docs/decisions/README.md').matchAll(/\((\d{4}-[^)]+)\)/g)].map(([, file]) => file)
  expect(listed.toSorted()).toEqual(decisions.toSorted())
  expect(new Set(decisions.map((file) => file.slice(0, 4))).size).toBe(decisions.length)
  for (const file of decisions)
    expect(read(`docs/decisions/${file}`)).toMatch(new RegExp(`^# ${Number(file.slice(0, 4))}\\. `))
})

test('the first message of README gets the answer of README', async () => {
  const body = /-d '(\{.*\})'/.exec(codeBlocks('README.md', 'sh').join('\n'))?.[1] ?? ''
  const shown = JSON.parse(codeBlocks('README.md', 'json')[0] ?? '')
  const app = await startApp()
  const answer = await app.call<{ id: string }>(await app.key(), '/send', body)
  const { id } = answer.body.data
  expect(answer.body).toEqual({ ...shown, data: { ...shown.data, id, message_id: id } })
})

describe.each(['README.md', 'docs/callbacks.md'])('the code in %s', (page) => {
  const BODY = '{"type":"message.sent","data":{"metadata":{"name":"Sari – 守"}}}'
  const secret = createSecret()
  /** As during a rotation: the receiver knows the second secret. */
  const headers = signatureHeaders('evt_1', Date.now(), BODY, [createSecret(), secret])
  const cases = [
    { secret, headers, body: BODY, accepted: true },
    { secret, headers, body: BODY.replace('Sari', 'Budi'), accepted: false },
    { secret: createSecret(), headers, body: BODY, accepted: false },
    { secret, headers: signatureHeaders('evt_1', Date.now() - 3_600_000, BODY, [secret]), body: BODY, accepted: false },
  ]
  const input = JSON.stringify(cases)
  const wanted = JSON.stringify(cases.map(({ accepted }) => accepted))
  const snippetOf = (language: string) => codeBlocks(page, language).find((code) => /is_?from_?kurir/i.test(code)) ?? ''

  test('is what the window shows', () => {
    for (const [language, shown] of Object.entries(VERIFY_SNIPPETS)) {
      if (language === 'php' && page === 'README.md') continue
      expect(snippetOf(language), language).toBe(shown)
    }
  })

  test('JavaScript knows our signature from any other', () => {
    const code = `${snippetOf('javascript')}
      const cases = JSON.parse(process.argv[1])
      console.log(JSON.stringify(cases.map((one) => isFromKurir(one.secret, one.headers, one.body))))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code, input], {
      encoding: 'utf8',
    })
    expect(stdout.trim(), stderr).toBe(wanted)
  })

  test('Python knows our signature from any other', (context) => {
    const code = `${snippetOf('python')}
import json, sys
cases = json.loads(sys.argv[1])
print(json.dumps([is_from_kurir(c["secret"], c["headers"], c["body"].encode()) for c in cases], separators=(",", ":")))`
    const { stdout, stderr, error } = spawnSync('python3', ['-c', code, input], { encoding: 'utf8' })
    context.skip(error !== undefined, 'python3 is not installed')
    expect(stdout.trim(), stderr).toBe(wanted)
  })
})
