import * as acts from './acts.ts'
import * as alarms from './alarms.ts'
import * as checks from './checks.ts'
import * as concerns from './concerns.ts'
import * as dropFolder from './drop-folder.ts'
import * as failures from './failures.ts'
import * as fields from './fields.ts'
import * as hints from './hints.ts'
import * as messages from './messages.ts'
import * as refusals from './refusals.ts'
import * as tables from './tables.ts'

/** Every sentence of the server for people. The other languages have the same codes and values. */
export const en = {
  language: 'en',
  ...acts,
  ...alarms,
  ...checks,
  ...concerns,
  ...dropFolder,
  ...failures,
  ...fields,
  ...hints,
  ...messages,
  ...refusals,
  ...tables,
} as const
