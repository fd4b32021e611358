import { expect, test } from 'vitest'
import { killWhileBackingUp } from '../support/backup-kills.ts'

test('a program that is killed while it makes a backup leaves the former one whole', { timeout: 300_000 }, async () => {
  const { cut } = await killWhileBackingUp(5)
  expect(cut, 'some were hit in the middle of writing').toBeGreaterThan(0)
})
