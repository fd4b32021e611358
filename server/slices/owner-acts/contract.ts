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
      .describe('`token`: a program with the owner’s token. `tray`: the menu beside the clock of this PC.'),
    browser: z.string().nullable().describe('The browser of a window, as it calls itself (User-Agent).'),
    address: z.string().nullable().describe('Where that browser was.'),
    act: z.string().describe('The route, such as `POST /api/keys`, or what was chosen in the tray.'),
    words: z.string().describe('What was done, in the language of the settings.'),
    thing: z.string().nullable().describe('Name of what it was done to, at that time.'),
    message: z
      .object({ id: z.string(), recipient: z.string(), reference_id: z.string().nullable() })
      .nullable()
      .describe('The message that it was done to, while Kurir has it.'),
    details: z
      .array(z.string())
      .describe('What was changed, in the language of the settings; of switches and choices also how they stand now.'),
    done: z.boolean().describe('False: it was begun, and Kurir ended before it could note how that went.'),
  })
  .meta({ id: 'OwnerAct' })
export type OwnerAct = z.infer<typeof ownerAct>

export const ownerActsQuery = z.object(paging)
export const ownerActsAnswer = listAnswer(ownerAct)

export const ownerActsExportQuery = exportQuery.pick({ language: true, time_zone: true })
