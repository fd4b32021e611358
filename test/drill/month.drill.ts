import { test } from 'vitest'
import { LENGTH, MONTH } from './month.ts'
import { play } from './stage.ts'

test('a bad month loses, doubles and delays nothing that known customers wait for', () => play(MONTH, LENGTH))
