import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'

export const FILENAME_MAX = 255

/** Headers of POST /files with a raw body. A name that is not ASCII is percent-encoded UTF-8. */
export const fileHeaders = z.object({
  'X-Filename': z
    .string()
    .max(3 * FILENAME_MAX)
    .optional()
    .describe('Name that the recipient sees, as percent-encoded UTF-8.'),
})

/** A file that was stored before it is sent. */
export const fileView = z.object({
  file_id: z.string(),
  name: z.string().describe('What the recipient sees.'),
  type: z.string().describe('MIME type, by the content first.'),
  size: z.number().int().describe('Bytes.'),
  sha256: z.string(),
  expires_at: isoTime.describe('Kept until then, and longer for messages that wait with it.'),
})
export type FileView = z.infer<typeof fileView>
export const fileAnswer = answer(fileView)
