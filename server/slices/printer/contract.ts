import { z } from 'zod'
import { problem } from '../../contract/field-problems.ts'
import { answer, isoTime, listAnswer, paging } from '../../contract/fields.ts'
import { phoneInput } from '../../contract/phone.ts'

export const CODE_PAGES = ['auto', '437', '850', '858', '1252', 'utf-8'] as const
export type CodePage = (typeof CODE_PAGES)[number]

export const PRINT_STATUSES = ['new', 'waiting', 'sent'] as const

export const PRINT_REASONS = [
  'off',
  'no_rule',
  'no_number',
  'several_numbers',
  'bad_number',
  'copy',
  'broken_off',
  'too_long',
  'refused',
] as const
export type PrintReason = (typeof PRINT_REASONS)[number]

/** Reasons that need the owner's attention. A receipt without a number is normal and is not one. */
export const TROUBLES: readonly PrintReason[] = ['several_numbers', 'bad_number', 'broken_off', 'too_long', 'refused']

export const PRINTER_PROBLEMS = ['port_taken', 'port_refused', 'full'] as const
export type PrinterProblem = (typeof PRINTER_PROBLEMS)[number]

const CAPTION_MAX = 1024
export const REFERENCE_MAX = 256

const rule = z
  .object({
    label: z.string().max(60),
    place: z.enum(['after', 'below', 'alone']),
  })
  .describe(
    'Where a value is found on a receipt: `after` the words in `label`, in the line `below` them, or `alone` in a line.',
  )
export type Rule = z.infer<typeof rule>

export const printerSettings = z.object({
  on: z.boolean().default(false).describe('True: the printer port is open. Only programs on this PC can print to it.'),
  port: z.number().int().min(1).max(65_535).default(9100),
  sending: z
    .boolean()
    .default(false)
    .describe('True: receipts with a phone number are sent automatically. Requires a number rule and a sender.'),
  sender_code: z.string().min(1).max(64).nullable().default(null),
  form: z
    .enum(['text', 'pdf'])
    .default('text')
    .describe('What the recipient gets: the receipt as a `text` or as a `pdf`.'),
  caption: z
    .string()
    .refine((text) => text.length <= CAPTION_MAX, problem('too_long', { max: CAPTION_MAX }))
    .nullable()
    .default(null)
    .describe('Caption of the PDF. Null: none.'),
  code_page: z
    .enum(CODE_PAGES)
    .default('auto')
    .describe('Character encoding for bytes that are not ASCII. `auto`: Kurir detects it.'),
  number_rule: rule.nullable().default(null),
  reference_rule: rule.nullable().default(null),
})
export type PrinterSettings = z.infer<typeof printerSettings>

const { shape } = printerSettings
// Unwrapped, because a default would overwrite a setting that the request omits.
export const updatePrinterRequest = z
  .object({
    on: shape.on.unwrap(),
    port: shape.port.unwrap(),
    sending: shape.sending.unwrap(),
    sender_code: shape.sender_code.unwrap(),
    form: shape.form.unwrap(),
    caption: shape.caption.unwrap(),
    code_page: shape.code_page.unwrap(),
    number_rule: z.null().describe('`null` removes the rule. POST /api/printer/learn sets a new one.'),
    reference_rule: z.null(),
  })
  .partial()
export type UpdatePrinter = z.infer<typeof updatePrinterRequest>

export const printerView = printerSettings.extend({
  listening: z.boolean(),
  problem: z.enum(PRINTER_PROBLEMS).nullable(),
  waiting: z.number().int().describe('Number of receipts that wait.'),
})
export type PrinterView = z.infer<typeof printerView>
export const printerAnswer = answer(printerView)

export const learnRequest = z.object({
  print_id: z.string().max(64),
  what: z.enum(['number', 'reference']),
  line: z.number().int().min(0).max(1_000_000).describe('Index of the line in `lines` of the receipt, from 0.'),
  from: z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .describe('Index of the first character in that line, from 0: the value `from` of one of the `marks`.'),
})
export type LearnRequest = z.infer<typeof learnRequest>

const count = z.number().int()

const printShape = {
  id: z.string(),
  at: isoTime,
  bytes: count,
  status: z
    .enum(PRINT_STATUSES)
    .describe('`new`: being processed. `waiting`: not sent, see `reason`. `sent`: a message was queued.'),
  reason: z.enum(PRINT_REASONS).nullable().describe('Why the receipt waits. Null: it does not wait.'),
  error: z.string().nullable().describe('Error code with which the message was refused. Null: it was not refused.'),
  title: z.string().describe('First line of the receipt.'),
  phone: z.string().nullable(),
  reference_id: z.string().nullable(),
}
export const printRow = z.object(printShape)
export type PrintView = z.infer<typeof printRow>

export const printDetail = z.object({
  ...printShape,
  lines: z.array(z.string()).describe('Lines of the receipt as printed, at most 500.'),
  marks: z
    .array(z.object({ line: count, from: count, to: count }))
    .describe(
      'Places that may be a phone number or a reference: index of the line, and the range of characters from `from` (included) to `to` (not included), from 0. At most 200.',
    ),
  found: z
    .object({ phone: z.string().nullable(), reference_id: z.string().nullable() })
    .describe('Values that the current rules find on this receipt, as printed. Null: nothing found.'),
  text: z.string().describe('The receipt as the text of a message.'),
})
export type PrintDetail = z.infer<typeof printDetail>

export const printsQuery = z.object({
  ...paging,
  status: z.enum(PRINT_STATUSES).describe('Only receipts with this status.').optional(),
})
export const printsAnswer = listAnswer(printRow)
export const printAnswer = answer(printDetail)

export const sendPrintRequest = z.object({
  phone: phoneInput,
  reference_id: z.string().trim().min(1).max(REFERENCE_MAX).nullish(),
})
export type SendPrintRequest = z.infer<typeof sendPrintRequest>
