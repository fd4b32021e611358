import { z } from 'zod'
import { answer } from '../../contract/envelope.ts'

/** The answer of what returns nothing. */
export const done = answer(z.object({}))
