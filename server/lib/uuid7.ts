import { randomFillSync } from 'node:crypto'

const COUNTER_MAX = 0xfff
const POOL = Buffer.alloc(8 * 512)
let poolAt = POOL.length

/**
 * Returns the variant and 62 random bits as hexadecimal digits. The bits are drawn in bulk, because
 * one system call per message would cost more than everything else here.
 */
function randomTail(): string {
  if (poolAt === POOL.length) {
    randomFillSync(POOL)
    poolAt = 0
  }
  POOL[poolAt] = ((POOL[poolAt] ?? 0) & 0x3f) | 0x80
  poolAt += 8
  return POOL.toString('hex', poolAt - 8, poolAt)
}

/**
 * Returns a generator of ids of RFC 9562, version 7. Its ids rise strictly even if the clock is set
 * back, because rows are ordered by them; times have columns of their own.
 * @param after the newest id that exists already
 */
export function createUuid7(now: () => number, after?: string | null): () => string {
  let last = after ? Number.parseInt(after.replace('-', '').slice(0, 12), 16) : 0
  let counter = after ? COUNTER_MAX : 0
  return () => {
    const time = now()
    if (time > last) {
      last = time
      counter = 0
    } else if (counter < COUNTER_MAX) {
      counter += 1
    } else {
      last += 1
      counter = 0
    }
    const head = last.toString(16).padStart(12, '0')
    const tail = randomTail()
    return `${head.slice(0, 8)}-${head.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }
}
