import type { Status } from '../../contract/messages.ts'

/** The status of a message. */
export const statuses = {
  queued: 'Waiting',
  accepted: 'At Meta',
  sending: 'Sending',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const satisfies Record<Status, string>

/** Titles of the columns of a table for people. */
export const columns = {
  accepted: 'Accepted',
  sender: 'Sender',
  number: 'Number',
  status: 'Status',
  since: 'Status since',
  message: 'Message',
  file: 'File',
  reference: 'Reference',
  why: 'Why it failed',
} as const
