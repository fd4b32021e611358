import * as acts from './acts.ts'
import * as concerns from './concerns.ts'
import * as messages from './messages.ts'
import * as official from './official.ts'
import * as refusals from './refusals.ts'

/** Every sentence of the server for people. The other languages have the same codes and values. */
export const en = {
  language: 'en',
  ...acts,
  ...concerns,
  ...messages,
  ...official,
  ...refusals,
} as const
