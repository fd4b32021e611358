import { z } from 'zod'
import { type Columns, flag, integer, json, text, writing } from './columns.ts'
import type { Statements } from './statements.ts'

/** `last_good` is the copy that was made when a connection last opened. */
export type Generation = 'current' | 'last_good'

export interface SignalValue {
  type: string
  id: string
  /** Null deletes the key. */
  value: Buffer | null
}

interface SessionChange {
  /** First removes everything but keys of these types. */
  keep?: readonly string[]
  credentials?: { generation: Generation; value: Buffer; at: number }
  keys?: readonly SignalValue[]
}

/**
 * Credentials and Signal keys of linked numbers. The caller seals every value. Writes of one sender
 * take effect in the order of their calls, and survive a power cut once they have resolved.
 */
export interface SessionStore {
  getKey(senderId: number, type: string, id: string): Promise<Buffer | undefined>
  /** Keys of one type, in the order of their ids. */
  keysOf(senderId: number, type: string): Promise<{ id: string; value: Buffer }[]>
  /** Writes all values or none. */
  setKeys(senderId: number, values: readonly SignalValue[]): Promise<void>
  credentials(senderId: number, generation: Generation): Promise<Buffer | undefined>
  /** Makes the whole change or nothing. */
  change(senderId: number, change: SessionChange): Promise<void>
}

export interface GroupRow {
  /** WhatsApp's id of the group, `…@g.us`. */
  jid: string
  name: string
  members: number
  canSend: boolean
}

export interface GroupStore {
  /** Lists groups by name. */
  list(senderId: number): Promise<GroupRow[]>
  /** Replaces all groups of a sender. */
  replace(senderId: number, groups: readonly GroupRow[]): Promise<void>
}

/** Facts about a linked account besides its sender's row. The connection defines their schema. */
export interface LinkedFactsStore {
  get(senderId: number): Promise<unknown>
  save(senderId: number, facts: object): Promise<void>
}

const GROUP: Columns<GroupRow> = {
  jid: text('jid'),
  name: text('name'),
  members: integer('members'),
  canSend: flag('can_send'),
}

const inOrder = (a: GroupRow, b: GroupRow): number =>
  a.name === b.name ? (a.jid < b.jid ? -1 : 1) : a.name < b.name ? -1 : 1

export function createGroups({ rows, bind, insert, write }: Statements): GroupStore {
  const of = rows(GROUP, 'FROM sender_groups WHERE sender_id = $1')
  const forget = bind('DELETE FROM sender_groups WHERE sender_id = $1')
  const put = insert('sender_groups', writing({ senderId: integer('sender_id'), ...GROUP }))
  return {
    list: async (senderId) => (await of(senderId)).sort(inOrder),
    async replace(senderId, groups) {
      await write(forget(senderId), ...put(groups.map((group) => ({ ...group, senderId }))))
    },
  }
}

export function createLinkedFacts({ one, bind, write }: Statements): LinkedFactsStore {
  const find = one({ facts: json('facts', z.unknown()) }, 'FROM linked_facts WHERE sender_id = $1')
  const put = bind(
    `INSERT INTO linked_facts (sender_id, facts) VALUES ($1, $2)
     ON CONFLICT (sender_id) DO UPDATE SET facts = excluded.facts`,
  )
  return {
    get: async (senderId) => (await find(senderId))?.facts,
    async save(senderId, facts) {
      await write(put(senderId, JSON.stringify(facts)))
    },
  }
}
