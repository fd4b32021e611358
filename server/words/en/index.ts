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

/** Every sentence of the server for people. The other languages have the same codes and values. */
export const en = {
  language: 'en',
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
