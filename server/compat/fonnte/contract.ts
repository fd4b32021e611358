import { z } from 'zod'

/**
 * The members of Fonnte's API that Kurir takes (docs.fonnte.com, "API Send Message"). Its clients
 * send everything as text, or JSON with numbers; what is not listed is ignored.
 */
const loose = z.union([z.string(), z.number()]).transform(String).pipe(z.string().max(100_000))
const countryCode = loose.optional().describe('In place of a leading 0; default 62, `0` changes nothing.')
const target = loose.describe(
  'Numbers with commas between them; after a number its name and variables: `0812…|Ani|var1`.',
)

export const fonnteSendRequest = z.object({
  target,
  message: loose.default('').describe('`{name}`, `{var1}`, … are replaced by the values after the number.'),
  url: loose.optional().describe('Address of a file.'),
  file_id: z.string().max(64).optional(),
  filename: loose.optional(),
  schedule: loose.optional().describe('When to send: seconds since 1970; `0` is now.'),
  delay: loose.optional().describe('Seconds between two targets: `5`, or `5-10` for a random time.'),
  countryCode,
  choices: loose.optional().describe('A poll is refused.'),
  followup: loose.optional().describe('A follow-up is refused; `0` is none.'),
})
export type FonnteSendRequest = z.infer<typeof fonnteSendRequest>

export const fonnteValidateRequest = z.object({ target, countryCode })

/** As Fonnte answers, also to what is wrong, and always with HTTP status 200. */
export const fonnteFailure = z.object({
  status: z.literal(false),
  reason: z.string().describe('In the words of Fonnte where it has some, because programs compare them.'),
  detail: z.string().optional().describe('What is wrong, where `reason` does not say it.'),
})
export const fonnteSent = z.object({
  status: z.literal(true),
  detail: z.string(),
  process: z.literal('pending'),
  requestid: z.number(),
  id: z.array(z.string()),
  target: z.array(z.string()),
})
export const fonnteValidated = z.object({
  status: z.literal(true),
  registered: z.array(z.string()),
  not_registered: z.array(z.string()),
})
export const fonnteDevice = z.object({
  status: z.literal(true),
  device: z.string(),
  device_status: z.enum(['connect', 'disconnect']),
  name: z.string(),
  package: z.string(),
  quota: z.string(),
})
