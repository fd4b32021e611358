import { z } from 'zod'
import { problem } from '../../contract/field-problems.ts'
import { answer, isoTime, listAnswer, paging } from '../../contract/fields.ts'
import { purpose, STATUSES } from '../../contract/messages.ts'
import { senderCode, time } from '../../contract/send.ts'

/** Limits of a table; the header line does not count as a row. */
export const MOST_ROWS = 5_000
export const MOST_COLUMNS = 60
export const MOST_TABLES = 200
/** Limit in UTF-16 units; WhatsApp's own. */
export const LONGEST_TEXT = 4096
/** Time in which the owner may undo sending, in milliseconds. */
export const UNDO_WITHIN = 10_000

/** Reasons why a row gets no message. */
export const ROW_PROBLEMS = [
  'no_number',
  'shortened',
  'zero_lost',
  'no_country_code',
  'not_a_phone',
  'group_no_marketing',
  'twice',
  'opted_out',
  'empty_field',
  'empty_message',
  'too_long',
  'file_missing',
  'file_gone',
  'refused',
] as const

export const rowRefusal = z.object({
  code: z.enum(ROW_PROBLEMS),
  value: z.string().describe('What was found: the number, the name of the column or of the file.'),
})
export type RowRefusal = z.infer<typeof rowRefusal>

/** Headers of POST /api/tables. A name that is not ASCII is percent-encoded UTF-8. */
export const tableHeaders = z.object({
  'X-Filename': z.string().max(360).optional().describe('What the owner calls the table, as percent-encoded UTF-8.'),
})

const columnName = z.string().min(1).max(60)

/** The owner's choices for sending a table: sender, columns and the text of each message. */
export const tablePlan = z.object({
  sender_code: senderCode,
  phone_column: columnName.describe('The column with the number; a group by its id or exact name.'),
  message: z
    .string()
    .refine((text) => text.length <= LONGEST_TEXT, problem('too_long', { max: LONGEST_TEXT }))
    .meta({
      maxLength: LONGEST_TEXT,
      description: 'The text; `{column}` is filled in from the row.',
      examples: ['Dear {name}, your invoice {number} is due.'],
    }),
  file_column: columnName.nullable().default(null).describe('The column with the name of a file.'),
  files: z
    .record(z.string().max(255), z.string().min(1).max(64))
    .refine((files) => Object.keys(files).length <= MOST_ROWS, problem('too_many', { max: MOST_ROWS }))
    .default({})
    .describe('By its name, the `file_id` that /files gave for it.'),
  purpose: purpose.default('transactional').describe('`marketing` does not go to customers who opted out.'),
  send_at: time.nullable().default(null).describe('At most 30 days ahead. Null: now.'),
  restore_zero: z
    .boolean()
    .default(false)
    .describe(
      'Numbers such as 81234567890 have lost their 0 in a spreadsheet, and belong to the country of the sender.',
    ),
})
export type TablePlan = z.infer<typeof tablePlan>

/** Without `files`, which may hold thousands of names. */
export const shownPlan = tablePlan.omit({ files: true })

/** POST /api/tables/{id}/send */
export const sendTableRequest = tablePlan.extend({
  count: z.int().min(1).max(MOST_ROWS).describe('How many messages the check promised: nothing else is sent.'),
})

export const TABLE_STATES = ['draft', 'planned', 'sending', 'paused', 'cancelled', 'done'] as const

export const TALLY_KINDS = ['refused', 'waiting', 'stopped', 'removed', ...STATUSES] as const

export const tableView = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(TABLE_STATES).describe('`planned` can be undone for ten seconds; `done`: nothing waits any more.'),
  columns: z.array(z.string()),
  rows: z.int(),
  counts: z
    .partialRecord(z.enum(TALLY_KINDS), z.int())
    .describe(
      'Rows by what became of them. `waiting`: not in the queue yet; `stopped`: never; `removed`: after the retention.',
    ),
  created_at: isoTime,
  planned_at: isoTime.nullable(),
  sender_code: z.string().nullable(),
  ends_at: isoTime.nullable().describe('When the last one leaves, as far as that can be known.'),
  guess: z.object({ phone_column: z.string().nullable(), file_column: z.string().nullable() }),
  first_rows: z.array(z.array(z.string())).describe('The first five.'),
  plan: shownPlan.nullable().describe('As it was sent last; null: it was not sent.'),
})
export type TableView = z.infer<typeof tableView>

export const tableAnswer = answer(tableView)

const tableRow = tableView.omit({
  counts: true,
  ends_at: true,
  sender_code: true,
  guess: true,
  first_rows: true,
  plan: true,
})
export type TableRowView = z.infer<typeof tableRow>
export const tablesAnswer = answer(z.array(tableRow))

export const tablePreview = z.object({
  line: z.int(),
  recipient: z.string(),
  message: z.string(),
  file: z.string().nullable(),
})
export type TablePreview = z.infer<typeof tablePreview>

export const checkView = z.object({
  count: z.int().describe('How many messages would be sent.'),
  refused: z.partialRecord(z.enum(ROW_PROBLEMS), z.int()),
  refused_rows: z.array(rowRefusal.extend({ line: z.int() })).describe('The first 200.'),
  unknown_fields: z.array(z.string()).describe('Words in braces that are no column.'),
  first_contacts: z.int().describe('People to whom this sender never wrote.'),
  same_number: z.int().describe('Rows whose number has another row with another message.'),
  restored: z.int().describe('Numbers that got their 0 back.'),
  previews: z.array(tablePreview).describe('Three of them, as the customers will see them.'),
  ends_at: isoTime.nullable().describe('When the last one leaves; null: later than in 30 days.'),
  queue: z.int().describe('Messages that wait for this sender already.'),
})
export type CheckView = z.infer<typeof checkView>
export const checkAnswer = answer(checkView)

export const TABLE_ACTIONS = ['undo', 'pause', 'resume', 'cancel', 'send_again'] as const
export type TableAction = (typeof TABLE_ACTIONS)[number]
export const tableActionRequest = z.object({ action: z.enum(TABLE_ACTIONS) })

export const tableLineView = z.object({
  line: z.int(),
  cells: z.array(z.string()),
  recipient: z.string().nullable(),
  message_id: z.string().nullable(),
  status: z.enum(TALLY_KINDS),
  at: isoTime.nullable(),
  refusal: rowRefusal.nullable(),
  error_code: z.string().nullable(),
})
export type TableLineView = z.infer<typeof tableLineView>

/** Filters of the row list, with the kinds that each one shows. */
export const KINDS_SHOWN = {
  sent: ['sent', 'delivered', 'read'],
  failed: ['failed'],
  waiting: ['waiting', 'queued', 'accepted', 'sending'],
  stopped: ['stopped', 'cancelled'],
  left_out: ['refused'],
} as const satisfies Record<string, (typeof TALLY_KINDS)[number][]>
export type ShownRows = keyof typeof KINDS_SHOWN
export const SHOWN_ROWS = ['sent', 'failed', 'waiting', 'stopped', 'left_out'] as const satisfies ShownRows[]

export const tableLinesQuery = z.object({
  ...paging,
  show: z.enum(SHOWN_ROWS).optional().describe('Only these rows; `left_out`: those that the check refused.'),
})
export const tableLinesAnswer = listAnswer(tableLineView)
