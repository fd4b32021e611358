import { Ajv2020 } from 'ajv/dist/2020.js'

export interface BadBody {
  body: string | Buffer
  contentType: string
}

type JsonSchema = { properties?: Record<string, object>; oneOf?: JsonSchema[]; anyOf?: JsonSchema[] }

const LIMIT = 512 * 1024

/** Numbers from 0 to 1 that look like chance and are the same every time. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const SCALARS = [
  ...['null', 'true', 'false', '0', '-1', '1.5', '-0', '1e308', '1e999', '-1e999', '12345678901234567890', '5e-324'],
  ...[
    '""',
    '" "',
    '"x"',
    '"null"',
    '"\\u0000"',
    '"\\ud800"',
    '"🙏"',
    '"\\u202e"',
    '"٣"',
    '"../../etc/passwd"',
    '"%00"',
  ],
  ...[`"' OR 1=1 --"`, '"<script>"', `"${'x'.repeat(70_000)}"`, '"2026-13-45T99:99:99Z"', '"http://"'],
]
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', 'then', '0', '🙏', 'phone']
const NO_OBJECTS = [...SCALARS, '[]', '[{}]', '[[[]]]', '["a"]']
const NO_JSON = [
  '',
  ' ',
  '{',
  '}',
  '{]',
  'undefined',
  'NaN',
  "{'a':1}",
  '{"a":1,}',
  '{a:1}',
  '{"a":01}',
  '\ufeff',
  '{"a":"\n"}',
]
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'json',
  '',
]

const propertiesOf = (schema: JsonSchema): string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(propertiesOf),
]

/** An endless row of bodies that the route's own schema refuses, or that are no JSON at all; the same ones for a seed. */
export function* badBodies(schema: object, seed: number): Generator<BadBody> {
  const random = chance(seed)
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  const names = [...new Set(propertiesOf(schema))]
  const below = (n: number) => Math.floor(random() * n)
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? ''

  function junk(depth: number): string {
    const kind = depth === 0 ? 0 : below(6)
    const some = <T>(make: () => T) => Array.from({ length: below(4) }, make)
    if (kind === 4) return `[${some(() => junk(depth - 1)).join()}]`
    if (kind === 5) return `{${some(() => `${JSON.stringify(pick(NAMES))}:${junk(depth - 1)}`).join()}}`
    return pick(SCALARS)
  }

  const members = () =>
    Array.from({ length: 1 + below(names.length + 2) }, () => {
      const name = random() < 0.8 && names.length > 0 ? pick(names) : pick(NAMES)
      return `${JSON.stringify(name)}:${junk(3)}`
    })

  function refused(): string {
    for (;;) {
      const text = `{${members().join()}}`
      const body = JSON.parse(text) as object
      // A member that is null counts as absent where it is optional.
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
      if (!isValid(body) && !isValid(given)) return text
    }
  }

  const json = (body: string | Buffer): BadBody => ({ body, contentType: 'application/json' })
  const huge = json(Buffer.alloc(LIMIT + 1, 0x20))
  const deep = json(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const deepObject = json(`${'{"a":'.repeat(50_000)}1`)

  for (let i = 0; ; i += 1) {
    if (i % 200 === 0) yield huge
    else if (i % 100 === 1) yield i % 200 === 1 ? deep : deepObject
    else if (i % 10 === 2) yield json(pick(NO_OBJECTS))
    else if (i % 10 === 3) yield json(refused().slice(0, -1 - below(5)))
    else if (i % 20 === 4)
      yield json(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]))
    else if (i % 20 === 5) yield json(pick(NO_JSON) || '{')
    else if (i % 20 === 6) yield { body: refused(), contentType: pick(TYPES) }
    else yield json(refused())
  }
}
