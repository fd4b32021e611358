// Writes docs/clients/collection.json, all calls of callers for Postman and Bruno, from
// docs/openapi.json. `--check` writes nothing and exits with 1 if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  minItems?: number
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
  description?: string
}

interface Operation {
  tags: string[]
  summary: string
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: unknown }> }
}

interface OpenApi {
  info: { title: string }
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

// Values for members whose schema has no example.
const NAMED: Record<string, unknown> = { phone: '6281234567890', target: '081234567890' }

/** Keeps the id of the message that /send answers with, for the calls that ask about it. */
const KEEP_ID = {
  listen: 'test',
  script: { type: 'text/javascript', exec: ["pm.collectionVariables.set('id', pm.response.json().data.id)"] },
}

const docs = join(import.meta.dirname, '..', 'docs')
const file = join(docs, 'clients', 'collection.json')
const openapi = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8')) as OpenApi
const written = `${JSON.stringify(collection(openapi), null, 2)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, written)
else if (readFileSync(file, 'utf8') !== written) {
  console.error('docs/clients/collection.json is not what docs/openapi.json says. Write it again: npm run collection')
  process.exitCode = 1
}

/**
 * Returns the collection in Postman's format 2.1, which Bruno, Insomnia and Hoppscotch also read.
 */
function collection({ info, paths }: OpenApi) {
  const calls = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        tag: operation.tags[0] ?? '',
        item: itemOf(path, method.toUpperCase(), operation),
      })),
    )
  const folders = Map.groupBy(calls, ({ tag }) => tag)
  return {
    info: {
      name: info.title,
      description:
        'Set the variable key to a Global API key of your Kurir. The sender is the sandbox until you change it: nothing leaves your PC. The id is that of the last message that was sent from here.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: [
      { key: 'url', value: 'http://127.0.0.1:7420' },
      { key: 'key', value: 'kurir_g_…' },
      { key: 'sender', value: 'SND-SANDBOX' },
      { key: 'id', value: '' },
    ],
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    item: [...folders].map(([name, members]) => ({ name, item: members.map(({ item }) => item) })),
  }
}

function itemOf(path: string, method: string, operation: Operation) {
  const parameters = operation.parameters ?? []
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, required, schema, description }) => ({
      key: name,
      value: name === 'sender_code' ? '{{sender}}' : String(NAMED[name] ?? example(schema) ?? ''),
      // A parameter that only a Global key needs is optional in the schema, but the collection uses
      // one.
      disabled: required !== true && description?.startsWith('Needed') !== true,
      ...(description === undefined ? {} : { description }),
    }))
  const variable = parameters
    .filter((each) => each.in === 'path')
    .map(({ name, schema }) => {
      const value = name === 'code' ? '{{sender}}' : String(schema?.examples?.[0] ?? `{{${name}}}`)
      return { key: name, value }
    })
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  return {
    name: operation.summary,
    ...(path === '/send' ? { event: [KEEP_ID] } : {}),
    request: {
      method,
      ...(operation.security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: [],
      url: { raw: `{{url}}/${segments}`, host: ['{{url}}'], path: segments.split('/'), query, variable },
      ...bodyOf(operation),
    },
  }
}

function bodyOf({ requestBody }: Operation) {
  const content = requestBody?.content
  if (content === undefined) return {}
  const json = content['application/json']
  if (json === undefined) return { body: { mode: 'file', file: { src: '' } } }
  const members = json.example ?? example(json.schema)
  const named = 'sender_code' in (resolved(json.schema)?.properties ?? {}) ? { sender_code: '{{sender}}' } : {}
  const raw = JSON.stringify({ ...(members as object), ...named }, null, 2)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

function resolved(schema: Schema | undefined): Schema | undefined {
  return schema?.$ref === undefined ? schema : openapi.components?.schemas?.[schema.$ref.split('/').at(-1) ?? '']
}

/** Returns a minimal value for a schema, preferring the examples and defaults that it contains. */
function example(given: Schema | undefined): unknown {
  const schema = resolved(given)
  if (schema === undefined) return undefined
  const known = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default
  if (known !== undefined) return known
  if (schema.anyOf !== undefined) return example(schema.anyOf[0])
  if (schema.properties !== undefined) {
    const wanted = (schema.required ?? []).filter((name) => schema.properties?.[name]?.default === undefined)
    return Object.fromEntries(wanted.map((name) => [name, NAMED[name] ?? example(schema.properties?.[name])]))
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array') return [example(schema.items)]
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1
  return type === 'boolean' ? false : ''
}
