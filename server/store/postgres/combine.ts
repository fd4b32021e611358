import { type Connection, sendingDown, storable } from './pool.ts'
import type { Answer, Prepared, Send } from './replay.ts'

interface Asked {
  values: unknown[]
  resolve: (answer: Answer) => void
  reject: (reason: unknown) => void
}

/** The same statement, asked by several calls. */
interface Round {
  statement: Prepared
  asked: Asked[]
}

/** As JSON has it. Half a character becomes what it becomes on the way elsewhere. */
const asJson = (value: unknown): unknown =>
  typeof value === 'string'
    ? (storable(value) as string).toWellFormed()
    : value instanceof Uint8Array
      ? `\\x${Buffer.from(value).toString('hex')}`
      : value

export interface Combining {
  /** Sends the statements of one more call, in their order. */
  forCall(): Send
  /** Sends now what waits: before the transaction ends. */
  flush(): void
}

/**
 * Calls that share a transaction ask nearly the same at the same moment. What they ask in one turn
 * of the event loop goes out together, and what is the same statement as one: it costs the server,
 * and this program, little more than a single one.
 */
export function createCombining(connection: Connection): Combining {
  const send = sendingDown(connection, true)
  let rounds: Round[] = []

  async function sendMany({ many, name }: Prepared & { many: string }, asked: readonly Asked[]): Promise<void> {
    const lists = asked.map(({ values }, n) =>
      Object.fromEntries([['n', n], ...values.map((value, i) => [`p${i + 1}`, asJson(value)])]),
    )
    const { rows } = await connection.query<Record<string, unknown>>({
      name: `${name}_m`,
      text: many,
      values: [JSON.stringify(lists)],
    })
    const isInsert = many.startsWith('INSERT')
    const answers: Record<string, unknown>[][] = asked.map((_, n) => (isInsert ? rows.slice(n, n + 1) : []))
    if (!isInsert) for (const { n, ...row } of rows) answers[Number(n)]?.push(row)
    for (const [n, { resolve }] of asked.entries()) {
      const found = answers[n] ?? []
      resolve({ rows: found, changes: isInsert ? 1 : found.length })
    }
  }

  function flush(): void {
    if (rounds.length === 0) return
    const sent = rounds
    rounds = []
    const { stream } = connection.connection
    stream.cork()
    for (const { statement, asked } of sent) {
      const { many } = statement
      if (many !== null && asked.length > 1) {
        sendMany({ ...statement, many }, asked).catch((error: unknown) => {
          for (const { reject } of asked) reject(error)
        })
      } else for (const { values, resolve, reject } of asked) void send(statement, values).then(resolve, reject)
    }
    stream.uncork()
  }

  function forCall(): Send {
    /** Earliest round of the call's next statement. */
    let from: Round | undefined
    return (statement, values) =>
      new Promise((resolve, reject) => {
        if (rounds.length === 0) setImmediate(flush)
        const later = rounds.slice(Math.max(0, from === undefined ? 0 : rounds.indexOf(from)))
        const round = later.find((each) => each.statement === statement) ?? { statement, asked: [] }
        if (round.asked.length === 0) rounds.push(round)
        round.asked.push({ values, resolve, reject })
        from = round
      })
  }

  return { forCall, flush }
}
