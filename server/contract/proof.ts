import { z } from 'zod'
import { answer } from './envelope.ts'
import { shaped } from './fields.ts'

export const proofQuery = z.object({
  nonce: shaped(/^[\w-]{22,64}$/, 'q9V0Zk1mT3xY7bN2cR5wLg').describe(
    'Chosen by the one who asks, another one for each call.',
  ),
})
export const proofAnswer = answer(
  z.object({
    proof: z.string().describe('HMAC-SHA256, base64url, by the owner token, over "kurir-proof:<port>:<nonce>".'),
  }),
)
