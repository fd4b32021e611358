import { z } from 'zod'

/**
 * The members of Fonnte's API that Kurir takes (docs.fonnte.com, "API Send Message"). Its clients
 * send everything as text, or JSON with numbers; what is not listed is ignored.
 */
const loose = z.union([z.string(), z.number(), z.boolean()]).transform(String).pipe(z.string().max(100_000))
const countryCode = loose
  .optional()
  .describe('In place of a leading 0, and before a number that begins with neither; default 62, `0` changes nothing.')
const target = loose.describe(
  'Numbers with commas between them; after a number its name and variables: `0812…|Ani|var1`.',
)
const refused = loose.optional().describe('Refused: it would be a message without its meaning.')

/** One message, or the same one to several targets. */
const message = {
  message: loose.default('').describe('`{name}`, `{var1}`, … are replaced by the values after the number.'),
  url: loose.optional().describe('Address of a file.'),
  file: loose.optional().describe('Refused as text: it comes as a part of a form, an address in `url`.'),
  filename: loose.optional().describe('Name of the file that the recipient sees.'),
  schedule: loose.optional().describe('When to send: seconds since 1970; `0` is now.'),
  delay: loose.optional().describe('Seconds between two targets: `5`, or `5-10` for a random time.'),
  countryCode,
  inboxid: loose.optional().describe('Has no effect: nothing is quoted.'),
  followup: loose.optional().describe('Refused, except `0`, which is none.'),
  choices: refused,
  select: refused,
  pollname: refused,
  location: refused,
  buttonJSON: refused,
  templateJSON: refused,
  listJSON: refused,
}
export const fonnteMessage = z.object({ target, ...message })
export type FonnteMessage = z.infer<typeof fonnteMessage>

export const fonnteSendRequest = z.object({
  target: target.optional(),
  data: z
    .union([z.string().max(200_000), z.array(z.unknown()).max(500)])
    .optional()
    .describe(
      'Several messages, as a list in JSON, in place of `target`; what an entry does not have it takes from here.',
    ),
  file_id: z.string().max(64).optional().describe('A file that was sent to /files.'),
  ...message,
})
export type FonnteSendRequest = z.infer<typeof fonnteSendRequest>

const token = loose.optional().describe('The API key; a header may hold it as well.')
export const fonnteSendQuery = fonnteSendRequest.omit({ file_id: true }).extend({ token })
export const fonnteValidateRequest = z.object({ target, countryCode })
const id = loose.optional().describe('The number of the message, as `/send` answered it.')
export const fonnteIdRequest = z.object({ id })
export const fonnteResetRequest = z.object({
  id,
  delay: loose.optional().describe('Seconds from now: `5`, or `5-10`.'),
  schedule: loose.optional().describe('The new time: seconds since 1970; `0` is now.'),
  byschedule: loose.optional().describe('Refused where it is true: one message is moved.'),
})
export type FonnteResetRequest = z.infer<typeof fonnteResetRequest>

/** As Fonnte answers, also to what is wrong, and always with HTTP status 200. */
export const fonnteFailure = z.object({
  status: z.literal(false),
  reason: z.string().describe('In the words of Fonnte where it has some, because programs compare them.'),
  detail: z.string().optional().describe('What is wrong, where `reason` does not say it.'),
})
const answered = <T extends z.ZodRawShape>(members: T) =>
  z.object({ status: z.literal(true), ...members }).or(fonnteFailure)

export const fonnteSent = answered({
  detail: z.string(),
  process: z.enum(['pending', 'waiting']).describe('`waiting`: until its schedule.'),
  requestid: z.number(),
  id: z.array(z.string()).describe('Whole numbers, which the other calls take.'),
  target: z.array(z.string()),
})
export const fonnteValidated = answered({ registered: z.array(z.string()), not_registered: z.array(z.string()) })
export const fonnteDevice = answered({
  device: z.string(),
  device_status: z.enum(['connect', 'disconnect']),
  name: z.string(),
  package: z.string(),
  quota: z.string(),
  expired: z.string(),
  messages: z.number(),
})
export const fonnteDevices = answered({
  connected: z.number(),
  devices: z.number(),
  messages: z.number(),
  type: z.literal('device'),
  data: z.array(
    z.object({
      device: z.string(),
      name: z.string(),
      status: z.enum(['connect', 'disconnect']),
      package: z.string(),
      quota: z.string(),
      expired: z.string(),
      autoread: z.literal('off'),
      token: z.literal('').describe('No key is ever told.'),
    }),
  ),
})
export const fonnteStatusAnswer = answered({ id: z.number(), message_status: z.string() })
export const fonnteDone = answered({ detail: z.string() })
export const fonnteGroups = answered({
  detail: z.string(),
  data: z.array(z.object({ id: z.string(), name: z.string() })),
})
export const fonnteCallParams = z.object({ call: z.string().max(64).describe('Any other call of Fonnte.') })
