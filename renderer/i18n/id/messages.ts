import type { messages as en } from '../en/messages.ts'
import type { Translation } from '../translation.ts'

export const messages: Translation<typeof en> = {}
