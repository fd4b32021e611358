import type { en } from '../en/index.ts'
import type { Translated } from '../text.ts'
import * as acts from './acts.ts'
import * as concerns from './concerns.ts'
import * as messages from './messages.ts'
import * as official from './official.ts'
import * as refusals from './refusals.ts'

const words = {
  language: 'id',
  ...acts,
  ...concerns,
  ...messages,
  ...official,
  ...refusals,
} as const

export const id: Translated<typeof en, typeof words> = words
