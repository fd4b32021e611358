import type { Db, Statement } from '../statements/engine.ts'
import { type Catalog, type Translated, translate } from './dialect.ts'

export interface Answer {
  rows: readonly Record<string, unknown>[]
  changes: number
}

export interface Prepared extends Translated {
  /** Names it on every connection. */
  name: string
}

/** Sends a statement; several may be on their way. */
export type Send = (statement: Prepared, values: unknown[]) => Promise<Answer>

interface Asked {
  statement: Prepared
  answer: Answer | undefined
  failure: unknown
  arrived: Promise<void>
}

/** Thrown by a statement whose answer is not there yet. */
const NOT_YET = new Error('the answer of the database is not there yet')

export interface Call {
  /**
   * Runs `work` until it ends, as often as that takes.
   * @param first what a first `once` of it came to
   */
  run<T>(work: () => T | Promise<T>, first?: Promise<T>): Promise<T>
  /** Runs it once: what it returns or rejects with counts only if it asked for nothing. */
  once<T>(work: () => T): T
  /** Resolves when everything that was sent is answered. @throws what the database refused first */
  answers(): Promise<void>
  /** The tables of which it changes what may be kept in memory. */
  written(): Set<string>
}

type Ask = (statement: Prepared, values: () => unknown[]) => Asked

/** Asks for the running call; undefined between two calls. */
let asking: Ask | undefined

/**
 * The statements of the store are written as if the database answered at once
 * (statements/engine.ts). Here a call is run until it needs an answer that is not there yet; when
 * it has arrived, the call is run again from its beginning and gets the answers that it had before.
 * What it only writes it does not wait for: that goes out one after the other. So a call that asks
 * twice and writes five times takes three round trips.
 */
export function createCall(send: Send): Call {
  const sent: Asked[] = []

  function begin(statement: Prepared, values: unknown[]): Asked {
    const asked: Asked = { statement, answer: undefined, failure: undefined, arrived: Promise.resolve() }
    asked.arrived = send(statement, values).then(
      (answer) => {
        asked.answer = answer
      },
      (error: unknown) => {
        asked.failure = error
      },
    )
    sent.push(asked)
    return asked
  }

  /**
   * Once more from the beginning. `asking` counts while `work` runs, not while its promise is
   * waited for.
   */
  function once<T>(work: () => T): T {
    let at = 0
    const outer = asking
    asking = (statement, values) => {
      const known = sent[at]
      at += 1
      if (known === undefined) return begin(statement, values())
      if (known.statement !== statement)
        throw new Error(`run again, a call asked for something else: ${statement.text}`)
      return known
    }
    try {
      return work()
    } finally {
      asking = outer
    }
  }

  async function answers(): Promise<void> {
    await Promise.all(sent.map(({ arrived }) => arrived))
    const failed = sent.find(({ failure }) => failure !== undefined)
    if (failed !== undefined) throw failed.failure
  }

  return {
    once,
    async run(work, first) {
      for (let begun = first; ; begun = undefined) {
        try {
          return await (begun ?? once(work))
        } catch (error) {
          if (error !== NOT_YET) throw error
          await answers()
        }
      }
    },
    answers,
    written: () => new Set(sent.flatMap(({ statement }) => statement.changes ?? [])),
  }
}

function answerOf({ answer }: Asked): Answer {
  if (answer === undefined) throw NOT_YET
  return answer
}

/** Statements whose answers come later; for work that a `Call` runs. */
export function createStatements(catalog: Catalog): Db {
  const prepared = new Map<string, Prepared>()

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const statement = { ...translate(sql, catalog), name: `kurir_${prepared.size + 1}` }
    prepared.set(sql, statement)
    return statement
  }

  return {
    prepare<P extends unknown[], Row>(sql: string): Statement<P, Row> {
      const statement = prepare(sql)
      const { names, writes } = statement
      const identity = writes === null ? undefined : catalog.identities.get(writes)

      function ask(params: unknown[]): Asked {
        if (asking === undefined) throw new Error(`outside of a call of the store: ${statement.text}`)
        return asking(statement, () => {
          const given = params[0] as Record<string, unknown>
          return names === null ? params : names.map((name) => given[name])
        })
      }

      // Rows are copied: who reads one decodes it in place.
      const all = (...params: P): Row[] => answerOf(ask(params)).rows.map((row) => ({ ...row }) as Row)
      return {
        get: (...params) => all(...params)[0],
        all,
        *iterate(...params) {
          yield* all(...params)
        },
        run(...params) {
          const asked = ask(params)
          return {
            get changes() {
              return answerOf(asked).changes
            },
            get lastInsertRowid() {
              return Number(answerOf(asked).rows[0]?.[identity ?? ''])
            },
          }
        },
      }
    },
  }
}
