import { test } from 'vitest'
import { fuzz } from './fuzz.ts'

// A number whose connection ended comes back within a minute.
test('nothing that comes in ends the program', () => fuzz({ seed: 1, inputs: 1_000 }))
