import { Ajv2020 } from 'ajv/dist/2020.js'

export interface BadBody {
  body: string | Buffer
  contentType: string
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
}

const LIMIT = 512 * 1024

/** Returns a generator of pseudorandom numbers from 0 to 1 that is the same for a seed. */
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

/** Place of one wrong value in a body: a member, a member of a member, or an element (0). */
type Path = readonly (string | 0)[]

const branchesOf = ({ oneOf = [], anyOf = [] }: JsonSchema): JsonSchema[] => [...oneOf, ...anyOf]

const propertiesOf = (schema: JsonSchema): string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...branchesOf(schema).flatMap(propertiesOf),
]

function pathsOf(schema: JsonSchema): Path[] {
  const below = (step: string | 0, inner: JsonSchema): Path[] => [
    [step],
    ...pathsOf(inner).map((path) => [step, ...path]),
  ]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => below(name, inner)),
    ...(schema.items === undefined ? [] : below(0, schema.items)),
    ...branchesOf(schema).flatMap(pathsOf),
  ]
}

/** Returns the JSON of `body` with `json` at a place; missing parents are created. */
function replaced(body: unknown, [step, ...rest]: Path, json: string): string {
  if (step === undefined) return json
  if (step === 0) return `[${replaced(undefined, rest, json)}]`
  const members: Record<string, unknown> = typeof body === 'object' && !Array.isArray(body) ? { ...body } : {}
  const inner = replaced(members[step], rest, json)
  delete members[step]
  const others = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)])
  return `{${[...others, [step, inner]].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}

const json = (body: string | Buffer): BadBody => ({ body, contentType: 'application/json' })

const REFUSED_EVERYWHERE: readonly BadBody[] = [
  ...[...NO_OBJECTS, ...NO_JSON].map(json),
  json(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0x22, 0x7d])),
  json(Buffer.alloc(LIMIT + 1, 0x20)),
  json(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  json(`${'{"a":'.repeat(50_000)}1`),
]

export interface Route {
  schema: object
  /** A body that the schema accepts. */
  example: object
}

/**
 * Yields bodies that the route's schema refuses or that are no JSON; the same ones for a seed. Each
 * member gets every wrong value once, or every `nth` of them, while the others are right. Each
 * required member is missing once. Then come `more` random bodies.
 */
export function* badBodies(
  { schema, example }: Route,
  { seed, nth, more }: { seed: number; nth: number; more: number },
): Generator<BadBody> {
  const random = chance(seed)
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  const names = [...new Set(propertiesOf(schema))]
  const below = (n: number) => Math.floor(random() * n)
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? ''

  /**
   * Returns true if the schema refuses a body, also without its null members, because null counts
   * as absent for an optional member.
   */
  function isRefused(text: string): boolean {
    const body = JSON.parse(text) as object
    return !isValid(body) && !isValid(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))
  }

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
      if (isRefused(text)) return text
    }
  }

  yield* REFUSED_EVERYWHERE
  // Each path and each seed begins at another value.
  const wrongOf = (at: number) => NO_OBJECTS.filter((_, i) => (i + at + seed) % nth === 0)
  const texts = new Set(
    pathsOf(schema).flatMap((path, at) => wrongOf(at).map((wrong) => replaced(example, path, wrong))),
  )
  for (const name of Object.keys(example)) texts.add(JSON.stringify({ ...example, [name]: undefined }))
  for (const text of texts) if (isRefused(text)) yield json(text)
  for (const contentType of TYPES) yield { body: refused(), contentType }
  for (let i = 0; i < more; i += 1) yield json(i % 8 === 0 ? refused().slice(0, -1 - below(5)) : refused())
}
