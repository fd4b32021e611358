import type { welcome as en } from '../en/welcome.ts'
import type { Translation } from '../translation.ts'

export const welcome: Translation<typeof en> = {}
