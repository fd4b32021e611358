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

/** Returns the schema of the form, in which `file` is the file itself. */
const withFile = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...Object(schema.properties), file: { type: 'string', contentMediaType: 'application/octet-stream' } },
})

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key of this request, such as the invoice number. A repeated request with the same key and the same body gets the first response again; nothing is sent twice. Keys are kept for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'INV-1001',
}
const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`respond-async`: respond with 202 as soon as the message is stored, without waiting for Meta.',
  schema: { type: 'string' },
  example: 'respond-async',
}
const text = { schema: { type: 'string' } }
const IDEMPOTENT = {
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    ...text,
  },
}
const OF_BODIES = {
  'X-Charset-Assumed': {
    description:
      'Charset in which the request body was read, because it is not UTF-8 and its Content-Type names no charset.',
    ...text,
  },
  'X-Unknown-Members': {
    description: 'Field names in the request that this route does not know and ignored.',
    ...text,
  },
}
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } } }

/** The groups of the routes, in the order in which they are shown. */
const TAGS = {
  Sending: 'Send messages, upload files, list templates.',
  Messages: 'Read, change and cancel messages, and count them.',
  Senders: 'WhatsApp numbers that send messages: linked numbers, official numbers and sandboxes.',
  'API keys': 'Keys with which programs authenticate.',
  Webhooks: 'Webhook endpoints, and the callbacks that Kurir sends to them.',
  Settings: 'Settings, alarms, backups and the log.',
  Sessions: 'Browsers in which the owner is logged in.',
  'Opt-outs': 'Recipients who do not want messages, or no marketing messages.',
  'Drop folder': 'A folder on this PC: Kurir sends each file in it to the phone number in the file name.',
  'Receipt printer': 'A printer port on this PC: Kurir sends each printed receipt to the phone number on it.',
  'Saved texts': 'Texts that the owner saved for later messages.',
  Tables: 'Send a message for each row of a spreadsheet.',
  Fonnte: 'Routes compatible with the API of Fonnte, for programs written for it.',
  Wablas: 'Routes compatible with the API of Wablas, for programs written for it.',
  Panels: 'Routes compatible with reseller panels ("MPWA"), for programs written for them.',
  WAHA: 'Routes compatible with the API of WAHA, for programs written for it.',
  'Cloud API': "Routes compatible with Meta's Cloud API, for programs written for it.",
  Operation: 'Health, metrics, refused requests, nodes, and this description.',
}

/** Returns the error statuses of a route: those that its properties imply, and its own. */
function errorStatusesOf(route: Route): number[] {
  const checked = route.body !== undefined || route.query !== undefined || route.params !== undefined
  return [
    ...(checked || route.upload !== undefined ? [400] : []),
    ...(route.auth === 'key' || route.auth === 'key_or_owner' ? [401] : []),
    // On every route: the host name may be unknown.
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

/** Returns one response for each error status except 405, with an example of each of its codes. */
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
  'webhook-id': 'Id of the event. It is the same in all attempts: use it to drop duplicates.',
  'webhook-timestamp': 'Time of this attempt, in seconds since 1970.',
  'webhook-signature':
    'Signature: `v1,` followed by the base64 of HMAC-SHA256 over `id.timestamp.body`. Several signatures are separated by spaces.',
}).map(([name, description]) => ({ name, in: 'header', required: true, description, ...text }))

/** Resolves with OpenAPI 3.1 of all routes, from the schemas that check the requests. */
export async function createOpenApi(routes: readonly Route[], version: string) {
  const schemas = createJsonSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(schemas, route) }
    // All routes in one turn of the event loop would delay other calls by a sixth of a second.
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
        "Kurir is a WhatsApp gateway that runs on your own PC. A sender is a WhatsApp number that sends messages: a linked number (by QR code), an official number (Meta's Cloud API), or a sandbox, which sends nothing. The owner of the PC creates the API keys. A 200 from /send means that the message is stored on disk, in its sender's queue. Ignore fields that you do not know: responses may get new ones.",
      contact: { name: 'The Kurir authors' },
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: 'http://127.0.0.1:7420', description: 'Kurir on this PC.' }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths,
    webhooks: {
      callback: {
        post: {
          operationId: 'callback',
          tags: ['Webhooks'],
          summary: 'Callback to your webhook endpoint',
          description:
            'Kurir sends each event by POST, signed according to Standard Webhooks, and retries until your endpoint answers with 2xx, up to 12 attempts in all.',
          // Not a key: the signature in the header proves who calls.
          security: [],
          parameters: CALLBACK_HEADERS,
          requestBody: { required: true, ...json(schemas, callback, 'output') },
          responses: {
            '2XX': { description: 'Received. Kurir retries after any other status.' },
            '410': { description: 'The endpoint is gone. Kurir switches it off.' },
          },
        },
      },
    },
    components: {
      schemas: schemas.named,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'API key of a program: `kurir_g_…` (global key, every sender) or `kurir_d_…` (device key, one sender).',
        },
        ownerToken: { type: 'http', scheme: 'bearer', description: "The owner's token. Accepted on this PC only." },
      },
      responses: {
        Error: {
          description: `Error. Codes by status: ${codes.join(', ')}.`,
          content: { 'application/json': { schema: schemas.of(errorAnswer, 'output') } },
        },
        ...errorResponses(schemas),
      },
    },
  }
}
