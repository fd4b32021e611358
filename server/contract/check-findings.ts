import { z } from 'zod'

/** Findings of a check of an official sender. Stable; the words are in `server/words/`. */
const CHECK_FINDINGS = [
  'token_forever',
  'token_until',
  'token_invalid',
  'permissions_complete',
  'permissions_missing',
  'permissions_none',
  'permissions_unknown',
  'secret_right',
  'secret_wrong',
  'secret_unknown',
  'number_unknown',
  'number_empty',
  'number',
  'number_unlimited',
  'number_elsewhere',
  'number_unregistered',
  'templates_some',
  'templates_none',
  'subscribed',
  'subscribed_now',
  'address_none',
  'address_elsewhere',
  'address_not_entered',
  'address_other',
  'address_right',
  'address_used',
  'status_came',
  'status_never',
  'meta_refused',
  'meta_away',
] as const

export type CheckFinding = (typeof CHECK_FINDINGS)[number]

export const finding = z.object({
  code: z.custom<CheckFinding>((name) => CHECK_FINDINGS.some((one) => one === name)).meta({ type: 'string' }),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
  exact: z.string().nullable().describe('What Meta or the network says, in its own language.'),
})
export type Finding = z.infer<typeof finding>
