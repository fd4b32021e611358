import { randomUUID } from 'node:crypto'
import { isStrict } from './account.ts'
import { type Companion, type Contact, type Directory, deviceIds, deviceJidOf, jidOf } from './directory.ts'
import { participantHash } from './participant-hash.ts'
import { seconds, stanza } from './stanza.ts'

const hashOf = (contact: Contact, lid: boolean) =>
  participantHash(deviceIds(contact).map((id) => deviceJidOf(contact, lid, id)))

/** Returns the clients of all accounts that have a chat with this person. */
const acquainted = (contact: Contact, directory: Directory): Companion[] =>
  directory.companions().filter(({ contact: owner }) => isStrict(owner.account) && owner.account.chats.has(contact))

/** Notifies accounts that have a chat with a person of an added or removed device. */
export function notifyDevices(
  contact: Contact,
  change: 'add' | 'remove',
  device: number,
  directory: Directory,
  now: number,
) {
  for (const { outbox } of acquainted(contact, directory)) {
    outbox.post(
      stanza(
        'notification',
        { id: randomUUID(), from: jidOf(contact, false), lid: jidOf(contact, true), type: 'devices', t: seconds(now) },
        [
          stanza(change, { device_hash: hashOf(contact, false), device_lid_hash: hashOf(contact, true) }, [
            stanza('device', {
              jid: deviceJidOf(contact, false, device),
              lid: deviceJidOf(contact, true, device),
              'key-index': change === 'add' ? String(device) : undefined,
            }),
            stanza('key-index-list', { ts: seconds(now) }),
          ]),
        ],
      ),
    )
  }
}

/**
 * Notifies of changed devices without naming the contact: only a hash tells, and the sender is the
 * account's own address.
 */
export function notifyDevicesByHash(contact: Contact, directory: Directory, now: number) {
  for (const { outbox, contact: owner } of acquainted(contact, directory)) {
    outbox.post(
      stanza('notification', { id: randomUUID(), from: jidOf(owner, false), type: 'devices', t: seconds(now) }, [
        stanza('update', { hash: hashOf(contact, false).slice(2, 6) }),
      ]),
    )
  }
}

/** Notifies the account's other companions of an added or removed companion. */
export function notifyOwnDevices(owner: Contact, except: Companion | undefined, now: number) {
  if (!isStrict(owner.account)) return
  for (const companion of owner.companions) {
    if (companion === except) continue
    companion.outbox.post(
      stanza('notification', { id: randomUUID(), from: jidOf(owner, false), type: 'account_sync', t: seconds(now) }, [
        stanza(
          'devices',
          { dhash: hashOf(owner, false) },
          deviceIds(owner).map((id) =>
            stanza('device', { jid: deviceJidOf(owner, false, id), 'key-index': String(id) }),
          ),
        ),
      ]),
    )
  }
}
