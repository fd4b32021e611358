import { z } from 'zod'
import { ERROR_CODES } from '../../contract/errors.ts'
import { answer, isoTime, listAnswer, paging } from '../../contract/fields.ts'

/** An error code, or a guess that the program's author should know of. */
export const refusedCode = z.enum([...ERROR_CODES, 'charset_assumed'])
export type RefusedCode = z.infer<typeof refusedCode>

const caller = {
  key: z.string().nullable().describe('Name of the API key; null where none was recognised.'),
  hint: z.string().nullable().describe('The last four characters of the key, known or not.'),
  address: z.string().describe('Where the call came from.'),
  program: z.string().nullable().describe('The program, as it calls itself.'),
}

const mistake = {
  method: z.string(),
  path: z.string().describe('The route, such as `/messages/{id}`, with its parameters left out.'),
  status: z.int(),
  code: refusedCode.describe(
    '`charset_assumed`: it was taken, and read in the charset of Windows. A call that is answered 429 because of a wrong key before it has the code of that.',
  ),
  field: z.string().nullable().describe('The first wrong field.'),
  problem: z.string().nullable().describe('Code of what was wrong with the field (`details[].code`).'),
  looks_like: z
    .string()
    .nullable()
    .describe('The gateway that it calls as, such as `WAHA`; `Kurir`: it is nearly right; null: like none.'),
}

/** A program's call that was answered with an error, without body and texts. */
export const refusedCall = z
  .object({
    id: z.string(),
    at: isoTime,
    ...caller,
    ...mistake,
    recipient: z.string().nullable().describe('The phone number of the call, where it had one.'),
    group: z.string().describe('Its group: calls of one caller with one mistake.'),
  })
  .meta({ id: 'RefusedCall' })
export type RefusedCall = z.infer<typeof refusedCall>

const notKept = z.int().describe('How many, since Kurir started, were too many in a second to be listed.')
export const refusedCallsAnswer = listAnswer(refusedCall).extend({ not_kept: notKept })
export const refusedCallsQuery = z.object({
  ...paging,
  group: z.string().max(64).optional().describe('Only those of one group.'),
})

/** Calls of one caller with the same mistake. */
export const refusedGroup = z
  .object({
    id: z.string(),
    ...caller,
    here: z.boolean().describe('It calls from this PC.'),
    ...mistake,
    times: z.int().describe('How often it was refused since `since`, with no hour between.'),
    since: isoTime,
    at: isoTime.describe('The last time.'),
    seen: z.boolean().describe('The owner has seen it.'),
  })
  .meta({ id: 'RefusedGroup' })
export type RefusedGroup = z.infer<typeof refusedGroup>
export const refusedGroupsAnswer = answer(z.array(refusedGroup)).extend({
  not_kept: z.int().describe('How many, since Kurir started, were too many in a second to be counted.'),
})

export const refusedSeenRequest = z.object({
  group: z.string().max(64).optional().describe('Left out: all of them.'),
})

/** Programs of this PC that call like those of another gateway, or nearly right. */
export const knownProgram = z
  .object({
    name: z.string().describe('The gateway, such as `WAHA`.'),
    mouth: z
      .object({
        path: z.string().describe('What the program is given, after the address of Kurir.'),
        on: z.boolean().describe('The owner has switched it on.'),
      })
      .nullable()
      .describe('How Kurir answers as this gateway; null: it does not.'),
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

export const nameParams = z.object({ name: z.string().max(32).describe('`name`, as the list has it.') })
export const decideRequest = z.object({
  decision: z
    .enum(['let_in', 'dismiss'])
    .describe('`let_in` switches on what answers as this gateway. `dismiss`: it is not spoken of again.'),
})
export type Decision = z.infer<typeof decideRequest>['decision']
