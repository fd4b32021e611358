import {
  type Columns,
  integer,
  integerOrNull,
  named,
  overwriting,
  type Statements,
  text,
  textOrNull,
  writing,
} from '../../store/index.ts'

/**
 * `new`: recorded, but its message may not be accepted yet. `accepted`: its message is accepted,
 * the file not moved yet. `moved`: both are done. `refused`: no message was made.
 */
export type DropStatus = 'new' | 'accepted' | 'moved' | 'refused'

interface ChangingDrop {
  /** Hash of name and content; null once the file may be sent again. */
  digest: string | null
  /** File name in `sent/`, stored before the move. Null: the file is not in `sent/`. */
  movedAs: string | null
  status: DropStatus
  /** Reason for the refusal or, for a moved table, for its refused rows. */
  reason: string | null
  /**
   * Number of a table's messages, 0 after none of them was sent. Null: a single file, which is one
   * message.
   */
  rows: number | null
}
export type DropChange = Partial<ChangingDrop>

export interface NewDrop extends ChangingDrop {
  /** Also the id of its message or table, so a file that is found again is not sent twice. */
  id: string
  at: number
  /** File name as found in the folder. */
  name: string
  phone: string | null
  reference: string | null
}

export interface DropRow extends NewDrop {
  seq: number
}

/**
 * `unfinished`: new or accepted. `failed`: moved, but its message failed. `partly`: a moved table
 * with refused rows.
 */
type DropKind = 'unfinished' | 'failed' | 'partly'

export interface DropStore {
  add(drop: NewDrop): Promise<void>
  byDigest(digest: string): Promise<DropRow | undefined>
  change(id: string, change: DropChange): Promise<void>
  remove(id: string): Promise<void>
  /** Newest first, but `unfinished` and `failed` oldest first. */
  list(limit: number, only?: DropKind): Promise<DropRow[]>
  /** Counts messages made of files and tables since `at`. */
  takenSince(at: number): Promise<number>
  /** Removes finished rows from before the time; resolves with their number. */
  expire(before: number): Promise<number>
}

const NEW_DROP: Columns<NewDrop> = {
  id: text('id'),
  digest: textOrNull('digest'),
  at: integer('at'),
  name: text('name'),
  movedAs: textOrNull('moved_as'),
  status: text('status'),
  reason: textOrNull('reason'),
  phone: textOrNull('phone'),
  reference: textOrNull('reference'),
  rows: integerOrNull('row_count'),
}
const DROP: Columns<DropRow> = { seq: integer('seq'), ...NEW_DROP }
const { digest, movedAs, status, reason, rows: rowCount } = NEW_DROP
const changeDrop = overwriting<NewDrop>('drops', writing({ digest, movedAs, status, reason, rows: rowCount }))

const TAKEN: Columns<{ count: number }> = { count: integer('coalesce(sum(coalesce(row_count, 1)), 0)') }

export function createDropStore({ rows, one, bind, insert, write }: Statements): DropStore {
  const put = insert('drops', writing(NEW_DROP))
  const byId = one(DROP, 'FROM drops WHERE id = $1')
  const remove = bind('DELETE FROM drops WHERE id = $1')
  const taken = one(TAKEN, `FROM drops WHERE at >= $1 AND status <> 'refused'`)
  const expire = bind(`DELETE FROM drops WHERE at < $1 AND status IN ('moved', 'refused')`)
  const lists = {
    all: rows(DROP, 'FROM drops ORDER BY seq DESC LIMIT $1'),
    unfinished: rows(DROP, `FROM drops WHERE status IN ('new', 'accepted') ORDER BY seq LIMIT $1`),
    failed: rows(
      named('d', DROP),
      `FROM drops d JOIN messages m ON m.id = d.id
       WHERE d.status = 'moved' AND d.moved_as IS NOT NULL AND m.status = 'failed' ORDER BY d.seq LIMIT $1`,
    ),
    partly: rows(DROP, `FROM drops WHERE status = 'moved' AND reason IS NOT NULL ORDER BY seq DESC LIMIT $1`),
  }
  return {
    async add(drop) {
      await write(...put([drop]))
    },
    byDigest: one(DROP, 'FROM drops WHERE digest = $1'),
    async change(id, given) {
      const before = await byId(id)
      if (before === undefined) return
      await write(changeDrop({ ...before, ...given }))
    },
    async remove(id) {
      await write(remove(id))
    },
    list: (limit, only) => lists[only ?? 'all'](limit),
    takenSince: async (at) => (await taken(at))?.count ?? 0,
    expire: (before) => write(expire(before)),
  }
}
