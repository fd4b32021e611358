import { z } from 'zod'

// Members of Fonnte's API that Kurir takes (docs.fonnte.com, "API Send Message"). Others are
// ignored. Its clients send text, or JSON with numbers.
const loose = z.union([z.string(), z.number(), z.boolean()]).transform(String).pipe(z.string().max(100_000))
const countryCode = loose
  .optional()
  .describe(
    'Country code that replaces a leading 0 and is put before numbers that begin with neither 0 nor this code. Default: `62`. `0`: numbers stay as they are.',
  )
const target = loose.describe(
  'Phone numbers or group ids (`…@g.us`), separated by commas. A name and variables may follow each, separated by `|`: `0812…|Ani|var1`.',
)
const refused = loose
  .optional()
  .describe('Not supported: a message with this field is refused, because it would arrive without this part.')

/** Members of one message, which may go to several targets. */
const message = {
  message: loose
    .default('')
    .describe(
      'Text of the message, or caption of the file. `{name}`, `{var1}`, … are replaced by the values that follow the number in `target`.',
    ),
  url: loose.optional().describe('URL of a file to send.'),
  file: loose
    .optional()
    .describe('The file itself, as a part of a multipart form. Text in this field is refused: put a URL into `url`.'),
  filename: loose.optional().describe('File name that the recipient sees.'),
  schedule: loose.optional().describe('Time to send the message, in seconds since 1970. `0`: now.'),
  delay: loose.optional().describe('Seconds between two targets: `5`, or `5-10` for a random number.'),
  countryCode,
  inboxid: loose.optional().describe('Ignored: Kurir does not quote messages.'),
  followup: loose.optional().describe('Not supported: a message with a value other than `0` is refused.'),
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
      'Several messages as a JSON array, instead of `target`. Fields that an entry omits are taken from the request.',
    ),
  file_id: z.string().max(64).optional().describe('Id of a file that was uploaded with POST /files.'),
  ...message,
})
export type FonnteSendRequest = z.infer<typeof fonnteSendRequest>

const token = loose.optional().describe('API key, if it is not in the header `Authorization`.')
export const fonnteSendQuery = fonnteSendRequest.omit({ file_id: true }).extend({ token })
export const fonnteValidateRequest = z.object({ target, countryCode })
const id = loose.optional().describe('Id of the message, from `id` in the response of `/send`.')
export const fonnteIdRequest = z.object({ id })
export const fonnteResetRequest = z.object({
  id,
  delay: loose.optional().describe('Seconds from now: `5`, or `5-10` for a random number.'),
  schedule: loose.optional().describe('New time to send the message, in seconds since 1970. `0`: now.'),
  byschedule: loose
    .optional()
    .describe('Not supported: refused if true, because only one message can be moved at a time.'),
})
export type FonnteResetRequest = z.infer<typeof fonnteResetRequest>

/** Fonnte's answer to a wrong call. Its HTTP status is 200 too. */
export const fonnteFailure = z.object({
  status: z.literal(false),
  reason: z
    .string()
    .describe("Why the request failed, in Fonnte's own words if it has any, because programs compare them."),
  detail: z.string().optional().describe("What is wrong, if `reason` is in Fonnte's words."),
})
const answered = <T extends z.ZodRawShape>(members: T) =>
  z.object({ status: z.literal(true), ...members }).or(fonnteFailure)

export const fonnteSent = answered({
  detail: z.string(),
  process: z
    .enum(['pending', 'waiting'])
    .describe('`waiting`: all messages are scheduled for later. `pending`: they are in the queue.'),
  requestid: z.number(),
  id: z.array(z.string()).describe('Ids of the messages: whole numbers as text, which the other routes accept.'),
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
      token: z.literal('').describe('Always empty: Kurir does not return API keys.'),
    }),
  ),
})
export const fonnteStatusAnswer = answered({ id: z.number(), message_status: z.string() })
export const fonnteDone = answered({ detail: z.string() })
export const fonnteGroups = answered({
  detail: z.string(),
  data: z.array(z.object({ id: z.string(), name: z.string() })),
})
export const fonnteCallParams = z.object({
  call: z.string().max(64).describe("Name of any other call of Fonnte's API."),
})
