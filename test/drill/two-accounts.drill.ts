import { test } from 'vitest'
import { sendSideBySide } from './two-accounts.ts'

test('a migrated and an unmigrated number, side by side, a thousand messages each', () => sendSideBySide(1_000))
