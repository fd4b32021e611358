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
  on: z.boolean().default(false).describe('Needs a folder and a sender.'),
  folder: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .nullable()
    .default(null)
    .describe('Whole path on this PC, of a drive or of the network. Kurir moves every file in it.'),
  sender_code: z.string().min(1).max(64).nullable().default(null),
  text: z
    .string()
    .refine((text) => text.length <= CAPTION_MAX, problem('too_long', { max: CAPTION_MAX }))
    .default('')
    .describe('Text beside each file; `{reference}` is the rest of its name.'),
  table_text: z
    .string()
    .refine((text) => text.length <= TABLE_TEXT_MAX, problem('too_long', { max: TABLE_TEXT_MAX }))
    .default('')
    .describe('Message for each row of a table without a column of texts; `{column}` is filled in.'),
  daily_limit: z
    .int()
    .min(1)
    .max(5_000)
    .default(200)
    .describe('The most messages a day: files, and rows of tables. The others wait for the next.'),
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
    .describe('That of its message; `taken`: it is a table, or its message is not there or was removed by now.'),
  reason: z.enum(DROP_REASONS).nullable().describe('Why it was refused; `some_rows`: why not all of a table was sent.'),
  message_id: z.string().nullable(),
  table_id: z.string().nullable().describe('The table that it became.'),
  phone: z.string().nullable(),
  reference_id: z.string().nullable(),
})
export type DroppedFile = z.infer<typeof droppedFile>

export const dropFolderView = dropFolderSettings.extend({
  problem: z.enum(DROP_PROBLEMS).nullable().describe('Why files wait in the folder.'),
  waiting: z.int().describe('Files in the folder, as of the last look.'),
  failed: z.int().describe('Files in `failed/`, and tables in `sent/`, that have a text beside them that says why.'),
  files: z.array(droppedFile).describe('The last 20.'),
})
export type DropFolderView = z.infer<typeof dropFolderView>
export const dropFolderAnswer = answer(dropFolderView)
