import { z } from 'zod'
import { isoTime, listAnswer, paging } from '../../contract/fields.ts'
import { exportQuery } from '../../contract/messages.ts'

/**
 * An act of the owner. Contains no secrets and no texts, and only the last four digits of a phone
 * number unless the act has a message.
 */
export const ownerAct = z
  .object({
    id: z.string(),
    at: isoTime,
    by: z
      .enum(['window', 'command_line', 'token', 'tray'])
      .describe(
        "Where the change was made. `window`: Kurir's window. `command_line`: the command `kurir`. `token`: a program with the owner’s token. `tray`: the tray menu on this PC.",
      ),
    browser: z
      .string()
      .nullable()
      .describe(
        'User-Agent header of the browser in which the window was open. Null: not made in the window, or not sent.',
      ),
    address: z.string().nullable().describe('IP address of that browser. Null: not made in the window.'),
    act: z
      .string()
      .describe('Route that was called, such as `POST /api/keys`, or the command that was chosen in the tray menu.'),
    words: z.string().describe('What was done, in the language of the settings.'),
    thing: z
      .string()
      .nullable()
      .describe('Name of the object that was changed, such as a sender or a key, at that time. Null: none.'),
    message: z
      .object({ id: z.string(), recipient: z.string(), reference_id: z.string().nullable() })
      .nullable()
      .describe('Message that was changed. Null: none, or Kurir no longer has it.'),
    details: z
      .array(z.string())
      .describe(
        'Fields that were changed, in the language of the settings; switches and choices with their new value.',
      ),
    done: z.boolean().describe('False: the change was started, but Kurir ended before it could record the result.'),
  })
  .meta({ id: 'OwnerAct' })
export type OwnerAct = z.infer<typeof ownerAct>

export const ownerActsQuery = z.object(paging)
export const ownerActsAnswer = listAnswer(ownerAct)

export const ownerActsExportQuery = exportQuery.pick({ language: true, time_zone: true })
