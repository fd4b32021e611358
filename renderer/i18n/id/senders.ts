import type { senders as en } from '../en/senders.ts'
import type { Translation } from '../translation.ts'

export const senders: Translation<typeof en> = {}
