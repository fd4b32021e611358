import type { tryIt as en } from '../en/try-it.ts'
import type { Translation } from '../translation.ts'

export const tryIt: Translation<typeof en> = {}
