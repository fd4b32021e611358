import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { MOST_GROUPS_WRITTEN_TO, MOST_UNDER_SENDER_KEY } from '../library/bounds.ts'

interface Held {
  /** Records of the library, by the sender's address. */
  records: Map<string, Uint8Array>
  /** Devices that have the key, by jid. */
  holders: Set<string>
  messages: number
}

export type SenderKeys = ReturnType<typeof createSenderKeys>

const groupOf = (name: string): string => name.slice(0, name.indexOf('::'))

/**
 * This number's keys for groups, and who has them. They are in memory alone: like a session, a
 * sender key seals only in the run that began it (docs/decisions/0012-signal-keys.md), so that
 * nothing of it is worth keeping.
 */
export function createSenderKeys() {
  const groups = createBoundedMap<string, Held>(MOST_GROUPS_WRITTEN_TO)

  function heldOf(group: string): Held {
    const held = groups.get(group) ?? { records: new Map(), holders: new Set(), messages: 0 }
    groups.set(group, held)
    return held
  }

  return {
    /** For the library, which names a key `group::user::device`. */
    records: {
      get: (name: string): Uint8Array | undefined => groups.get(groupOf(name))?.records.get(name),
      set: (name: string, record: Uint8Array): void => void heldOf(groupOf(name)).records.set(name, record),
    },
    has: (group: string): boolean => (groups.get(group)?.records.size ?? 0) > 0,
    /**
     * Begins another key where a device has this one that is no device of the group any more: its
     * member left, or removed it (whatsapp-rust, rotate_sender_key_on_participant_remove). Returns
     * the devices that lack the key of the next message.
     */
    lacking(group: string, devices: readonly string[]): string[] {
      const { holders, messages } = heldOf(group)
      const there = new Set(devices)
      const isStale = [...holders].some((device) => !there.has(device)) || messages >= MOST_UNDER_SENDER_KEY
      if (isStale) groups.delete(group)
      return devices.filter((device) => isStale || !holders.has(device))
    },
    /** A message was written, with the key for these. Returns a function that takes that back. */
    given(group: string, devices: readonly string[]): () => void {
      const held = heldOf(group)
      held.messages += 1
      for (const device of devices) held.holders.add(device)
      return () => {
        for (const device of devices) held.holders.delete(device)
      }
    },
    /** A device could not open a message: it gets the key again. */
    lost: (group: string, device: string): void => void groups.get(group)?.holders.delete(device),
    forget: (group: string): void => groups.delete(group),
    forgetAll: (): void => groups.clear(),
  }
}
