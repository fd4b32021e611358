import { z } from 'zod'
import { type ErrorDetail, MOST_DETAILS } from '../contract/errors.ts'
import { readIssue } from '../contract/field-problems.ts'
import { isObject } from '../contract/fields.ts'
import { en } from '../words/en/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import type { CallSchemas } from './route.ts'

const MOST_UNKNOWN = 20
const LONGEST_NAME = 64

/** The parts of a call before they are validated. */
export interface RawCall {
  params: unknown
  query: unknown
  body: unknown
}

const PARSING = { reportInput: true, error: () => en.fields.invalid }

type Shape = Record<string, z.ZodType>

/** Returns the members of a request schema; of a union, those of each of its variants. */
function shapesOf(schema: unknown): Shape[] {
  if (schema instanceof z.ZodObject) return [schema.shape as Shape]
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(shapesOf)
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return shapesOf(schema.unwrap())
  return []
}

const isAbsentWhenNull = (field: z.ZodType): boolean =>
  field.safeParse(undefined).success && !field.safeParse(null).success

/** Returns the optional members in which null counts as absent: many serialisers write it. */
function absentWhenNull(schema: z.ZodType): ReadonlySet<string> {
  const shapes = shapesOf(schema)
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)))
  const everywhere = (name: string) =>
    shapes.every((shape) => shape[name] === undefined || isAbsentWhenNull(shape[name]))
  return new Set([...names].filter(everywhere))
}

const namesOf = (schema: z.ZodType | undefined): ReadonlySet<string> =>
  new Set(shapesOf(schema).flatMap((shape) => Object.keys(shape)))

/** Adds names of `value` to `found` if they are not in `known`. */
function findUnknown(value: unknown, known: ReadonlySet<string>, found: string[]): void {
  if (!isObject(value)) return
  for (const name in value) {
    if (found.length === MOST_UNKNOWN) return
    if (!known.has(name)) found.push(name.slice(0, LONGEST_NAME))
  }
}

function withoutNulls(value: unknown, names: ReadonlySet<string>): unknown {
  if (!isObject(value)) return value
  const nulls: string[] = []
  for (const name of names) if (value[name] === null && Object.hasOwn(value, name)) nulls.push(name)
  if (nulls.length === 0) return value
  // Copies own property descriptors, so that a member called `__proto__` stays a member.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)) as Record<string, unknown>
  for (const name of nulls) delete copy[name]
  return copy
}

const namesIn = ({ query, body }: CallSchemas) => ({
  optional: body === undefined ? new Set<string>() : absentWhenNull(body),
  query: namesOf(query),
  body: namesOf(body),
})

/** Creates a reader that validates the calls of a route. Collects the names at the first call. */
export function createCallReader(route: CallSchemas) {
  let found: ReturnType<typeof namesIn> | undefined
  const names = () => {
    found ??= namesIn(route)
    return found
  }

  /** @param problems gets the wrong fields of this part */
  function check(part: keyof RawCall, given: unknown, problems: ErrorDetail[]): unknown {
    const parsed = route[part]?.safeParse(given, PARSING)
    if (parsed === undefined) return given
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      problems.push(...detailsOf(issue, part))
      if (problems.length > MOST_DETAILS) break
    }
    return undefined
  }

  return {
    /** Returns names of members of the body and the query that the route does not know. */
    unknownMembers(query: unknown, body: unknown): string[] {
      const unknown: string[] = []
      if (route.body !== undefined) findUnknown(body, names().body, unknown)
      if (route.query !== undefined) findUnknown(query, names().query, unknown)
      return unknown
    },
    /** @throws ApiError `invalid_request` that names every wrong field */
    read({ params, query, body }: RawCall): RawCall {
      const problems: ErrorDetail[] = []
      const checked = {
        params: check('params', params, problems),
        query: check('query', query, problems),
        body: check('body', route.body === undefined ? body : withoutNulls(body, names().optional), problems),
      }
      if (problems.length > 0) throw invalidRequest(problems)
      return checked
    },
  }
}

/** Returns an issue's details by field. Of a union: those of the variant most likely meant. */
function detailsOf(issue: z.core.$ZodIssue, part: keyof RawCall): ErrorDetail[] {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const possible = issue.errors.filter((issues) => !issues.some(isWrongTypeAtRoot))
    const meant = possible.find((issues) => !issues.some(isMissing)) ?? possible[0] ?? []
    if (meant.length > 0)
      return meant.flatMap((inner) => detailsOf({ ...inner, path: [...issue.path, ...inner.path] }, part))
    const [first] = issue.errors.flat()
    return first === undefined ? [] : detailsOf({ ...first, path: issue.path }, part)
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) =>
      fieldProblem([...issue.path, name.slice(0, LONGEST_NAME)].map(String).join('.'), 'unknown_name'),
    )
  const field = issue.path.map(String).join('.') || 'body'
  if (part === 'query' && issue.code === 'invalid_type' && Array.isArray(issue.input))
    return [fieldProblem(field, 'repeated')]
  const { code, values } = readIssue(issue)
  // A schema may have a sentence of its own, which says more than a problem's code could.
  return code === 'invalid' ? [{ field, message: issue.message }] : [fieldProblem(field, code, values)]
}

const isMissing = ({ path, input }: z.core.$ZodIssue): boolean => path.length === 1 && input === undefined

const isWrongTypeAtRoot = (issue: z.core.$ZodIssue): boolean => issue.code === 'invalid_type' && issue.path.length === 0
