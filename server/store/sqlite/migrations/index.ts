import { initial } from './001-initial.ts'
import { meta } from './002-meta.ts'
import { durability } from './003-durability.ts'
import { official } from './004-official.ts'
import { linked } from './005-linked.ts'
import { access } from './006-access.ts'
import { callers } from './007-callers.ts'
import { officialFacts } from './008-official-facts.ts'
import { callbackErrors } from './009-callback-errors.ts'
import { fewerIndexes } from './010-fewer-indexes.ts'
import { search } from './011-search.ts'
import { tallies } from './012-tallies.ts'
import { fileObjects } from './013-file-objects.ts'
import { countsOfNodes } from './014-counts-of-nodes.ts'
import { nodesUpgraded } from './015-nodes-upgraded.ts'
import { turns } from './016-turns.ts'

/** Of the main database, oldest first. A released one is never edited. */
export const migrations = [
  initial,
  meta,
  durability,
  official,
  linked,
  access,
  callers,
  officialFacts,
  callbackErrors,
  fewerIndexes,
  search,
  tallies,
  fileObjects,
  countsOfNodes,
  nodesUpgraded,
  turns,
] as const
