import { z } from 'zod'
import { TABLE_REFUSALS } from '../../contract/dropped-tables.ts'
import { problem } from '../../contract/field-problems.ts'
import { answer, isoTime } from '../../contract/fields.ts'
import { STATUSES } from '../../contract/messages.ts'

/** Reasons for refusing a file. `some_rows`: a table was sent except for refused rows. */
export const DROP_REASONS = [
  'no_number',
  'several_numbers',
  'bad_number',
  'no_country_code',
  'no_reference',
  'bad_name',
  'not_this_kind',
  'link',
  'empty',
  'too_large',
  'sent_before',
  'refused',
  'message_failed',
  ...TABLE_REFUSALS,
  'table_for_one',
  'table_over_limit',
  'some_rows',
] as const
export type DropReason = (typeof DROP_REASONS)[number]

export const DROP_PROBLEMS = ['away', 'not_writable', 'no_sender', 'limit', 'full', 'tables_full', 'stuck'] as const
export type DropProblem = (typeof DROP_PROBLEMS)[number]

/** Placeholder words for the rest of the file name, besides the ones that every text may use. */
export const REFERENCE_WORDS = ['reference', 'referensi'] as const

const CAPTION_MAX = 1024
/** Limit in UTF-16 units; WhatsApp's own. */
export const TABLE_TEXT_MAX = 4096

export const dropFolderSettings = z.object({
  on: z.boolean().default(false).describe('True: Kurir sends the files in the folder. Requires a folder and a sender.'),
  folder: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .nullable()
    .default(null)
    .describe(
      'Absolute path of the folder, on a drive of this PC or on the network. Use a folder of its own: Kurir moves every file that is put into it.',
    ),
  sender_code: z.string().min(1).max(64).nullable().default(null),
  text: z
    .string()
    .refine((text) => text.length <= CAPTION_MAX, problem('too_long', { max: CAPTION_MAX }))
    .default('')
    .describe('Caption of each file. `{reference}` is replaced by the part of the file name after the phone number.'),
  table_text: z
    .string()
    .refine((text) => text.length <= TABLE_TEXT_MAX, problem('too_long', { max: TABLE_TEXT_MAX }))
    .default('')
    .describe(
      "Message for each row of a table that has no column with texts. `{column}` is replaced by the row's value in the column of that name.",
    ),
  daily_limit: z
    .int()
    .min(1)
    .max(5_000)
    .default(200)
    .describe('Most messages per day, counting files and rows of tables. The rest waits for the next day.'),
})
export type DropFolderSettings = z.infer<typeof dropFolderSettings>

const { shape } = dropFolderSettings
// Unwrapped, because a default would overwrite a setting that the request omits.
export const updateDropFolderRequest = z
  .object({
    on: shape.on.unwrap(),
    folder: shape.folder.unwrap(),
    sender_code: shape.sender_code.unwrap(),
    text: shape.text.unwrap(),
    table_text: shape.table_text.unwrap(),
    daily_limit: shape.daily_limit.unwrap(),
  })
  .partial()
export type UpdateDropFolder = z.infer<typeof updateDropFolderRequest>

export const droppedFile = z.object({
  id: z.string(),
  at: isoTime,
  name: z.string(),
  status: z
    .enum(['taken', 'refused', ...STATUSES])
    .describe(
      "Status of the file's message. `taken`: the file is a table, or its message does not exist yet or has been removed from the log. `refused`: see `reason`.",
    ),
  reason: z
    .enum(DROP_REASONS)
    .nullable()
    .describe(
      'Why the file was refused, or, for `some_rows`, why some rows of a table were not sent. Null: no problem.',
    ),
  message_id: z.string().nullable(),
  table_id: z
    .string()
    .nullable()
    .describe('Id of the table that was created from the file. Null: the file is no table, or the table was removed.'),
  phone: z.string().nullable(),
  reference_id: z.string().nullable(),
})
export type DroppedFile = z.infer<typeof droppedFile>

export const dropFolderView = dropFolderSettings.extend({
  problem: z.enum(DROP_PROBLEMS).nullable().describe('Why files are waiting in the folder. Null: no problem.'),
  waiting: z.int().describe('Number of files in the folder, when Kurir last looked.'),
  failed: z
    .int()
    .describe(
      'Number of files in `failed/` and of tables in `sent/` for which a text file beside them explains the problem.',
    ),
  files: z.array(droppedFile).describe('The last 20 files, newest first.'),
})
export type DropFolderView = z.infer<typeof dropFolderView>
export const dropFolderAnswer = answer(dropFolderView)
