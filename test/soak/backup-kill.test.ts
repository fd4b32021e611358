import { expect, test } from 'vitest'
import { killWhileBackingUp } from '../support/backup-kills.ts'

test('a hundred kills in the middle of a backup: the former one is whole, and every good one restores', async () => {
  const figures = await killWhileBackingUp(100)
  console.log(JSON.stringify(figures))
  expect(figures.cut).toBeGreaterThan(10)
})
