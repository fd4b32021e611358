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
  value: z.string().describe('Value that caused the problem: the phone number, or the name of the column or file.'),
})
export type RowRefusal = z.infer<typeof rowRefusal>

/** Headers of POST /api/tables. A name that is not ASCII is percent-encoded UTF-8. */
export const tableHeaders = z.object({
  'X-Filename': z.string().max(360).optional().describe('Name of the table, percent-encoded as UTF-8.'),
})

const columnName = z.string().min(1).max(60)

/** The owner's choices for sending a table: sender, columns and the text of each message. */
export const tablePlan = z.object({
  sender_code: senderCode,
  phone_column: columnName.describe(
    "Name of the column with the phone number. For a group it contains the group's id or exact name.",
  ),
  message: z
    .string()
    .refine((text) => text.length <= LONGEST_TEXT, problem('too_long', { max: LONGEST_TEXT }))
    .meta({
      maxLength: LONGEST_TEXT,
      description: "Text of the message. `{column}` is replaced by the row's value in the column of that name.",
      examples: ['Dear {name}, your invoice {number} is due.'],
    }),
  file_column: columnName
    .nullable()
    .default(null)
    .describe('Name of the column with the file name of each row. Null: no files.'),
  files: z
    .record(z.string().max(255), z.string().min(1).max(64))
    .refine((files) => Object.keys(files).length <= MOST_ROWS, problem('too_many', { max: MOST_ROWS }))
    .default({})
    .describe('File id (from POST /files) for each file name that occurs in `file_column`.'),
  purpose: purpose.default('transactional').describe('`marketing` messages are not sent to recipients who opted out.'),
  send_at: time.nullable().default(null).describe('Time to start sending, at most 30 days ahead. Null: now.'),
  restore_zero: z
    .boolean()
    .default(false)
    .describe(
      "True: puts a 0 before numbers such as 81234567890, which have lost it in a spreadsheet, and reads them as numbers of the sender's country. False: rows with such numbers are refused.",
    ),
})
export type TablePlan = z.infer<typeof tablePlan>

/** Without `files`, which may hold thousands of names. */
export const shownPlan = tablePlan.omit({ files: true })

/** POST /api/tables/{id}/send */
export const sendTableRequest = tablePlan.extend({
  count: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .describe('Value of `count` from the check. If the number of messages has changed since, nothing is sent (409).'),
})

export const TABLE_STATES = ['draft', 'planned', 'sending', 'paused', 'cancelled', 'done'] as const

export const TALLY_KINDS = ['refused', 'waiting', 'stopped', 'removed', ...STATUSES] as const

export const tableView = z.object({
  id: z.string(),
  name: z.string(),
  state: z
    .enum(TABLE_STATES)
    .describe(
      '`draft`: not sent. `planned`: starts within ten seconds and can be undone until then. `done`: no row is waiting. In the list of tables a finished table is `sending`.',
    ),
  columns: z.array(z.string()),
  rows: z.int(),
  counts: z
    .partialRecord(z.enum(TALLY_KINDS), z.int())
    .describe(
      'Number of rows in each state. `waiting`: not queued yet. `stopped`: will not be sent. `removed`: the message was removed from the log after the retention period.',
    ),
  created_at: isoTime,
  planned_at: isoTime.nullable(),
  sender_code: z.string().nullable(),
  ends_at: isoTime
    .nullable()
    .describe(
      'Estimated time when the last message will be sent. Null: nothing is left to send, sending is paused or not planned, or the time is unknown.',
    ),
  guess: z.object({ phone_column: z.string().nullable(), file_column: z.string().nullable() }),
  first_rows: z.array(z.array(z.string())).describe('First five rows.'),
  plan: shownPlan.nullable().describe('Settings with which the table was sent. Null: it has not been sent.'),
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
  count: z.int().describe('Number of messages that would be sent.'),
  refused: z.partialRecord(z.enum(ROW_PROBLEMS), z.int()),
  refused_rows: z.array(rowRefusal.extend({ line: z.int() })).describe('First 200 refused rows.'),
  unknown_fields: z.array(z.string()).describe('Words in braces in `message` that are no column of the table.'),
  first_contacts: z.int().describe('Number of people with whom this sender has no chat yet.'),
  same_number: z
    .int()
    .describe('Number of rows whose phone number also occurs in an earlier row with a different message.'),
  restored: z.int().describe('Number of phone numbers that got their leading 0 back.'),
  previews: z
    .array(tablePreview)
    .describe('Up to three messages as the recipients will see them: the first two and the last.'),
  ends_at: isoTime
    .nullable()
    .describe(
      'Estimated time when the last message would be sent. Null: more than 29 days after the start, which is too late.',
    ),
  queue: z.int().describe('Number of messages that already wait for this sender.'),
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
  show: z.enum(SHOWN_ROWS).optional().describe('Only these rows. `left_out`: rows that the check refused.'),
})
export const tableLinesAnswer = listAnswer(tableLineView)
