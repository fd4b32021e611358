import { test } from 'vitest'
import { sendSideBySide } from './two-accounts.ts'

// A thousand through each: two-accounts.drill.ts.
test('a migrated and an unmigrated number, side by side, each in its own form', () => sendSideBySide(20))
