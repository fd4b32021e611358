import type { en } from '../en/index.ts'
import type { Translated } from '../text.ts'
import { actColumns, actedBy, actNames, actNotKnown, acts, actValues } from './acts.ts'
import { alarms } from './alarms.ts'
import { checks, findings, risks } from './checks.ts'
import { actions, concernParts, concerns } from './concerns.ts'
import { dropReasons, folderFaults } from './drop-folder.ts'
import { failures, reasons } from './failures.ts'
import { fields, types } from './fields.ts'
import { hints } from './hints.ts'
import { columns, statuses } from './messages.ts'
import { refusals, refusedBecause } from './refusals.ts'
import { tableKinds, tableLine, tableProblems } from './tables.ts'

const words = {
  language: 'id',
  actColumns,
  actNames,
  actNotKnown,
  actValues,
  actedBy,
  actions,
  acts,
  alarms,
  checks,
  columns,
  concernParts,
  concerns,
  dropReasons,
  folderFaults,
  failures,
  fields,
  findings,
  hints,
  reasons,
  refusals,
  refusedBecause,
  risks,
  statuses,
  tableKinds,
  tableLine,
  tableProblems,
  types,
} as const

export const id: Translated<typeof en, typeof words> = words
