// Runs before every test file. A worker runs many files, and each must start from the same state.
import { afterAll, afterEach } from 'vitest'
import { closeAll } from './cleanup.ts'

const env = { ...process.env }

afterEach(() => closeAll('test'))
afterAll(async () => {
  await closeAll('file')
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  // This also restores the time zone.
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value
})
