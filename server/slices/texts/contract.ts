import { z } from 'zod'
import { problem } from '../../contract/field-problems.ts'
import { answer, givenName, isoTime } from '../../contract/fields.ts'
import { PLACEHOLDERS } from '../../contract/placeholders.ts'

export const TEXTS_MAX = 200
/** Limit in UTF-16 units; WhatsApp's own. */
const TEXT_MAX = 4096

const known = Object.values(PLACEHOLDERS).flatMap((spellings) => spellings.map((word) => `{${word}}`))

const name = givenName('Payment received').describe('Name of the text. Each name can be used only once.')

const text = z
  .string()
  .min(1)
  .refine((value) => value.length <= TEXT_MAX, problem('too_long', { max: TEXT_MAX }))
  .meta({
    maxLength: TEXT_MAX,
    description: `Text with placeholders. Kurir fills in ${known.join(', ')}; other words in braces are filled in by the person who sends the text.`,
    examples: ['Dear {name}, your order {number} is ready since {date}.'],
  })

export const createTextRequest = z.object({ name, text })

export type CreateTextRequest = z.infer<typeof createTextRequest>

export const updateTextRequest = z.object({ name: name.optional(), text: text.optional() })

const textView = z.object({ id: z.string(), name: z.string(), text: z.string(), changed_at: isoTime })
export type TextView = z.infer<typeof textView>

export const textAnswer = answer(textView)
export const textsAnswer = answer(z.array(textView))
