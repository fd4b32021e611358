import { z } from 'zod'

/**
 * Problems of one field of a call: a stable code and the values that belong to it. Schemas name a
 * problem, so no caller sees a sentence of the schema library.
 */

export const problemValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number(), z.boolean()]))]),
)
export type ProblemValues = z.infer<typeof problemValues>

/** Kinds of values, for `wrong_type`. */
export type TypeName = 'text' | 'number' | 'whole_number' | 'boolean' | 'list' | 'object' | 'null' | 'other'

const typeOf = (value: unknown): TypeName => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'object' ? 'object' : 'other'
}

export const FIELD_PROBLEMS = [
  'required',
  'wrong_type',
  'not_a_number',
  'repeated',
  'empty',
  'too_short',
  'too_long',
  'too_small',
  'too_big',
  'too_few',
  'too_many',
  'too_deep',
  'too_large',
  'not_one_of',
  'wrong_form',
  'not_an_address',
  'not_https',
  'not_a_phone',
  'no_country_code',
  'zero_lost',
  'empty_without_file',
  'not_together',
  'too_far_ahead',
  'too_soon',
  'no_such_file',
  'not_an_allowed_file',
  'not_a_whole_path',
  'no_such_folder',
  'folder_silent',
  'folder_not_writable',
  'folder_full',
  'folder_taken',
  'folder_of_kurir',
  'folder_not_empty',
  'unknown_words',
  'body_given_twice',
  'not_a_parameter',
  'variables_touch',
  'unknown_variables',
  'not_official',
  'no_such_sender',
  'only_linked',
  'not_a_cursor',
  'not_printable',
  'not_percent_encoded',
  'unknown_name',
  'unknown_sender',
  'address_refused',
  'other',
  'invalid',
] as const
export type FieldProblem = (typeof FIELD_PROBLEMS)[number]

/** Returns the options for `refine` that name a problem. Its sentence is in `server/words/`. */
export const problem = (code: FieldProblem, values: ProblemValues = {}) => ({ params: { problem: code, values } })

interface Found {
  code: FieldProblem
  values?: ProblemValues
}

const EXPECTED: Record<string, TypeName> = {
  string: 'text',
  number: 'number',
  int: 'whole_number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
  record: 'object',
}

const FORMATS: Record<string, Found> = {
  datetime: { code: 'wrong_form', values: { example: '2026-11-21T15:00:00+07:00' } },
  date: { code: 'wrong_form', values: { example: '2026-11-21' } },
  url: { code: 'wrong_form', values: { example: 'https://ntfy.sh/toko-melati' } },
  email: { code: 'wrong_form', values: { example: 'toko@example.com' } },
  ipv4: { code: 'wrong_form', values: { example: '192.168.1.10' } },
}

const isProblem = (code: unknown): code is FieldProblem => FIELD_PROBLEMS.some((one) => one === code)

/** Turns an issue of the schema library into a problem. It must have `input` (`reportInput`). */
export function readIssue(issue: z.core.$ZodIssue): Found {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined || issue.input === null) return { code: 'required' }
      if (Number.isNaN(issue.input)) return { code: 'not_a_number' }
      const expected = EXPECTED[issue.expected] ?? 'other'
      return { code: 'wrong_type', values: { expected, given: typeOf(issue.input) } }
    }
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum))
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum))
    case 'invalid_value':
      return notOneOf(issue.input, issue.values)
    case 'invalid_union': {
      const { options, discriminator } = issue as { options?: readonly unknown[]; discriminator?: string }
      if (options === undefined || discriminator === undefined) return { code: 'invalid' }
      return notOneOf(Object(issue.input)[discriminator], options)
    }
    case 'invalid_format':
      return FORMATS[issue.format] ?? { code: 'invalid' }
    case 'custom': {
      const { problem: code, values } = (issue.params ?? {}) as { problem?: unknown; values?: ProblemValues }
      if (!isProblem(code)) return { code: 'invalid' }
      if (code === 'wrong_type') return { code, values: { ...values, given: typeOf(issue.input) } }
      return { code, ...(values === undefined ? {} : { values }) }
    }
    default:
      return { code: 'invalid' }
  }
}

function tooSmall(origin: string, min: number): Found {
  if (origin === 'string') return min === 1 ? { code: 'empty' } : { code: 'too_short', values: { min } }
  if (origin === 'array' || origin === 'record')
    return min === 1 ? { code: 'empty' } : { code: 'too_few', values: { min } }
  return { code: 'too_small', values: { min } }
}

function tooBig(origin: string, max: number): Found {
  if (origin === 'string') return { code: 'too_long', values: { max } }
  return { code: origin === 'array' || origin === 'record' ? 'too_many' : 'too_big', values: { max } }
}

function notOneOf(input: unknown, allowed: readonly unknown[]): Found {
  if (input === undefined || input === null) return { code: 'required' }
  return { code: 'not_one_of', values: { allowed: allowed.map(String) } }
}
