import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../support/app.ts'
import { ROOT } from '../support/markdown.ts'

interface Item {
  name: string
  item?: Item[]
  event?: object[]
  request?: {
    method: string
    url: { raw: string; query: Variable[]; variable: Variable[] }
    body?: { raw?: string }
  }
}
interface Variable {
  key: string
  value: string
  disabled?: boolean
}

const { item, variable } = JSON.parse(readFileSync(join(ROOT, 'docs', 'clients', 'collection.json'), 'utf8')) as {
  item: Item[]
  variable: Variable[]
}
const all = item
  .flatMap((folder) => folder.item ?? [])
  .flatMap(({ event, request }) => (request === undefined ? [] : [{ event, request }]))
const requests = all.map(({ request }) => request)

test('the collection is what the description of the routes says', () => {
  const check = spawnSync(process.execPath, [join(ROOT, 'scripts', 'collection.ts'), '--check'], { encoding: 'utf8' })
  expect(check.stderr).toBe('')
  expect(check.status).toBe(0)
})

test('it holds the calls of callers and no others', () => {
  const urls = requests.map(({ method, url }) => `${method} ${url.raw}`)
  expect(urls).toContain('POST {{url}}/send')
  expect(urls).toContain('POST {{url}}/files')
  expect(urls.filter((url) => url.startsWith('{{url}}/api/'))).toEqual([])
})

/** As Postman fills it in. */
const filledIn = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')

test('every call works on a fresh Kurir with a Global key, once what it needs is there', async () => {
  const app = await startApp()
  await app.owner('/api/settings', {
    method: 'PATCH',
    body: { compat_fonnte: true, compat_panel: true, compat_wablas: true, compat_waha: true, compat_cloud: true },
  })
  await app.sender('linked')
  const values: Record<string, string> = {
    ...Object.fromEntries(variable.map(({ key, value }) => [key, value])),
    url: app.url,
  }
  const headers = { authorization: `Bearer ${await app.key()}`, 'content-type': 'application/json' }
  const refused: string[] = []
  for (const { event, request } of all) {
    const { method, url, body } = request
    const path = url.raw.replace(/:(\w+)/g, (_, name: string) =>
      String(url.variable.find(({ key }) => key === name)?.value ?? ''),
    )
    const wanted = url.query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
    const address = filledIn(wanted.length === 0 ? path : `${path}?${wanted.join('&')}`, values)
    const sent = body === undefined ? {} : { body: filledIn(body.raw ?? '', values) }
    const answer = await fetch(address, { method, headers, ...sent })
    const data = await answer.text()
    if (!answer.ok) refused.push(`${method} ${url.raw}`)
    // What the script behind the call keeps.
    if (event !== undefined) values.id = (JSON.parse(data) as { data: { id: string } }).data.id
  }
  expect(refused.filter((call) => !ASKS_FOR_MORE.includes(call))).toEqual([])
})

// The person chooses a file, or what is to be cancelled; and the message of before has left. Some of
// other gateways are there to refuse.
const ASKS_FOR_MORE = [
  'POST {{url}}/compat/cloud/v:version.0/:phone_number_id/media',
  'POST {{url}}/compat/fonnte/:call',
  'PUT {{url}}/compat/wablas/api/schedule-cancel/:id',
  'DELETE {{url}}/compat/wablas/api/schedule/:id',
  'POST {{url}}/compat/waha/api/:action',
  ...['', '/:session', '/:session/:action'].map((path) => `POST {{url}}/compat/waha/api/sessions${path}`),
  'PUT {{url}}/compat/waha/api/sessions/:session',
  ...['Image', 'File', 'Video', 'Voice'].map((what) => `POST {{url}}/compat/waha/api/send${what}`),
  'POST {{url}}/files',
  'DELETE {{url}}/messages/:id',
  'PATCH {{url}}/messages/:id',
]
