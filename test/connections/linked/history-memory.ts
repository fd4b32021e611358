// Reads a chunk of the history in a process of its own and prints by how much its memory grew at most; see history.test.ts.
import { createReadStream } from 'node:fs'
import { readHistory } from '../../../server/connections/linked/history.ts'

const resident = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

const before = resident()
let most = before
let items = 0
for await (const _ of readHistory(createReadStream(process.argv[2] ?? ''))) {
  items += 1
  // Whenever a chat comes out, all that lies before it in the chunk was read.
  if (items % 500 === 1) most = Math.max(most, process.memoryUsage().rss)
}
most = Math.max(most, process.memoryUsage().rss, process.resourceUsage().maxRSS * 1024)
console.log(JSON.stringify({ items, grewBy: most - before }))
