import { z } from 'zod'
import { shaped } from './fields.ts'

/** Acts of the owner at Meta through Kurir. */

/** Registers the number with the Cloud API; only this call can, not WhatsApp Manager. */
export const registerRequest = z.object({
  pin: shaped(/^\d{6}$/, '482913').describe(
    'Of two-step verification: the one that the number has, or a new one for a number without.',
  ),
})
