import { test } from 'vitest'
import { dayOf } from './day.ts'
import { play } from './stage.ts'

const HOUR = 3_600_000

// The rest of the day takes a minute: `npm run drill`.
test('a morning loses nothing, doubles nothing, leaves nothing unanswered, and no status is untrue', () =>
  play(dayOf(3).slice(0, 3), 2.2 * HOUR))
