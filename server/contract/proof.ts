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
    time: z.number().int().describe('Milliseconds, by a clock of its own. A request that follows holds it.'),
    proof: z.string().describe('Only those can check it who may read the data folder, or the database of its nodes.'),
  }),
)
