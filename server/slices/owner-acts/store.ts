import { z } from 'zod'
import { type Columns, flag, integer, json, type Statements, text, textOrNull, writing } from '../../store/index.ts'

export type ActedBy = 'window' | 'command_line' | 'token' | 'tray'

export interface OwnerActor {
  actedBy: ActedBy
  /** User-Agent of the window's browser; `address` is where it connected from. */
  browser: string | null
  address: string | null
}

export interface OwnerDeed extends OwnerActor {
  /** The route, such as `POST /api/keys`. */
  act: string
  /** Name, at that time, of the thing that the act concerns. */
  thing: string | null
  details: readonly string[]
}

export interface NewOwnerAct extends OwnerDeed {
  id: string
  at: number
  /** False: the act began, and its end was not recorded. */
  done: boolean
}

export interface OwnerActRow extends NewOwnerAct {
  seq: number
}

export interface OwnerActFilter {
  since: number
  before?: number | undefined
  limit: number
}

/** Rows are added and completed; only age and number remove them. */
export interface OwnerActStore {
  /** Newest first; `before` is a `seq`. */
  list(filter: OwnerActFilter): Promise<OwnerActRow[]>
  /** Adds acts; a known id is at most completed. Also deletes acts that are too old or too many. */
  add(acts: readonly NewOwnerAct[], kept: { since: number; most: number }): Promise<void>
  /** Marks an act as done, or removes it if it was refused and nothing happened. */
  end(id: string, isDone: boolean): Promise<void>
}

const NEW_ACT: Columns<NewOwnerAct> = {
  id: text('id'),
  at: integer('at'),
  actedBy: text('acted_by'),
  browser: textOrNull('browser'),
  address: textOrNull('address'),
  act: text('act'),
  thing: textOrNull('thing'),
  details: json('details', z.array(z.string())),
  done: flag('done'),
}

const OWNER_ACT: Columns<OwnerActRow> = { seq: integer('seq'), ...NEW_ACT }

export function createOwnerActStore({ rows, bind, insert, write }: Statements): OwnerActStore {
  const page = rows(OWNER_ACT, 'FROM owner_acts WHERE seq < $1 AND at >= $2 ORDER BY seq DESC LIMIT $3')
  const put = insert(
    'owner_acts',
    writing(NEW_ACT),
    'ON CONFLICT (id) DO UPDATE SET done = excluded.done WHERE owner_acts.done = 0',
  )
  const finish = bind('UPDATE owner_acts SET done = 1 WHERE id = $1')
  const withdraw = bind('DELETE FROM owner_acts WHERE id = $1 AND done = 0')
  const old = bind('DELETE FROM owner_acts WHERE at < $1')
  const tooMany = bind('DELETE FROM owner_acts WHERE seq <= (SELECT max(seq) FROM owner_acts) - $1')
  return {
    list: ({ since, before = Number.MAX_SAFE_INTEGER, limit }) => page(before, since, limit),
    async add(acts, { since, most }) {
      await write(...put(acts), old(since), tooMany(most))
    },
    async end(id, isDone) {
      await write(isDone ? finish(id) : withdraw(id))
    },
  }
}
