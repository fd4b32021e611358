import { test } from 'vitest'
import { fuzz } from './fuzz.ts'

test('nothing that comes in ends the program', () => fuzz({ seed: 1, inputs: 1_000 }))
