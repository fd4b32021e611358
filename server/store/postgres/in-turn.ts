import { createHash } from 'node:crypto'
import type { Db, InTurn } from '../statements/engine.ts'

/**
 * A row of the name, which the table removes at once (schema.ts): until the transaction ends,
 * another one that adds the same row waits for it, because the server cannot know yet whether it is
 * there. Afterwards it never is, also where a node is gone.
 */
export function createInTurn(db: Db): InTurn {
  const add = db.prepare('INSERT INTO turns (name) VALUES (?)')
  return (_tx, name) => void add.run(createHash('sha256').update(name).digest())
}
