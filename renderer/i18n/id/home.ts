import type { home as en } from '../en/home.ts'
import type { Translation } from '../translation.ts'

export const home: Translation<typeof en> = {}
