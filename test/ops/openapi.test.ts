import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { type Json, targetOf } from '../support/openapi.ts'

const root = join(import.meta.dirname, '..', '..')

test('docs/openapi.json is what the routes say', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/openapi.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

// What strict linters of descriptions ask for.
describe('the description', () => {
  interface Operation {
    operationId: string
    summary: string
    description?: string
    tags: string[]
    security: Record<string, string[]>[]
    parameters: { name: string; in: string; description?: string; example?: unknown; schema: Json }[]
    responses: Record<string, Json>
  }
  interface Document {
    info: { description: string; license: { identifier: string } }
    tags: { name: string; description: string }[]
    paths: Record<string, Record<string, Operation>>
    webhooks: Record<string, { post: Operation }>
    components: Record<'schemas' | 'responses' | 'securitySchemes', Record<string, Json>>
  }
  const text = readFileSync(join(root, 'docs/openapi.json'), 'utf8')
  const document = JSON.parse(text) as Document
  const { components } = document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
  )
  const groups = document.tags.map(({ name }) => name)
  const callbacks = Object.entries(document.webhooks).map(([name, { post }]) => ({ name, operation: post }))
  const all = [...operations, ...callbacks]
  const refs = new Set([...text.matchAll(/"\$ref": "(#[^"]+)"/g)].map(([, ref]) => ref ?? ''))

  test('names each operation once, by a word that a program can use', () => {
    const ids = [...operations.map(({ operation }) => operation), document.webhooks.callback?.post]
    const names = ids.map((operation) => operation?.operationId ?? '')
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([])
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  test('puts each operation into one group that is described', () => {
    for (const { name, operation } of operations) {
      expect(operation.tags, name).toHaveLength(1)
      expect(groups, name).toEqual(expect.arrayContaining(operation.tags))
      expect(operation.summary, name).toMatch(/^[A-Z].{8,}[^.]$/)
    }
    const used = new Set(operations.flatMap(({ operation }) => operation.tags))
    expect(document.tags.filter(({ name, description }) => !used.has(name) || description.length < 10)).toEqual([])
  })

  test('says of each operation which key it needs, how it can fail, and what callers must know', () => {
    for (const { name, path, operation } of operations) {
      const schemes = operation.security.flatMap(Object.keys)
      expect(Object.keys(components.securitySchemes), name).toEqual(expect.arrayContaining(schemes))
      const statuses = Object.keys(operation.responses)
      expect(
        statuses.filter((status) => /^4\d\d$/.test(status)),
        name,
      ).not.toEqual([])
      expect(statuses, name).toEqual(expect.arrayContaining(['500', 'default']))
      expect(statuses.includes('200') || statuses.includes('201'), name).toBe(true)
      if (schemes.includes('apiKey')) expect(operation.description, `${name}, ${path}`).toMatch(/^.{30,}\.$/)
    }
  })

  test('says more of each operation than its summary, in words that begin with what it does', () => {
    for (const { name, operation } of all) {
      expect(operation.description, name).toMatch(/^[A-Z0-9`].{8,}[.)]$/)
      expect(operation.description, name).not.toBe(operation.summary)
      expect(operation.summary, name).not.toMatch(/^(What|Where|Whether|Who|Whoever)\b/)
      expect(groups, name).toEqual(expect.arrayContaining(operation.tags))
    }
    expect(document.tags.filter(({ description }) => /^(What|Where|Whether|Who)\b/.test(description))).toEqual([])
  })

  test('names an Idempotency-Key at each call that sends, and at no other', () => {
    const sends =
      /^(\/compat\/.+)?\/(send|send-[\w-]+|send-bulk\/text|send(Text|Image|File|Video|Voice)|schedule)$|^\/waba\/send-|\}\/messages$/
    const named = operations.filter(({ operation }) =>
      operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
    )
    expect(named.map(({ path }) => path)).toEqual(operations.map(({ path }) => path).filter((path) => sends.test(path)))
    expect(named).toHaveLength(37)
  })

  test('describes every parameter, and every member of what callers send and get', () => {
    const parameters = all.flatMap(({ name, operation }) =>
      operation.parameters.filter(({ description }) => description === undefined).map((each) => `${name} ${each.name}`),
    )
    expect(parameters).toEqual([])
    for (const name of ['SendRequest', 'TemplateRequest', 'Message']) {
      const members = Object.entries((components.schemas[name]?.properties ?? {}) as Record<string, Json>)
      const bare = members.filter(([, member]) => member.description === undefined && member.$ref === undefined)
      expect(bare.map(([member]) => `${name}.${member}`)).toEqual([])
    }
  })

  test('has no component that nothing refers to, and no reference that leads nowhere', () => {
    const there = (['schemas', 'responses'] as const).flatMap((kind) =>
      Object.keys(components[kind]).map((name) => `#/components/${kind}/${name}`),
    )
    expect(there.filter((ref) => !refs.has(ref))).toEqual([])
    expect([...refs].filter((ref) => !there.includes(ref))).toEqual([])
    const schemes = operations.flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(Object.keys(components.securitySchemes).filter((scheme) => !schemes.includes(scheme))).toEqual([])
  })

  test('gives what programs work with a name, and repeats no large schema', () => {
    const names = ['SendRequest', 'TemplateRequest', 'Message', 'MessageDetail', 'SenderSummary', 'Callback', 'Error']
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names))
    expect(JSON.stringify(document.paths['/messages/{id}']?.get)).toContain('#/components/schemas/MessageDetail')
    for (const { name, operation } of operations)
      expect(JSON.stringify(operation.responses).match(/"properties"/g)?.length ?? 0, name).toBeLessThan(20)
  })

  test('holds examples that fit their schemas, of components and errors as well', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'description')
    let looked = 0
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { schema, example, examples } = value as { schema?: object; example?: unknown; examples?: Json }
      const given = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map((each) => (each as Json).value),
      ]
      if (schema !== undefined && given.length > 0) {
        const fits = ajv.compile({ $ref: `description#${at}/schema` })
        for (const each of given) expect(fits(each), `${at}: ${ajv.errorsText(fits.errors)}`).toBe(true)
        looked += given.length
        return
      }
      for (const [name, each] of Object.entries(value))
        look(each, `${at}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    }
    look(document, '')
    expect(looked).toBeGreaterThan(80)
  })

  test('keeps the patterns of dates and ids out, which their formats say', () => {
    expect(text.match(/"pattern": ".{200,}"/g)).toBeNull()
    expect(targetOf(document as unknown as Json, '#/components/schemas/Message')).toHaveProperty(
      'properties.created_at.format',
      'date-time',
    )
  })
})
