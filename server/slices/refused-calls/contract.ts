import { z } from 'zod'
import { ERROR_CODES } from '../../contract/errors.ts'
import { answer, isoTime, listAnswer, paging } from '../../contract/fields.ts'

/** An error code, or a guess that the program's author should know of. */
export const refusedCode = z.enum([...ERROR_CODES, 'charset_assumed'])
export type RefusedCode = z.infer<typeof refusedCode>

const caller = {
  key: z.string().nullable().describe('Name of the API key. Null: the request had no valid key.'),
  hint: z
    .string()
    .nullable()
    .describe(
      'Last four characters of the API key, even if the key is not valid. Null: there was no key, or it is too short to show.',
    ),
  address: z.string().describe('IP address from which the request came.'),
  program: z
    .string()
    .nullable()
    .describe('Name of the program from its User-Agent header, such as `GuzzleHttp`. Null: none, or a browser.'),
}

const mistake = {
  method: z.string(),
  path: z
    .string()
    .describe(
      'Path of the route, such as `/messages/{id}`; for a request without a route, the path of the request without parameters.',
    ),
  status: z.int(),
  code: refusedCode.describe(
    'Error code of the response. `charset_assumed`: the request was accepted, but its text was read in a Windows charset because it names none. A 429 because of too many wrong keys has the code of the wrong key.',
  ),
  field: z.string().nullable().describe('First invalid field. Null: none.'),
  problem: z
    .string()
    .nullable()
    .describe('Code of the problem with this field, as in `details[].code` of the response. Null: none.'),
  looks_like: z
    .string()
    .nullable()
    .describe(
      'Gateway whose API the request resembles, such as `WAHA`. `Kurir`: a request to Kurir that is nearly right. Null: none.',
    ),
}

/** A program's call that was answered with an error, without body and texts. */
export const refusedCall = z
  .object({
    id: z.string(),
    at: isoTime,
    ...caller,
    ...mistake,
    recipient: z.string().nullable().describe('Phone number in the request. Null: none.'),
    group: z
      .string()
      .describe("Id of the request's group. A group contains requests of one caller with the same mistake."),
  })
  .meta({ id: 'RefusedCall' })
export type RefusedCall = z.infer<typeof refusedCall>

const notKept = z
  .int()
  .describe(
    'Number of refused requests since Kurir started that are not listed, because too many came within one second.',
  )
export const refusedCallsAnswer = listAnswer(refusedCall).extend({ not_kept: notKept })
export const refusedCallsQuery = z.object({
  ...paging,
  group: z.string().max(64).optional().describe('Only requests of the group with this id.'),
})

/** Calls of one caller with the same mistake. */
export const refusedGroup = z
  .object({
    id: z.string(),
    ...caller,
    here: z.boolean().describe('True: the requests come from this PC.'),
    ...mistake,
    times: z
      .int()
      .describe('Number of refused requests since `since`. After an hour without one the count starts again.'),
    since: isoTime,
    at: isoTime.describe('Time of the last refused request.'),
    seen: z.boolean().describe('True: the owner has marked the group as seen.'),
  })
  .meta({ id: 'RefusedGroup' })
export type RefusedGroup = z.infer<typeof refusedGroup>
export const refusedGroupsAnswer = answer(z.array(refusedGroup)).extend({
  not_kept: z
    .int()
    .describe(
      'Number of refused requests since Kurir started that no group counts, because too many came within one second.',
    ),
})

export const refusedSeenRequest = z.object({
  group: z.string().max(64).optional().describe('Id of the group to mark. Omitted: all groups.'),
})

/** Programs of this PC that call like those of another gateway, or nearly right. */
export const knownProgram = z
  .object({
    name: z
      .string()
      .describe(
        'Gateway whose API the program uses, such as `WAHA`. `Kurir`: requests to Kurir that are nearly right.',
      ),
    mouth: z
      .object({
        path: z.string().describe("Path to enter in the program after Kurir's base URL, such as `/compat/waha`."),
        on: z.boolean().describe('True: the owner has switched these routes on.'),
      })
      .nullable()
      .describe('Routes of Kurir that are compatible with this gateway. Null: there are none.'),
    ...mistake,
    hint: caller.hint,
    program: caller.program,
    times: z.int(),
    since: isoTime,
    at: isoTime,
  })
  .meta({ id: 'KnownProgram' })
export type KnownProgram = z.infer<typeof knownProgram>
export const knownProgramsAnswer = answer(z.array(knownProgram))
export const knownProgramAnswer = answer(knownProgram)

export const nameParams = z.object({ name: z.string().max(32).describe('Value of `name` from the list of programs.') })
export const decideRequest = z.object({
  decision: z
    .enum(['let_in', 'dismiss'])
    .describe(
      '`let_in` switches on the routes that are compatible with this gateway. `dismiss`: the program is no longer reported.',
    ),
})
export type Decision = z.infer<typeof decideRequest>['decision']
