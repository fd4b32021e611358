// Reads a chunk of the history in a process of its own and prints by how much its memory grew at most; see history.test.ts.
import { createReadStream } from 'node:fs'
import { Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { readHistory } from '../../../server/connections/linked/receiving/history.ts'

const peak = (): number => process.resourceUsage().maxRSS * 1024
const resident = (): number => process.memoryUsage().rss

globalThis.gc?.()
await setImmediate()
const before = resident()
// Loading the program may have taken more than reading does; a higher peak can only come from reading.
const peakBefore = peak()
let most = before
const measured = new Transform({
  transform(piece, _, done) {
    most = Math.max(most, resident())
    done(null, piece)
  },
})

let items = 0
for await (const _ of readHistory(createReadStream(process.argv[2] ?? '', { highWaterMark: 4096 }).pipe(measured))) {
  items += 1
}
most = Math.max(most, resident(), peak() > peakBefore ? peak() : 0)
console.log(JSON.stringify({ items, grewBy: most - before }))
