import { test } from 'vitest'
import { DAY_LENGTH, dayOf } from './day.ts'
import { play } from './stage.ts'

test('a day loses nothing, doubles nothing, leaves nothing unanswered, and no status is untrue', () =>
  play(dayOf(12), DAY_LENGTH))
