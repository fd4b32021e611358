import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { ERROR_STATUS, errorAnswer } from '../contract/errors.ts'
import { callback } from '../contract/webhooks.ts'
import { fieldProblem } from '../words/errors.ts'
import { operationName } from './description-names.ts'
import { createJsonSchemas, exampleOf, type JsonSchema, type JsonSchemas } from './json-schema.ts'
import type { Auth, Route } from './route.ts'

function json(schemas: JsonSchemas, from: z.ZodType, io: 'input' | 'output') {
  const schema = schemas.of(from, io)
  return { content: { 'application/json': { schema, example: exampleOf(schema, io, schemas) } } }
}

const SECURITY: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  key: [{ apiKey: [] }],
  owner: [{ ownerToken: [] }],
  key_or_owner: [{ apiKey: [] }, { ownerToken: [] }],
}

function parametersOf(schemas: JsonSchemas, schema: z.ZodType | undefined, place: 'path' | 'query' | 'header') {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemas.resolved(schemas.of(schema, 'input')) as {
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

function requestBodyOf(schemas: JsonSchemas, route: Route) {
  if (route.upload !== undefined) return { requestBody: { required: true, content: { [route.upload.type]: {} } } }
  if (route.body === undefined) return {}
  const { content } = json(schemas, route.body, 'input')
  const schema = schemas.of(route.body, 'input')
  const form =
    route.form === undefined
      ? {}
      : {
          'application/x-www-form-urlencoded': { schema },
          'multipart/form-data': { schema: withFile(schemas.resolved(schema)) },
        }
  return { requestBody: { required: route.bodyOptional !== true, content: { ...content, ...form } } }
}

/** The same members, and the file itself. */
const withFile = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...Object(schema.properties), file: { type: 'string', contentMediaType: 'application/octet-stream' } },
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated call with the same key and body gets the first answer; nothing is sent twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'INV-1001',
}
const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`respond-async`: the answer does not wait for Meta.',
  schema: { type: 'string' },
  example: 'respond-async',
}
const text = { schema: { type: 'string' } }
const IDEMPOTENT = {
  'Idempotent-Replayed': { description: '`true`: this is the first answer once more.', ...text },
}
const OF_BODIES = {
  'X-Charset-Assumed': {
    description: 'Charset that the body was read as: it names none and is not UTF-8.',
    ...text,
  },
  'X-Unknown-Members': { description: 'Names that the route does not know; they were ignored.', ...text },
}
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }

/** The groups of the routes, in the order in which they are shown. */
const TAGS = {
  Sending: 'Calls that send.',
  Messages: 'Status, changes and figures of messages.',
  Senders: 'The numbers that messages leave from.',
  'API keys': 'Keys of programs that may send.',
  Webhooks: 'Receivers of callbacks, and the callbacks that they got.',
  Settings: 'Settings of the owner, alarms and backups.',
  Sessions: 'Browsers in which the owner is logged in.',
  'Opt-outs': 'Customers who do not want messages.',
  'Drop folder': 'A folder of the owner, whose files are sent to the numbers in their names.',
  'Receipt printer': 'A printer port on this PC, whose prints are sent.',
  'Saved texts': 'Texts that the owner keeps for later messages.',
  Tables: 'Rows of a spreadsheet, each of which becomes a message.',
  Fonnte: 'For programs that were written for Fonnte.',
  Wablas: 'For programs that were written for Wablas.',
  Panels: 'For programs that were written for a panel ("MPWA").',
  WAHA: 'For programs that were written for WAHA.',
  'Cloud API': "For programs that were written for Meta's Cloud API.",
  Operation: 'Health, metrics, refused calls, and this description.',
}

/** Statuses of errors that a route can answer with, as far as they follow from what it is. */
function errorStatusesOf(route: Route): number[] {
  const checked = route.body !== undefined || route.query !== undefined || route.params !== undefined
  return [
    ...(checked || route.upload !== undefined ? [400] : []),
    ...(route.auth === 'key' || route.auth === 'key_or_owner' ? [401] : []),
    // Everywhere: a host name that is not known.
    403,
    ...(route.auth === 'none' ? [] : [429]),
    ...(route.params === undefined ? [] : [404]),
    ...(route.body === undefined && route.upload === undefined ? [] : [413, 415]),
    ...(route.errors ?? []),
    ...(route.form !== undefined || route.path === '/files' ? [507] : []),
    500,
    503,
  ]
}

const errorsOf = (route: Route) =>
  Object.fromEntries(
    errorStatusesOf(route).map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  )

function operationOf(schemas: JsonSchemas, route: Route) {
  const headers = { ...(route.once ? IDEMPOTENT : {}), ...(route.body === undefined ? {} : OF_BODIES) }
  return {
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    operationId: operationName(route),
    security: SECURITY[route.auth],
    parameters: [
      ...parametersOf(schemas, route.params, 'path'),
      ...parametersOf(schemas, route.query, 'query'),
      ...parametersOf(schemas, route.upload?.headers, 'header'),
      ...(route.once ? [IDEMPOTENCY_KEY] : []),
      ...(route.otherAnswers?.some(({ status }) => status === 202) ? [PREFER] : []),
    ],
    ...requestBodyOf(schemas, route),
    responses: {
      [String(route.status ?? 200)]: {
        description: 'Success',
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(typeof route.answer === 'string'
          ? { content: { [route.answer]: {} } }
          : json(schemas, route.answer, 'output')),
      },
      ...errorsOf(route),
      ...Object.fromEntries(
        (route.otherAnswers ?? []).map(({ status, description, schema }) => [
          String(status),
          { description, ...json(schemas, schema, 'output') },
        ]),
      ),
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

/** One response for each status of errors but 405, with an example of each of its codes. */
function errorResponses(schemas: JsonSchemas) {
  const codes = Object.entries(ERROR_STATUS)
  const schema = schemas.of(errorAnswer, 'output')
  const example = (code: string) => ({
    success: false,
    message: 'A sentence for people.',
    error: {
      code,
      ...(code === 'invalid_request' ? { details: [fieldProblem('delay', 'too_big', { max: 2_592_000 })] } : {}),
    },
  })
  return Object.fromEntries(
    [...new Set(Object.values(ERROR_STATUS))]
      .filter((status) => status !== 405)
      .map((status) => {
        const own = codes.filter(([, each]) => each === status).map(([code]) => code)
        const examples = Object.fromEntries(own.map((code) => [code, { value: example(code) }]))
        return [
          `Error${status}`,
          {
            description: own.map((code) => `\`${code}\``).join(', '),
            ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
            content: { 'application/json': { schema, examples } },
          },
        ]
      }),
  )
}

/** Headers of a callback, as Standard Webhooks names them. */
const CALLBACK_HEADERS = Object.entries({
  'webhook-id': 'The same in all attempts of an event.',
  'webhook-timestamp': 'Time of this attempt, in seconds.',
  'webhook-signature': '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; several with spaces between.',
}).map(([name, description]) => ({ name, in: 'header', required: true, description, ...text }))

/** Resolves with OpenAPI 3.1 of all routes, from the schemas that check the requests. */
export async function createOpenApi(routes: readonly Route[], version: string) {
  const schemas = createJsonSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(schemas, route) }
    // All of them at one go would hold up the callers beside this one for a sixth of a second.
    await setImmediate()
  }
  const used = new Set(routes.map(({ tag }) => tag))
  const codes = Object.entries(ERROR_STATUS).map(([code, status]) => `${status} \`${code}\``)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kurir',
      version,
      description:
        'A WhatsApp send gateway on your own PC. A 200 of /send means that the message is on disk. Ignore members that you do not know: answers get new ones.',
      contact: { name: 'The Kurir authors' },
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: 'http://127.0.0.1:7420', description: 'This PC.' }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    webhooks: {
      callback: {
        post: {
          operationId: 'callback',
          tags: ['Webhooks'],
          summary: 'Callback to your program',
          description: 'Kurir posts it, signed as Standard Webhooks says, and repeats it until it gets a 2xx.',
          // Not a key: the signature in the header proves who calls.
          security: [],
          parameters: CALLBACK_HEADERS,
          requestBody: { required: true, ...json(schemas, callback, 'output') },
          responses: {
            '2XX': { description: 'Received. Anything else is tried again.' },
            '410': { description: 'The receiver is gone: Kurir switches the webhook off.' },
          },
        },
      },
    },
    components: {
      schemas: schemas.named,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: kurir_g_… or kurir_d_…' },
        ownerToken: { type: 'http', scheme: 'bearer', description: 'The owner token, on this PC only.' },
      },
      responses: {
        Error: {
          description: `An error. Codes: ${codes.join(', ')}.`,
          content: { 'application/json': { schema: schemas.of(errorAnswer, 'output') } },
        },
        ...errorResponses(schemas),
      },
    },
  }
}
