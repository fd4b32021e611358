import type { ChannelName, MessageRow } from '../../server/contract/messages.ts'

/** The filters of a message list as they stand in the address; `status` may name several, separated by commas. */
export interface MessageFilters {
  channel?: ChannelName
  status?: string
  sender_code?: string
  recipient?: string
  template_name?: string
  reference_id?: string
  from?: string
  to?: string
  q?: string
}

/** Whether a row that just happened belongs into a list with these filters. */
export function matches(row: MessageRow, filters: MessageFilters): boolean {
  const { channel, status, sender_code, recipient, template_name, reference_id, from, to, q } = filters
  return (
    (channel === undefined || row.channel === channel) &&
    (status === undefined || status.split(',').includes(row.status)) &&
    (sender_code === undefined || row.sender_code === sender_code) &&
    (recipient === undefined || row.recipient === recipient) &&
    (template_name === undefined || row.template?.name === template_name) &&
    (reference_id === undefined || row.reference_id === reference_id) &&
    (from === undefined || Date.parse(row.created_at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(row.created_at) < Date.parse(to)) &&
    (q === undefined || found(row, q))
  )
}

function found(row: MessageRow, q: string): boolean {
  const text = [row.recipient, row.message, row.reference_id, row.template?.name].join('\n').toLowerCase()
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
