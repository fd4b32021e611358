import { z } from 'zod'
import { ERROR_STATUS, errorAnswer } from '../contract/errors.ts'
import { callback } from '../contract/webhooks.ts'
import type { Auth, Route } from './route.ts'

type JsonSchema = Record<string, unknown>

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return rest
}

const json = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })

const SECURITY: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  key: [{ apiKey: [] }],
  bare_key: [{ apiKey: [] }],
  owner: [{ ownerToken: [] }],
  key_or_owner: [{ apiKey: [] }, { ownerToken: [] }],
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query' | 'header') {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: rest,
    ...(description === undefined ? {} : { description }),
  }))
}

function requestBodyOf(route: Route) {
  if (route.upload !== undefined) return { requestBody: { required: true, content: { [route.upload.type]: {} } } }
  if (route.body === undefined) return {}
  const schema = schemaOf(route.body, 'input')
  const { content } = json(schema)
  const form = route.form === undefined ? {} : { 'multipart/form-data': { schema: withFile(schema) } }
  return { requestBody: { required: route.bodyOptional !== true, content: { ...content, ...form } } }
}

/** The same members, and the file itself. */
const withFile = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...Object(schema.properties), file: { type: 'string', contentMediaType: 'application/octet-stream' } },
})

function operationOf(route: Route) {
  const idempotent = route.path === '/send' || route.path === '/waba/send-template'
  return {
    tags: [route.tag],
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/\W+(\w)/g, (_, c: string) => c.toUpperCase()).replace(/\W/g, '')}`,
    security: SECURITY[route.auth],
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...parametersOf(route.upload?.headers, 'header'),
      ...(idempotent
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              schema: { type: 'string', minLength: 1, maxLength: 255 },
            },
          ]
        : []),
    ],
    ...requestBodyOf(route),
    responses: {
      '200': {
        description: 'Success',
        ...(typeof route.answer === 'string'
          ? { content: { [route.answer]: {} } }
          : json(schemaOf(route.answer, 'output'))),
      },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** OpenAPI 3.1 of all routes, from the schemas that check the requests. */
export function createOpenApi(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  const codes = Object.entries(ERROR_STATUS).map(([code, status]) => `${status} \`${code}\``)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kurir',
      version,
      description: 'A WhatsApp send gateway on your own PC. A 200 of /send means that the message is on disk.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: 'http://localhost:7420' }],
    paths,
    webhooks: {
      callback: {
        post: {
          summary: 'What Kurir posts to your program, signed as Standard Webhooks says',
          requestBody: json(schemaOf(callback, 'output')),
          responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: kurir_g_… or kurir_d_…' },
        ownerToken: { type: 'http', scheme: 'bearer', description: 'The owner token, on this PC only.' },
      },
      responses: {
        Error: { description: `An error. Codes: ${codes.join(', ')}.`, ...json(schemaOf(errorAnswer, 'output')) },
      },
    },
  }
}
