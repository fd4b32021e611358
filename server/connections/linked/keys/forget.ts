import type { Vault } from '../../../lib/vault.ts'
import { PLACES, type Store } from '../../../store/index.ts'

/** Types of keys whose ids may begin with a phone number. */
const KEYS_OF_PEOPLE = ['lid-mapping', 'session', 'identity-key', 'device-list', 'tctoken']

/**
 * Removes the keys of phone numbers that are not contacts any more; resolves with their count. Keys
 * of LIDs stay, because members of groups are no contacts, but lose the number of the LID.
 * @param owns true if this program sends for the sender
 */
export async function forgetStrangers(
  store: Store,
  vault: Vault,
  owns: (senderId: number) => boolean,
): Promise<number> {
  const ours = store.senders.list().filter(({ id, kind }) => kind === 'linked' && owns(id))
  let forgotten = 0
  for (const { id, phone } of ours) forgotten += await forgetAt(store, vault, id, phone)
  return forgotten
}

async function forgetAt(
  { sessions, contacts }: Store,
  vault: Vault,
  senderId: number,
  phone: string | null,
): Promise<number> {
  const mappings = new Map((await sessions.keysOf(senderId, 'lid-mapping')).map(({ id, value }) => [id, value]))
  const strangers = new Set<string>()
  for (const number of mappings.keys())
    if (/^\d+$/.test(number) && number !== phone && (await contacts.get(senderId, number)) === undefined)
      strangers.add(number)
  if (strangers.size === 0) return 0

  /** Returns what a number or `<LID>_reverse` is mapped to; undefined: unknown or damaged. */
  function mapped(id: string): string | undefined {
    const sealed = mappings.get(id)
    if (sealed === undefined) return undefined
    try {
      return JSON.parse(vault.open(sealed, PLACES.session(senderId, `lid-mapping/${id}`)).toString())
    } catch {
      return undefined
    }
  }
  const reverse = new Set<string>()
  for (const number of strangers) {
    const id = `${mapped(number)}_reverse`
    // The person may have a new number by now.
    if (mapped(id) === number) reverse.add(id)
  }
  const isGone = (id: string): boolean =>
    id.endsWith('_reverse') ? reverse.has(id) : strangers.has(/^\d+/.exec(id)?.[0] ?? '')
  const keysOf = async (type: string) =>
    (await sessions.keysOf(senderId, type)).map(({ id }) => ({ type, id, value: null }))
  const all = (await Promise.all(KEYS_OF_PEOPLE.map(keysOf))).flat()
  const gone = all.filter(({ id }) => isGone(id))
  await sessions.setKeys(senderId, gone)
  return gone.length
}
