import { test } from 'vitest'
import { fuzz } from '../fuzz/fuzz.ts'

const { FUZZ_SEED, FUZZ_FROM, FUZZ_INPUTS } = process.env

test('nothing that comes in ends the program', () =>
  fuzz({
    seed: Number(FUZZ_SEED ?? Date.now() % 1_000_000),
    from: Number(FUZZ_FROM ?? 0),
    inputs: Number(FUZZ_INPUTS ?? 100_000),
  }))
