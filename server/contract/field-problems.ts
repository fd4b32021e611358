import { z } from 'zod'

/**
 * Problems of one field of a call: a stable code, the values that belong to it, and its sentence in
 * both languages. Schemas name a problem; no sentence of the schema library reaches anybody.
 */

export const problemValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number(), z.boolean()]))]),
)
export type ProblemValues = z.infer<typeof problemValues>

type Sentence = (values: ProblemValues) => string
interface Words {
  en: Sentence
  id: Sentence
}

const TYPES = {
  text: { en: 'text', id: 'teks' },
  number: { en: 'a number', id: 'angka' },
  whole_number: { en: 'a whole number', id: 'bilangan bulat' },
  boolean: { en: 'true or false', id: 'true atau false' },
  list: { en: 'a list', id: 'daftar' },
  object: { en: 'an object', id: 'objek' },
  null: { en: 'null', id: 'null' },
  other: { en: 'something else', id: 'yang lain' },
} as const
type TypeName = keyof typeof TYPES

const typeOf = (value: unknown): TypeName => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'object' ? 'object' : 'other'
}

const typeWords = (name: ProblemValues[string] | undefined, language: 'en' | 'id'): string =>
  TYPES[String(name) in TYPES ? (String(name) as TypeName) : 'other'][language]

const listed = (values: ProblemValues): string => (Array.isArray(values.allowed) ? values.allowed.join(', ') : '')

/** Follows the name of the field, as in "delay: must not be less than 0". */
const WORDS = {
  required: { en: () => 'is required', id: () => 'wajib diisi' },
  wrong_type: {
    en: ({ expected, given }) =>
      expected === 'text' && given === 'number'
        ? 'must be text, not a number: put it in quotation marks, such as "123"'
        : `must be ${typeWords(expected, 'en')}, not ${typeWords(given, 'en')}`,
    id: ({ expected, given }) =>
      expected === 'text' && given === 'number'
        ? 'harus teks, bukan angka: beri tanda kutip, misalnya "123"'
        : `harus ${typeWords(expected, 'id')}, bukan ${typeWords(given, 'id')}`,
  },
  not_a_number: { en: () => 'must be a number', id: () => 'harus angka' },
  repeated: {
    en: () => 'is given more than once: give it once, several values with commas where they are possible',
    id: () => 'diberikan lebih dari sekali: berikan sekali saja, beberapa nilai dengan koma bila boleh',
  },
  empty: { en: () => 'must not be empty', id: () => 'tidak boleh kosong' },
  too_short: {
    en: ({ min }) => `must have at least ${min} characters`,
    id: ({ min }) => `paling sedikit ${min} karakter`,
  },
  too_long: {
    en: ({ max }) => `must have at most ${max} characters`,
    id: ({ max }) => `paling banyak ${max} karakter`,
  },
  too_small: { en: ({ min }) => `must not be less than ${min}`, id: ({ min }) => `tidak boleh kurang dari ${min}` },
  too_big: { en: ({ max }) => `must not be more than ${max}`, id: ({ max }) => `tidak boleh lebih dari ${max}` },
  too_few: { en: ({ min }) => `must have at least ${min} members`, id: ({ min }) => `paling sedikit ${min} anggota` },
  too_many: { en: ({ max }) => `must have at most ${max} members`, id: ({ max }) => `paling banyak ${max} anggota` },
  too_deep: {
    en: ({ max }) => `must not be nested deeper than ${max} levels`,
    id: ({ max }) => `tidak boleh bersarang lebih dari ${max} tingkat`,
  },
  too_large: {
    en: ({ max }) => `must not be larger than ${max} bytes`,
    id: ({ max }) => `tidak boleh lebih dari ${max} byte`,
  },
  not_one_of: {
    en: (values) => `must be one of these: ${listed(values)}`,
    id: (values) => `harus salah satu dari: ${listed(values)}`,
  },
  wrong_form: {
    en: ({ example }) => `must look like ${example}`,
    id: ({ example }) => `bentuknya harus seperti ${example}`,
  },
  not_an_address: {
    en: () => 'must be an http or https address without user name and password',
    id: () => 'harus alamat http atau https tanpa nama pengguna dan kata sandi',
  },
  not_https: { en: () => 'must be an https address', id: () => 'harus alamat https' },
  not_a_phone: {
    en: () => 'must be a phone number of 7 to 15 digits with the country code, such as 6281234567890',
    id: () => 'harus nomor telepon 7 sampai 15 angka dengan kode negara, misalnya 6281234567890',
  },
  no_country_code: {
    en: () =>
      'must begin with the country code, such as 6281234567890 instead of 081234567890 (or set a default country code for this sender)',
    id: () =>
      'harus diawali kode negara, misalnya 6281234567890 dan bukan 081234567890 (atau atur kode negara default untuk pengirim ini)',
  },
  empty_without_file: {
    en: () => 'must not be empty without a file',
    id: () => 'tidak boleh kosong tanpa file',
  },
  not_together: {
    en: ({ other }) => `must not be given together with ${other}`,
    id: ({ other }) => `tidak boleh diberikan bersama ${other}`,
  },
  too_far_ahead: {
    en: ({ days }) => `must be at most ${days} days ahead`,
    id: ({ days }) => `paling lama ${days} hari ke depan`,
  },
  too_soon: {
    en: ({ seconds }) => `must be at least ${seconds} seconds after the message is due`,
    id: ({ seconds }) => `paling cepat ${seconds} detik setelah waktu kirim pesan`,
  },
  no_such_file: {
    en: () => 'names no file of this key: send it to /files first',
    id: () => 'bukan file milik kunci ini: kirim dulu ke /files',
  },
  not_an_allowed_file: {
    en: () => 'must be a file, not a link, in a folder that the owner allowed (Settings), and be there already',
    id: () => 'harus file, bukan tautan, di dalam folder yang diizinkan pemilik (Pengaturan), dan sudah ada di sana',
  },
  not_a_whole_path: {
    en: ({ example }) => `must be a whole path such as ${example}`,
    id: ({ example }) => `harus alamat folder lengkap, misalnya ${example}`,
  },
  body_given_twice: {
    en: () => 'must hold no body when parameters are given',
    id: () => 'tidak boleh berisi body kalau parameters diberikan',
  },
  not_a_parameter: {
    en: () => 'must be text, a number, or true or false; a number of more than 15 digits as text',
    id: () => 'harus teks, angka, atau true/false; angka yang lebih dari 15 digit sebagai teks',
  },
  variables_touch: {
    en: () => 'needs some text between two variables',
    id: () => 'perlu teks di antara dua variabel',
  },
  unknown_variables: {
    en: ({ names }) => `names ${names}, which the pattern does not have`,
    id: ({ names }) => `menyebut ${names}, yang tidak ada di polanya`,
  },
  not_official: {
    en: () => 'must be the code of an official sender',
    id: () => 'harus kode pengirim resmi',
  },
  no_such_sender: {
    en: () => 'must be the code of a sender',
    id: () => 'harus kode pengirim',
  },
  only_linked: {
    en: () => 'is for a sender that is linked by QR code',
    id: () => 'hanya untuk pengirim yang ditautkan dengan kode QR',
  },
  not_a_cursor: {
    en: () => 'must be the next_cursor of a list before',
    id: () => 'harus next_cursor dari daftar sebelumnya',
  },
  not_printable: {
    en: ({ max }) => `must have 1 to ${max} printable characters`,
    id: ({ max }) => `harus 1 sampai ${max} karakter yang dapat dicetak`,
  },
  not_percent_encoded: {
    en: () => 'must be percent-encoded UTF-8',
    id: () => 'harus UTF-8 dalam percent-encoding',
  },
  unknown_name: {
    en: () => 'is not known here: check how it is spelt',
    id: () => 'tidak dikenal di sini: periksa ejaannya',
  },
  unknown_sender: {
    en: ({ sender_code }) => `names no sender: ${sender_code}`,
    id: ({ sender_code }) => `tidak ada pengirim ${sender_code}`,
  },
  /** `reason` is a sentence in English. */
  address_refused: { en: ({ reason }) => String(reason), id: ({ reason }) => `alamat ini ditolak: ${reason}` },
  /** A reason that only the finder knows; `reason` is in English. */
  other: { en: ({ reason }) => String(reason), id: ({ reason }) => String(reason) },
  invalid: { en: () => 'is not valid', id: () => 'tidak berlaku' },
} as const satisfies Record<string, Words>

export type FieldProblem = keyof typeof WORDS
export const FIELD_PROBLEMS = Object.keys(WORDS) as [FieldProblem, ...FieldProblem[]]

/** The sentence of a problem, to follow the name of its field. */
export const problemWords = (code: FieldProblem, values: ProblemValues = {}, language: 'en' | 'id' = 'en'): string =>
  WORDS[code][language](values)

/** For `refine`: names the problem; its sentence is in the table. */
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
  datetime: { code: 'wrong_form', values: { example: '2026-11-21T08:00:00Z' } },
  date: { code: 'wrong_form', values: { example: '2026-11-21' } },
  url: { code: 'not_an_address' },
  ipv4: { code: 'wrong_form', values: { example: '192.168.1.10' } },
}

const isProblem = (code: unknown): code is FieldProblem => typeof code === 'string' && Object.hasOwn(WORDS, code)

/** Reads an issue of the schema library. The issue must carry its input (`reportInput`). */
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
