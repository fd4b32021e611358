import type { TestApp } from './app.ts'

export type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the target of a reference such as `#/components/schemas/Message`. */
export function targetOf(document: Json, ref: string): Json {
  const target = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), document)
  if (!isObject(target)) throw new Error(`${ref} leads nowhere.`)
  return target
}

function expanded(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => expanded(each, document))
  if (!isObject(value)) return value
  const { $ref, ...beside } = value
  const whole = typeof $ref === 'string' ? { ...targetOf(document, $ref), ...beside } : beside
  return Object.fromEntries(Object.entries(whole).map(([name, each]) => [name, expanded(each, document)]))
}

/** Reads the program's OpenAPI description with all references expanded. */
export async function readOpenApi<T>(app: TestApp): Promise<T> {
  const document = JSON.parse((await app.fetch('/openapi.json')).text) as Json
  return expanded(document, document) as T
}

/** Returns a schema that allows no members besides the described ones. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]))
  return isObject(schema.properties) && schema.type === 'object' ? { additionalProperties: false, ...inner } : inner
}
