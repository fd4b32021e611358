import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SANDBOX, startApp } from '../support/app.ts'
import { ROOT } from '../support/markdown.ts'

interface Item {
  name: string
  item?: Item[]
  request?: { method: string; url: { raw: string }; body?: { raw?: string } }
}

const { item } = JSON.parse(readFileSync(join(ROOT, 'docs', 'clients', 'collection.json'), 'utf8')) as { item: Item[] }
const requests = item.flatMap((folder) => folder.item ?? []).flatMap(({ request }) => request ?? [])

test('the collection is what the description of the routes says', () => {
  const check = spawnSync(process.execPath, [join(ROOT, 'scripts', 'collection.ts'), '--check'], { encoding: 'utf8' })
  expect(check.stderr).toBe('')
  expect(check.status).toBe(0)
})

test('it holds the calls of callers and no others', () => {
  const urls = requests.map(({ method, url }) => `${method} ${url.raw}`)
  expect(urls).toContain('POST {{url}}/send')
  expect(urls).toContain('POST {{url}}/files')
  expect(urls.filter((url) => url.includes('/api/'))).toEqual([])
})

test('its message can be sent as it is', async () => {
  const body = requests.find(({ url }) => url.raw === '{{url}}/send')?.body?.raw ?? ''
  const app = await startApp()
  const answer = await app.call(await app.key({ sender: SANDBOX }), '/send', body)
  expect(answer.status, answer.text).toBe(200)
})
