import { callbacks } from '../../test/support/graph-peer/callbacks.ts'

/**
 * Sends Meta's callbacks from a process of its own: `node call-back.ts <url> <secret> <first>
 * <count> <batch> <callers>`.
 */
const [to = '', appSecret = '', ...numbers] = process.argv.slice(2)
const [first = 0, count = 0, batch = 1, callers = 1] = numbers.map(Number)
const meta = callbacks({ to, appSecret })
let next = first

async function caller(): Promise<void> {
  while (next < first + count) {
    const from = next
    next += batch
    const statuses = Array.from({ length: batch }, (_, n) => ({
      wamid: `wamid.bench.${from + n}`,
      status: 'delivered',
    }))
    const { status } = await meta.statuses(statuses)
    if (status !== 200) throw new Error(`answered ${status}`)
  }
}

// Print the time only here, so that the start of this process is not measured.
console.log(Date.now())
await Promise.all(Array.from({ length: callers }, caller))
