import { benchAbuse } from './abuse.ts'
import { benchAccept } from './accept.ts'
import { benchCluster } from './cluster.ts'
import { benchDoors } from './doors.ts'
import { benchHostile } from './hostile.ts'
import { benchLinked, benchMemory } from './linked.ts'
import { benchLog } from './log.ts'
import { benchCallbacks, benchOfficial } from './official.ts'
import { benchRows } from './rows.ts'
import { benchScroll } from './scroll.ts'
import { benchStart } from './start.ts'
import { benchStretch } from './stretch.ts'
import { benchTables } from './tables.ts'

const all = {
  accept: benchAccept,
  doors: benchDoors,
  abuse: benchAbuse,
  stretch: benchStretch,
  hostile: benchHostile,
  linked: benchLinked,
  memory: benchMemory,
  official: benchOfficial,
  callbacks: benchCallbacks,
  start: benchStart,
  log: benchLog,
  tables: benchTables,
  scroll: benchScroll,
  cluster: benchCluster,
}

/** Only run by name, because it first fills a database for half an hour. */
const onlyByName = { rows: benchRows }

/**
 * `npm run bench` measures everything (about ten minutes on a quiet machine); `npm run bench --
 * accept log` only the named ones.
 */
const names = process.argv.slice(2)
for (const [name, bench] of Object.entries(names.length > 0 ? { ...all, ...onlyByName } : all)) {
  if (names.length > 0 && !names.includes(name)) continue
  console.log(`\n## ${name}\n\n${await bench()}`)
}
