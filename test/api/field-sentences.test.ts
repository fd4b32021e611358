import { describe, expect, test } from 'vitest'
import type { FieldProblem } from '../../server/contract/field-problems.ts'
import { en } from '../../server/words/en/index.ts'
import { id } from '../../server/words/id/index.ts'
import { fieldText } from '../../server/words/say.ts'
import { type Answer, SANDBOX, startApp } from '../support/app.ts'
import { readOpenApi } from '../support/openapi.ts'
import { routesOf, withNobody } from '../support/routes.ts'

const app = await startApp({ lives: 'file' })
const phone = '6281234567890'
const right = { phone, message: 'Halo', sender_code: SANDBOX, delay: 86_400 }
const template = { phone, template_name: 'hello', sender_code: SANDBOX }

const detailsOf = ({ body }: Answer<unknown>) => body.error?.details ?? []

/** The words of the schema library, which say nothing to a person. */
const RAW =
  /invalid (?:input|option|string|type|union|key|format)|expected|(?<!message\.)received|too (?:small|big)|unrecognized|nan\b|zod/i

// What is posted, the wrong field, the code and the whole sentence of it.
const BODIES: [path: string, body: object, field: string, code: FieldProblem, sentence: string][] = [
  ['/send', { ...right, phone: undefined }, 'phone', 'required', 'is required'],
  ['/send', { ...right, phone: null }, 'phone', 'required', 'is required'],
  ['/send', { ...right, phone: true }, 'phone', 'wrong_type', 'must be text, not true or false'],
  ['/send', { ...right, phone: '12' }, 'phone', 'not_a_phone', fieldText(en, 'not_a_phone')],
  ['/send', { ...right, phone: '081234567890' }, 'phone', 'no_country_code', fieldText(en, 'no_country_code')],
  ['/send', { ...right, message: undefined }, 'message', 'required', 'is required'],
  [
    '/send',
    { ...right, message: 5 },
    'message',
    'wrong_type',
    fieldText(en, 'wrong_type', { expected: 'text', given: 'number' }),
  ],
  ['/send', { ...right, message: '' }, 'message', 'empty_without_file', 'must not be empty without a file'],
  ['/send', { ...right, message: 'x'.repeat(65_537) }, 'message', 'too_long', 'must have at most 65536 characters'],
  ['/send', { ...right, delay: '5' }, 'delay', 'wrong_type', 'must be a number, not text'],
  ['/send', { ...right, delay: -1 }, 'delay', 'too_small', 'must not be less than 0'],
  ['/send', { ...right, delay: 2_592_001 }, 'delay', 'too_big', 'must not be more than 2592000'],
  ['/send', { ...right, file: 'ftp://x/y' }, 'file', 'not_an_address', fieldText(en, 'not_an_address')],
  [
    '/send',
    { ...right, file: 'C:\\Till\\INV-1.pdf' },
    'file',
    'not_an_address',
    'must be an http or https address without user name and password, or begin with file:///C:/ or data:application/pdf;base64,',
  ],
  [
    '/send',
    { ...right, reference_id: 1001 },
    'reference_id',
    'wrong_type',
    fieldText(en, 'wrong_type', { expected: 'text', given: 'number' }),
  ],
  ['/send', { ...right, reference_id: '' }, 'reference_id', 'empty', 'must not be empty'],
  [
    '/send',
    { ...right, reference_id: 'x'.repeat(257) },
    'reference_id',
    'too_long',
    'must have at most 256 characters',
  ],
  ['/send', { ...right, metadata: [] }, 'metadata', 'wrong_type', 'must be an object, not a list'],
  [
    '/send',
    { ...right, metadata: { reference_id: 7 } },
    'metadata.reference_id',
    'wrong_type',
    fieldText(en, 'wrong_type', { expected: 'text', given: 'number' }),
  ],
  ['/send', [], 'body', 'wrong_type', 'must be an object, not a list'],
  [
    '/waba/send-template',
    { ...template, template_name: 5 },
    'template_name',
    'wrong_type',
    fieldText(en, 'wrong_type', { expected: 'text', given: 'number' }),
  ],
  ['/waba/send-template', { ...template, template_name: '' }, 'template_name', 'empty', 'must not be empty'],
  ['/api/keys', { kind: 'globl', name: 'till' }, 'kind', 'not_one_of', 'must be one of these: global, device'],
  [
    '/api/keys',
    { kind: 'global', name: 'till', sender_code: SANDBOX },
    'sender_code',
    'not_together',
    'must not be given together with kind: global',
  ],
  ['/api/keys', { name: 'till' }, 'kind', 'required', 'is required'],
  ['/api/keys', { kind: 'global', name: ' ' }, 'name', 'empty', 'must not be empty'],
  [
    '/api/keys',
    { kind: 'global', name: 'till', expires_at: 'tomorrow' },
    'expires_at',
    'wrong_form',
    'must look like 2026-11-21T15:00:00+07:00',
  ],
  [
    '/api/senders',
    { kind: 'linkd', name: 'x' },
    'kind',
    'not_one_of',
    'must be one of these: linked, official, sandbox',
  ],
  ['/api/senders', { name: 'x' }, 'kind', 'required', 'is required'],
]

test.each(BODIES)('POST %s %j: %s is %s', async (path, body, field, code, sentence) => {
  const answer = await app.owner(path, { body })
  expect(answer.status, answer.text).toBe(400)
  expect(detailsOf(answer)).toMatchObject([{ field, code, message: sentence }])
  expect(answer.body.message).toBe(`Please correct: ${field}: ${sentence}`)
})

const QUERIES: [path: string, field: string, code: FieldProblem, sentence: string][] = [
  ['/messages?limit=0', 'limit', 'too_small', 'must not be less than 1'],
  ['/messages?limit=1000', 'limit', 'too_big', 'must not be more than 200'],
  ['/messages?limit=many', 'limit', 'not_a_number', 'must be a number'],
  [
    '/messages?status=red',
    'status.0',
    'not_one_of',
    'must be one of these: queued, accepted, sending, sent, delivered, read, failed, cancelled',
  ],
  ['/messages?status=read&status=sent', 'status', 'repeated', fieldText(en, 'repeated')],
  ['/messages?from=yesterday', 'from', 'wrong_form', 'must look like 2026-11-21 or 2026-11-21T08:00:00Z'],
  ['/messages?cursor=abc', 'cursor', 'not_a_cursor', fieldText(en, 'not_a_cursor')],
  ['/messages?channel=sms', 'channel', 'not_one_of', 'must be one of these: standard, template'],
]

test.each(QUERIES)('GET %s: %s is %s', async (path, field, code, sentence) => {
  const answer = await app.owner(path)
  expect(answer.status, answer.text).toBe(400)
  expect(detailsOf(answer)).toMatchObject([{ field, code, message: sentence }])
})

test('the allowed values come along, so that a window can say it in its language', async () => {
  const { body } = await app.owner('/api/settings', { method: 'PATCH', body: { language: 'fr', port: 70_000 } })
  expect(body.error.details).toMatchObject([
    { field: 'language', code: 'not_one_of', values: { allowed: ['en', 'id'] } },
    { field: 'port', code: 'too_big', values: { max: 65_535 } },
  ])
  expect(fieldText(id, 'too_big', { max: 65_535 })).toBe('tidak boleh lebih dari 65535')
})

test('null counts as absent for every optional member, and a number as a phone', async () => {
  const given = { ...right, phone: 6281234567890, file: null, reference_id: null, referenceId: null, metadata: null }
  const answer = await app.owner<{ recipient: string }>('/send', { body: given })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.data.recipient).toBe(phone)
  for (const name of ['delay', 'ref_id'])
    expect((await app.owner('/send', { body: { ...right, [name]: null } })).status, name).toBe(200)
})

describe('whatever a field holds, nobody reads the words of the schema library', () => {
  const WRONG = [
    null,
    true,
    1,
    -1e12,
    1.5,
    'x',
    '',
    ' ',
    'x'.repeat(100_000),
    [],
    [[]],
    [1],
    ['x'],
    {},
    { a: 1 },
    { type: 'x' },
  ]

  interface Schema {
    properties?: Record<string, Schema>
    oneOf?: Schema[]
    anyOf?: Schema[]
    items?: Schema
  }
  const fieldsOf = (schema: Schema): string[] => [
    ...new Set([
      ...Object.keys(schema.properties ?? {}),
      ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(fieldsOf),
    ]),
  ]
  interface Operation {
    requestBody?: { content: Record<string, { schema?: Schema }> }
    parameters: { name: string; in: string }[]
  }

  function expectOwnWords(answer: Answer<unknown>, about: string): void {
    for (const { field, code, message } of detailsOf(answer)) {
      expect(message, `${about}: ${field}`).not.toMatch(RAW)
      expect(['invalid'], `${about}: ${field}`).not.toContain(code)
    }
    expect(answer.body.message ?? '', about).not.toMatch(RAW)
  }

  test('in bodies and queries of all routes', async () => {
    const { paths } = await readOpenApi<{ paths: Record<string, Record<string, Operation>> }>(app)
    let looked = 0
    for (const { method, path } of await routesOf(app)) {
      const operation = paths[path]?.[method.toLowerCase()]
      const address = withNobody(path)
      for (const { name, in: place } of operation?.parameters ?? []) {
        if (place !== 'query') continue
        for (const text of ['', 'x', '-1', '1e9', 'x'.repeat(5_000), 'a&x=1', `1&${name}=2`]) {
          expectOwnWords(await app.owner(`${address}?${name}=${text}`, { method }), `${method} ${path}?${name}=${text}`)
          looked += 1
        }
      }
      const schema = operation?.requestBody?.content['application/json']?.schema
      for (const field of schema === undefined ? [] : fieldsOf(schema)) {
        for (const wrong of WRONG) {
          for (const kind of path === '/api/senders' ? ['linked', 'official'] : [undefined]) {
            const body = { ...(kind === undefined ? {} : { kind }), [field]: wrong }
            expectOwnWords(
              await app.owner(address, { method, body }),
              `${method} ${path} ${JSON.stringify(body).slice(0, 200)}`,
            )
            looked += 1
          }
        }
      }
    }
    expect(looked).toBeGreaterThan(500)
  }, 300_000)
})
