import { basename, join } from 'node:path'
import { createProviderCalls } from './sqlite/calls.ts'
import { createContacts } from './sqlite/contacts.ts'
import { type Db, openDatabase } from './sqlite/database.ts'
import { createDeliveries } from './sqlite/deliveries.ts'
import { createEndpoints } from './sqlite/endpoints.ts'
import { createEvents } from './sqlite/events.ts'
import { createGroupCommit, SOON_MS } from './sqlite/group-commit.ts'
import { createIdempotency } from './sqlite/idempotency.ts'
import { createInbox } from './sqlite/inbox.ts'
import { createKeyStore } from './sqlite/keys.ts'
import { createLaneStates } from './sqlite/lanes.ts'
import { lockFolder } from './sqlite/lock.ts'
import { createMessageList } from './sqlite/message-list.ts'
import { createMessageSearch } from './sqlite/message-search.ts'
import { createMessages } from './sqlite/messages.ts'
import { migrate, versionOf } from './sqlite/migrate.ts'
import { migrations } from './sqlite/migrations/index.ts'
import { sessionMigrations } from './sqlite/migrations/sessions.ts'
import { createOfficialStore } from './sqlite/official.ts'
import { createSenderStore } from './sqlite/senders.ts'
import { createSessions } from './sqlite/sessions.ts'
import { createSettingsStore } from './sqlite/settings.ts'
import { applyStaged } from './sqlite/staged.ts'
import { createTemplateCache } from './sqlite/templates.ts'
import { createUpkeep } from './sqlite/upkeep.ts'

// Copied in one turn of the event loop: 2 MiB, so that nobody waits long.
const PAGES = 512

export type Store = Awaited<ReturnType<typeof openStore>>

/**
 * Everything that Kurir keeps, in the data folder. Writes return promises that resolve when they are on disk (FULL);
 * reads are plain calls, because a prepared SQLite read is faster than a turn of the event loop.
 * @throws StorageError
 */
export async function openStore(
  home: string,
  now: () => number,
  soonMs = SOON_MS,
  /** Gets the open main database, before it is used: a test makes its disk small. */
  opened: (db: Db) => void = () => undefined,
) {
  const unlock = lockFolder(home)
  const open: Db[] = []
  try {
    const restored = applyStaged(home)
    const db = openDatabase(join(home, 'kurir.db'), 'FULL')
    open.push(db)
    await migrate(db, migrations)
    const sessionsDb = openDatabase(join(home, 'sessions.db'), 'NORMAL')
    open.push(sessionsDb)
    await migrate(sessionsDb, sessionMigrations)

    opened(db)
    const { write, drain, healthy } = createGroupCommit(db, soonMs)
    const endpoints = createEndpoints(db, write)
    const events = createEvents(db, endpoints, now)
    const senders = createSenderStore(db, write)
    const search = createMessageSearch(db, write)
    return {
      endpoints,
      events,
      senders,
      search,
      messages: createMessages(db, write, events, senders.codeOf),
      list: createMessageList(db, search.upTo),
      calls: createProviderCalls(db),
      deliveries: createDeliveries(db, write),
      lanes: createLaneStates(db, write),
      keys: createKeyStore(db, write),
      idempotency: createIdempotency(db, write),
      contacts: createContacts(db, write),
      official: createOfficialStore(db, write),
      templates: createTemplateCache(db, write),
      inbox: createInbox(db, write),
      settings: createSettingsStore(db, write),
      sessions: createSessions(sessionsDb),
      upkeep: createUpkeep(db, write),
      write,
      /** Whether this start put a backup in place. */
      restored,
      /** Consistent copies of both files, made while others write. */
      async copyTo(folder: string): Promise<void> {
        for (const each of [db, sessionsDb])
          await each.backup(join(folder, basename(each.name)), { progress: () => PAGES })
      },
      /** The schema of each file. */
      versions: () => ({ kurir: versionOf(db), sessions: versionOf(sessionsDb) }),
      /** Whether the last writes went through: a full disk shows here. */
      isWritable: () => healthy(),
      close(): void {
        drain()
        for (const each of open.reverse()) each.close()
        unlock()
      },
    }
  } catch (error) {
    for (const each of open.reverse()) each.close()
    unlock()
    throw error
  }
}
