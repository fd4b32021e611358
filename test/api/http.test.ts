import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { ERROR_STATUS } from '../../server/contract/errors.ts'
import { VERSION } from '../../server/lib/program.ts'
import { OWNER_TOKEN, SANDBOX, startApp } from '../support/app.ts'
import { isShared } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { sendBytes } from '../support/http-bytes.ts'
import { readPage } from '../support/markdown.ts'
import { closed, readOpenApi } from '../support/openapi.ts'
import { startReceiver } from '../support/receiver.ts'
import { routesOf, withNobody } from '../support/routes.ts'

const app = await startApp({ lives: 'file' })
const key = await app.key()
const routes = await routesOf(app)
const body = { phone: '6281234567890', message: 'Halo', sender_code: SANDBOX, delay: 3600 }

test('settings that are changed in the same moment all count', async () => {
  const changes = [{ files_quota_mb: 4096 }, { retention_days: 90 }, { allowed_hosts: ['kurir.example'] }]
  await Promise.all(changes.map((change) => app.owner('/api/settings', { method: 'PATCH', body: change })))
  expect((await app.owner('/api/settings')).body.data).toMatchObject(Object.assign({}, ...changes))
})

describe('methods', () => {
  const served = (path: string, method: string) =>
    routes.some((route) => {
      const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return route.method === method && pattern.test(path)
    })

  const isOfMouth = (path: string) => path.startsWith('/compat/')
  const paths = [...new Set(routes.map(({ path }) => path))]

  test.each(paths.filter(isOfMouth))('%s is nothing while it is switched off', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await app.owner(path, { method })
      expect(status, method).toBe(404)
      expect(body.message).toMatch(
        /^There is nothing at .+ Programs written for other gateways are let in by the owner/,
      )
    }
  })

  test.each(paths.filter((path) => !isOfMouth(path)))('%s answers 405 to others and names its own', async (path) => {
    const own = routes.filter((route) => route.path === path).map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !served(path, each))) {
      const answer = await app.owner(withNobody(path), { method })
      expect(answer.status, method).toBe(405)
      expect(answer.body.error.code).toBe('method_not_allowed')
      expect(String(answer.headers.allow).split(', ').toSorted()).toEqual(own.toSorted())
    }
  })

  test('finds a path without regard to capitals and a slash at its end', async () => {
    for (const path of ['/SEND', '/send/', '/Send/?x=1', '/api/Messages/'])
      expect((await app.owner(path, { method: 'PUT' })).status, path).toBe(405)
    expect((await app.owner('/API/settings/')).status).toBe(200)
  })

  test('finds a path in a whole address, as programs behind a proxy write it', async () => {
    const { status } = await sendBytes(app, [`GET ${app.url}/health?a=b HTTP/1.1`])
    expect(status).toBe(200)
  })

  test.each(['/nothing', '/api/nothing', '/send/more', '/sen', '/api', '/waba/webhook', '/.env'])(
    '%s is nothing',
    async (path) => {
      const answer = await app.owner(path, { body: {} })
      expect([404, 405]).toContain(answer.status)
      expect(answer.body.success).toBe(false)
    },
  )
})

describe('a body', () => {
  const send = (payload: string | Buffer, headers: Record<string, string> = {}) =>
    app.call<{ id: string }>(key, '/send', payload, { headers })
  const text = JSON.stringify(body)

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.shop+json'])(
    'of type %s is read',
    async (type) => {
      expect((await send(text, { 'content-type': type })).status).toBe(200)
    },
  )

  test.each(['text/plain', 'multipart/form-data', 'application/jsonp', ''])('of type %j is 415', async (type) => {
    const answer = await send(text, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.body.error.code).toBe('unsupported_media_type')
  })

  test('of 512 KiB is read, one byte more is 413', async () => {
    const filled = (bytes: number) => `${text.slice(0, -1)},"x":"${'x'.repeat(bytes - text.length - 7)}"}`
    expect(Buffer.byteLength(filled(524_288))).toBe(524_288)
    expect((await send(filled(524_288))).status).toBe(200)
    const answer = await send(filled(524_289))
    expect(answer.status).toBe(413)
    expect(answer.body.error.code).toBe('payload_too_large')
  })

  test('that does not say its length beforehand is 413 all the same', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    const head = `POST /send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  describe('whose length is said too short', () => {
    async function answerTo(type: string, content: string, said: number): Promise<string> {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      const head = `POST /send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n`
      socket.write(`${head}Content-Length: ${said}\r\n\r\n${content}`)
      return textOf(socket)
    }
    const sent = async (message: string) => (await app.owner<object[]>(`/api/messages?q=${message}`)).body.data

    // A program in Node that says `body.length`.
    test.each([
      ['application/json', JSON.stringify({ ...body, message: 'zukurz ✅✅' })],
      ['application/x-www-form-urlencoded', `phone=6281234567890&sender_code=${SANDBOX}&message=zukurz ✅✅`],
    ])('in letters for bytes is refused with what is wrong, and nothing of it sent (%s)', async (type, content) => {
      const answer = await answerTo(type, content, content.length)
      expect(answer).toMatch(/^HTTP\/1\.1 400 .*Content-Length.*invalid_json"\}\}$/s)
      expect(await sent('zukurz')).toEqual([])
    })

    test('gets the answer to the call before the connection is closed', async () => {
      const answer = await answerTo('application/json', `${text}rest`, text.length)
      expect(answer).toMatch(/^HTTP\/1\.1 200 .*Message queued.*\}$/s)
    })
  })

  test.each(['gzip', 'br', 'deflate', 'zip'])('that is packed (%s), honestly or not, is 415', async (encoding) => {
    for (const payload of [gzipSync(text), text])
      expect((await send(payload, { 'content-encoding': encoding })).status).toBe(415)
  })

  test('is not read for a caller without a key', async () => {
    const answer = await app.fetch('/send', { body: Buffer.alloc(2_000_000) })
    expect(answer.status).toBe(401)
  })
})

describe('GET /health', () => {
  test('needs no key, reveals no secret, and says that all is well', async () => {
    const answer = await app.fetch('/health')
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      success: true,
      data: { status: 'ready', reasons: [] },
    })
    // The sandbox is always connected: who watches for a number that is would never hear.
    expect(JSON.parse(answer.text)).toMatchObject({
      data: { senders: expect.toSatisfy((it) => Object.keys(it).length === 0) },
    })
    expect(answer.text).not.toContain(app.home)
    expect(answer.text).not.toContain(SANDBOX)
  })
})

describe('GET /metrics', () => {
  test('speaks the format of Prometheus', async () => {
    await app.call(key, '/send', body)
    const answer = await app.call(key, '/metrics')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    const line =
      /^(#( (HELP|TYPE) .*)?|[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="[^"]*"(,[a-zA-Z_]\w*="[^"]*")*\})? (-?[\d.e+-]+|NaN|[+-]Inf))?$/
    expect(answer.text.split('\n').filter((each) => !line.test(each))).toEqual([])
    expect(answer.text).toMatch(new RegExp(`^kurir_waiting_messages\\{sender_code="${SANDBOX}"\\} [1-9]`, 'm'))
    expect(answer.text).toMatch(/^kurir_messages_total\{status="queued",channel="standard"\} [1-9]/m)
  })

  test('has its series before anything happened, and counts how long calls take', async () => {
    await app.call(key, '/send', body)
    const { body: hook } = await app.owner<{ id: string }>('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } })
    const { text } = await app.call(key, '/metrics')
    expect(text).toContain('kurir_messages_total{status="failed",channel="template"} 0')
    for (const state of ['pending', 'dead'])
      expect(text).toContain(`kurir_callbacks{webhook_id="${hook.data.id}",state="${state}"} 0`)
    const counted = (route: string) =>
      Number(
        new RegExp(
          `^kurir_request_duration_seconds_count\\{method="POST",route="${route}",status="200"\\} (\\d+)$`,
          'm',
        ).exec(text)?.[1],
      )
    expect(counted('/send')).toBeGreaterThan(0)
    expect(counted('/waba/send-template')).toBe(0)
    expect(text).not.toContain('route="/api')
  })

  test('has the metrics that the page on monitoring names, and no others', async () => {
    const { text } = await app.call(key, '/metrics')
    const served = [...text.matchAll(/^# TYPE (kurir_\w+) /gm)].map(([, name]) => name)
    const named = [...readPage('docs/monitoring.md').matchAll(/^- `(kurir_\w+)[{`]/gm)].map(([, name]) => name)
    // Several nodes have a page of their own.
    const ofNodes = [...readPage('docs/cluster.md').matchAll(/`(kurir_\w+)`/g)].map(([, name]) => name)
    expect(served.toSorted()).toEqual([...named, ...(isShared ? ofNodes : [])].toSorted())
  })

  test('tells what needs the owner, and which version runs', async () => {
    const series = async () => (await app.call(key, '/metrics')).text.split('\n')
    expect(await series()).toContain(`kurir_build_info{version="${VERSION}"} 1`)
    await app.sender('linked', { name: 'Toko' })
    // Calls that were refused above become a concern a second later, maybe between the two reads.
    await expect
      .poll(async () => {
        const { body } = await app.owner<{ concerns: { weight: string; code: string }[] }>('/api/overview')
        const told = (await series()).filter((line) => line.startsWith('kurir_concerns{'))
        const expected = new Set(body.data.concerns.map(({ weight, code }) => `{weight="${weight}",code="${code}"}`))
        expect(expected.size).toBeGreaterThan(0)
        const names = new Set(told.map((line) => line.slice('kurir_concerns'.length).split(' ')[0]))
        return [...names].sort().join() === [...expected].sort().join()
      })
      .toBe(true)
  })

  test('counts how long messages and callbacks take', async () => {
    const receiver = await startReceiver()
    const { body: hook } = await app.owner<{ id: string }>('/api/webhooks', { body: { url: receiver.url } })
    const count = async (series: string) => {
      const { text } = await app.call(key, '/metrics')
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      )
    }
    const SENDS = 'kurir_send_duration_seconds_count{channel="standard"}'
    const CALLS = 'kurir_callback_duration_seconds_count{outcome="taken"}'
    expect(await count('kurir_send_duration_seconds_count{channel="template"}')).toBe(0)
    const before = [await count(SENDS), await count(CALLS)]
    const { body: sent } = await app.call<{ id: string }>(key, '/send', { ...body, delay: 0 })
    await receiver.event('message.sent', sent.data.id)
    await eventually(async () => (await count(CALLS)) > (before[1] ?? 0))
    expect(await count(SENDS)).toBeGreaterThan(before[0] ?? 0)
    await app.owner(`/api/webhooks/${hook.data.id}`, { method: 'DELETE' })
  })

  test('holds no number and no text of a customer', async () => {
    const { text } = await app.call(key, '/metrics')
    expect(text).not.toContain(body.phone)
    expect(text).not.toContain(body.message)
  })
})

describe('the description', () => {
  interface Operation {
    operationId: string
    summary: string
    tags: string[]
    security: object[]
    parameters: { name: string; in: string; required: boolean }[]
    requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
    responses: Record<string, { content?: Record<string, { schema?: object; example?: unknown }> }>
  }
  interface OpenApi {
    paths: Record<string, Record<string, Operation>>
    components: { responses: { Error: { content: { 'application/json': { schema: object } } } } }
  }
  const read = () => readOpenApi<OpenApi>(app)
  const operations = ({ paths }: OpenApi) =>
    Object.entries(paths).flatMap(([path, each]) =>
      Object.entries(each).map(([method, operation]) => ({ path, method, operation })),
    )

  // The least that OpenAPI 3.1 asks for, written down by hand.
  const MINIMUM = {
    type: 'object',
    required: ['openapi', 'info', 'paths', 'components', 'servers'],
    properties: {
      openapi: { const: '3.1.0' },
      info: { type: 'object', required: ['title', 'version', 'license'], properties: { title: { type: 'string' } } },
      servers: { type: 'array', minItems: 1, items: { type: 'object', required: ['url'] } },
      paths: {
        type: 'object',
        propertyNames: { pattern: '^/' },
        additionalProperties: {
          type: 'object',
          propertyNames: { enum: ['get', 'post', 'put', 'patch', 'delete'] },
          additionalProperties: {
            type: 'object',
            required: ['operationId', 'summary', 'tags', 'security', 'responses'],
            properties: {
              operationId: { type: 'string', pattern: '^[a-zA-Z]+$' },
              summary: { type: 'string', minLength: 5 },
              security: { type: 'array', items: { type: 'object', maxProperties: 1 } },
              parameters: {
                type: 'array',
                items: {
                  required: ['name', 'in', 'schema'],
                  properties: { in: { enum: ['path', 'query', 'header'] } },
                },
              },
              responses: {
                type: 'object',
                required: ['default'],
                anyOf: [{ required: ['200'] }, { required: ['201'] }],
                additionalProperties: { anyOf: [{ required: ['description'] }, { required: ['$ref'] }] },
              },
            },
          },
        },
      },
      webhooks: { type: 'object', minProperties: 1 },
      components: { type: 'object', required: ['securitySchemes', 'responses'] },
    },
  }

  test('is OpenAPI 3.1', async () => {
    const ajv = new Ajv2020({ strict: false })
    expect(ajv.validate(MINIMUM, await read()), ajv.errorsText()).toBe(true)
  })

  test('names every parameter of every path, and each operation once', async () => {
    const all = operations(await read())
    for (const { path, operation } of all) {
      const named = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
      expect(named, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
    const ids = all.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has the interface that was asked for', async () => {
    const send = (await read()).paths['/send']?.post
    const request = send?.requestBody?.content['application/json']?.schema as { required: string[]; properties: object }
    // `phone`, unless there is a `group`.
    expect(request.required).toEqual(['message'])
    const fields = [
      'phone',
      'message',
      'sender_code',
      'file',
      'delay',
      'reference_id',
      'referenceId',
      'ref_id',
      'metadata',
    ]
    expect(Object.keys(request.properties)).toEqual(expect.arrayContaining(fields))
  })

  test('holds schemas that can be compiled and that fit what is answered', async () => {
    const openapi = await read()
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const url = 'http://127.0.0.1:9/hook'
    await app.owner('/api/webhooks', { body: { url } })
    await app.call(key, '/send', body)
    const looked: string[] = []
    for (const { path, method, operation } of operations(openapi)) {
      const schema = operation.responses['200']?.content?.['application/json']?.schema
      if (schema === undefined) continue
      const fits = ajv.compile(closed(schema) as object)
      const { example } = operation.responses['200']?.content?.['application/json'] ?? {}
      expect(fits(example), `${method} ${path}: ${ajv.errorsText(fits.errors)} ${JSON.stringify(example)}`).toBe(true)
      // Answers to plain questions are there for the asking.
      const isPlain = !operation.parameters.some(({ required }) => required === true)
      if (method !== 'get' || !isPlain || path.includes('templates') || path.startsWith('/compat/')) continue
      // There is no sheet before a folder for backups is chosen.
      if (path === '/api/backup/sheet') continue
      // Programs that share a database refuse what belongs to one PC.
      if (isShared && ['/api/drop-folder', '/api/backup/plan'].includes(path)) continue
      const answer = await app.owner(path)
      expect(answer.status, path).toBe(200)
      expect(fits(answer.body), `${path}: ${ajv.errorsText(fits.errors)}`).toBe(true)
      looked.push(path)
    }
    expect(looked).toEqual(
      expect.arrayContaining([
        '/messages',
        '/senders',
        '/api/senders',
        '/api/keys',
        '/api/webhooks',
        '/api/settings',
        '/api/overview',
        '/health',
      ]),
    )
  })

  test('has an example that fits for every body', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    for (const { path, method, operation } of operations(await read())) {
      const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
      if (schema === undefined) continue
      expect(ajv.validate(schema, example), `${method} ${path}: ${ajv.errorsText()} ${JSON.stringify(example)}`).toBe(
        true,
      )
    }
  })

  test('names its operations as a program would', async () => {
    const ids = operations(await read()).map(({ operation }) => operation.operationId)
    for (const id of ['sendMessage', 'listMessages', 'cancelMessage', 'rotateSecretOfWebhooks', 'updateSettings'])
      expect(ids).toContain(id)
  })

  test('points nowhere that is not there', async () => {
    const openapi = await read()
    const { text } = await app.fetch('/openapi.json')
    const targets = new Set([...text.matchAll(/"#\/components\/responses\/(\w+)"/g)].map(([, name]) => name))
    expect(Object.keys(openapi.components.responses)).toEqual(expect.arrayContaining([...targets]))
    for (const { path, operation } of operations(openapi))
      if (operation.security.length > 0) expect(Object.keys(operation.responses), path).toContain('403')
  })

  test('describes the error that is answered', async () => {
    const { schema } = (await read()).components.responses.Error.content['application/json']
    const ajv = new Ajv2020({ strict: false })
    for (const answer of [
      await app.fetch('/send', { body: {} }),
      await app.call(key, '/send', {}),
      await app.call(key, '/messages/x'),
    ])
      expect(ajv.validate(schema, answer.body), ajv.errorsText()).toBe(true)
    expect(JSON.stringify(schema)).toContain(Object.keys(ERROR_STATUS).at(-1))
  })
})

test('GET /docs is a page that needs nothing from elsewhere and shows every route', async () => {
  const { status, text, headers } = await app.fetch('/docs')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(text).not.toMatch(/src=|@import|href="https?:/)
  // Its one script is the one that its policy names.
  const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
  const named = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  expect(named).toHaveLength(1)
  expect(headers['content-security-policy']).toContain(`script-src ${named[0]};`)
  for (const { path } of routes) expect(text).toContain(path)
  // A table of contents, which key, an example, the errors; every link leads somewhere.
  expect(text).toMatch(
    /POST<\/b> <code>\/send<\/code>[\s\S]*?Needs an API key\. On this PC the owner’s token does as well\./,
  )
  expect(text).toContain('&#34;message&#34;: &#34;Your invoice is ready&#34;')
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
})

test('GET /docs has what programs call first, with a call to copy, its members and what to do about errors', async () => {
  const { text } = await app.fetch('/docs')
  const [programs = '', owner = ''] = text.split('id="owner"')
  for (const { path } of routes) {
    const heading = `</b> <code>${path}</code></h3>`
    expect([path, programs.includes(heading), owner.includes(heading)]).toEqual([
      path,
      !path.startsWith('/api/'),
      path.startsWith('/api/'),
    ])
  }
  const [, send = ''] = /<section id="sendMessage">([\s\S]*?)<\/section>/.exec(programs) ?? []
  expect(send).toContain(
    '<td><code>message</code></td><td>string</td><td>required</td><td>at most 65536 characters</td>',
  )
  expect(send).toContain('<td><code>Idempotent-Replayed</code></td>')
  // As it stands there it works on a fresh Kurir.
  const [, typed = ''] = /<pre[^>]*>curl ([\s\S]*?)<\/pre>/.exec(send) ?? []
  const call = typed.replaceAll('&#39;', "'").replaceAll('&#34;', '"')
  expect(call).toContain('-H "Authorization: Bearer $KURIR_KEY"')
  const [, sent = ''] = /-d '(.*)'/.exec(call) ?? []
  expect((await app.call(key, '/send', JSON.parse(sent))).status).toBe(200)
  // A callback that can come: what is delivered has no error.
  const [, callback = ''] = /id="callback"[\s\S]*?<pre[^>]*>([\s\S]*?)<\/pre>/.exec(text) ?? []
  expect(JSON.parse(callback.replaceAll('&#34;', '"'))).toMatchObject({
    type: 'message.delivered',
    data: { status: 'delivered', error: null },
  })
  for (const code of Object.keys(ERROR_STATUS)) expect(text).toContain(`<td><code>${code}</code></td>`)
  expect(text).toContain('Retry-After')
})

test('no answer names the software below, and none may be sniffed', async () => {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}` }
  for (const path of ['/health', '/nothing', '/docs', '/api/keys']) {
    const answer = await app.fetch(path, { headers })
    expect(answer.headers['x-powered-by']).toBeUndefined()
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  }
})

test('what is not HTTP is refused, in words where its address is not escaped', async () => {
  const answerTo = async (bytes: string) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write(bytes)
    return textOf(socket)
  }
  expect(await answerTo('rubbish\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  for (const address of ['/send?message=hello world', '/send?message=30°C']) {
    const answer = await answerTo(`GET ${address} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*must be escaped.*"invalid_request"\}\}$/s)
  }
  expect(await answerTo(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
  const chunked = `POST /send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  expect(await answerTo(`${chunked}5\r\n{"a":\r\nrubbish\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
})

test('a call that has begun when it closes gets its answer, and its line is let go', async () => {
  const other = await startApp()
  const address = other.url
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  await once(socket, 'connect')
  // A call that has begun keeps the listener open until it is done.
  const head = `POST /send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OWNER_TOKEN}\r\nContent-Type: application/json\r\n`
  const text = JSON.stringify(body)
  socket.write(`${head}Content-Length: ${text.length}\r\n\r\n${text.slice(0, 10)}`)
  await other.fetch('/health')
  const closed = other.close()
  socket.write(text.slice(10))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  await closed
  socket.destroy()
})
