import type { Store } from '../../../store/index.ts'

/** Types of keys whose ids may begin with a phone number. */
const KEYS_OF_PEOPLE = ['lid-mapping', 'session', 'identity-key', 'device-list', 'tctoken']

/**
 * Removes the keys of phone numbers that are not contacts any more; resolves with their count.
 * @param owns true if this program sends for the sender
 */
export async function forgetStrangers(store: Store, owns: (senderId: number) => boolean): Promise<number> {
  const ours = store.senders.list().filter(({ id, kind }) => kind === 'linked' && owns(id))
  let forgotten = 0
  for (const { id, phone } of ours) forgotten += await forgetAt(store, id, phone)
  return forgotten
}

async function forgetAt({ sessions, contacts }: Store, senderId: number, phone: string | null): Promise<number> {
  const strangers = new Set<string>()
  for (const { id: number } of await sessions.keysOf(senderId, 'lid-mapping'))
    if (/^\d+$/.test(number) && number !== phone && (await contacts.get(senderId, number)) === undefined)
      strangers.add(number)
  if (strangers.size === 0) return 0
  const keysOf = async (type: string) =>
    (await sessions.keysOf(senderId, type)).map(({ id }) => ({ type, id, value: null }))
  const all = (await Promise.all(KEYS_OF_PEOPLE.map(keysOf))).flat()
  const gone = all.filter(({ id }) => strangers.has(/^\d+/.exec(id)?.[0] ?? '') && !id.endsWith('_reverse'))
  await sessions.setKeys(senderId, gone)
  return gone.length
}
