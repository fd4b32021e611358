import { asStorageError } from '../../lib/storage-error.ts'
import type { Reseal } from '../../lib/vault.ts'
import { PLACES, type SealedStore } from '../sealed.ts'
import type { Db } from './database.ts'
import type { Reader } from './reader.ts'
import type { MetaValues } from './sql.ts'

export interface SealedDeps {
  db: Db
  sessions: Db
  reader: Reader
  /** Commits waiting writes. */
  drain: () => void
  meta: MetaValues
  /** Reads rows in memory again, because they hold sealed values. */
  reload: () => Promise<unknown>
}

const SEALED_META = [
  ['alarms', PLACES.alarms],
  ['backup_plan', PLACES.backupPlan],
] as const

export function createSealed({ db, sessions, reader, drain, meta, reload }: SealedDeps): SealedStore {
  /** Function that the SQL function `reseal` calls; undefined outside of a change. */
  let current: Reseal | undefined
  for (const each of [db, sessions]) {
    each.function('reseal', (value: Buffer, place: string) => current?.(value, place) ?? value)
    each.function('sender_place', PLACES.sender)
    each.function('endpoint_place', PLACES.endpoint)
    each.function('session_place', PLACES.session)
  }

  const inMain = db.transaction((reseal: Reseal, keys: { now: string; before: string }) => {
    db.exec(`UPDATE senders SET secrets = reseal(secrets, sender_place(id)) WHERE secrets IS NOT NULL;
      UPDATE webhook_endpoints SET secret = reseal(secret, endpoint_place(id)), replaced_secrets = (
        SELECT json_group_array(
          json_set(value, '$.secret', hex(reseal(unhex(value ->> 'secret'), endpoint_place(webhook_endpoints.id)))))
        FROM json_each(replaced_secrets))`)
    db.prepare('UPDATE replies SET body = reseal(body, ?)').run(PLACES.reply)
    for (const [name, place] of SEALED_META) {
      const value = meta.get(name)
      if (value !== undefined)
        meta.put(name, Buffer.from(reseal(Buffer.from(value, 'base64'), place)).toString('base64'))
    }
    meta.put('data_key', keys.now)
    meta.put('data_key_before', keys.before)
    meta.remove('data_key_rotation')
  })
  const inSessions = sessions.transaction(() =>
    sessions.exec(`UPDATE credentials SET value = reseal(value, session_place(sender_id, 'credentials'));
      UPDATE signal_keys SET value = reseal(value, session_place(sender_id, type || '/' || id))`),
  )

  /**
   * Runs `work`, then truncates the log. Pages with old seals are overwritten (`secure_delete`),
   * and so is the log.
   */
  function change(of: Db, reseal: Reseal, work: () => void): void {
    current = reseal
    try {
      work()
      of.pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      throw asStorageError(error, of.name)
    } finally {
      current = undefined
    }
  }

  return {
    async begin(keys, reseal) {
      await reader.between(() => {
        drain()
        change(db, reseal, () => inMain.immediate(reseal, keys))
      })
      await reload()
    },
    async finish(reseal) {
      await reader.between(() => {
        change(sessions, reseal, () => inSessions.immediate())
        change(db, reseal, () => meta.remove('data_key_before'))
      })
      await reload()
    },
  }
}
