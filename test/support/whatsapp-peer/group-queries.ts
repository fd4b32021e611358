import type { BinaryNode } from 'baileys'
import { type Contact, jidOf } from './directory.ts'
import { type Group, isLidGroup } from './groups.ts'
import type { QueryContext } from './queries.ts'
import { attribute, child, queryError, result, seconds, stanza } from './stanza.ts'

export const memberNode = (contact: Contact, group: Group, rank?: string): BinaryNode =>
  stanza('participant', {
    jid: jidOf(contact, isLidGroup(group)),
    [isLidGroup(group) ? 'phone_number' : 'lid']: jidOf(contact, !isLidGroup(group)),
    type: rank === 'admin' ? 'admin' : undefined,
  })

export const groupNode = (group: Group, { withMembers = true } = {}): BinaryNode =>
  stanza(
    'group',
    {
      id: group.id,
      subject: group.name,
      s_t: seconds(group.createdAt),
      creation: seconds(group.createdAt),
      addressing_mode: group.form,
      size: String(group.members.size),
    },
    [
      ...(withMembers ? [...group.members].map(([contact, rank]) => memberNode(contact, group, rank)) : []),
      ...(group.announce ? [stanza('announcement')] : []),
      ...(group.timer === undefined ? [] : [stanza('ephemeral', { expiration: String(group.timer) })]),
    ],
  )

/** Answers with all groups of the account, and with their members if asked. */
export function answerParticipating({ query, companion, groups }: QueryContext): BinaryNode {
  if (query.attrs.to !== '@g.us') return queryError(query, 400, 'bad-request')
  const withMembers = child(child(query, 'participating'), 'participants') !== undefined
  const nodes = groups.of(companion.contact).map((group) => groupNode(group, { withMembers }))
  return result(query, [stanza('groups', {}, nodes)])
}

/** Answers with one group if the account is a member. */
export function answerGroup({ query, companion, groups }: QueryContext): BinaryNode {
  const group = groups.find(query.attrs.to)
  if (group === undefined) return queryError(query, 404, 'item-not-found')
  if (attribute(child(query, 'query') ?? query, 'request') !== 'interactive')
    return queryError(query, 400, 'bad-request')
  if (!group.members.has(companion.contact)) return queryError(query, 403, 'forbidden')
  return result(query, [groupNode(group)])
}
