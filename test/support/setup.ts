// Runs before every test file: a worker runs one file after the other, and each begins as if it
// were the first.
import { afterAll, afterEach } from 'vitest'
import { closeAll } from './cleanup.ts'

const env = { ...process.env }

afterEach(() => closeAll('test'))
afterAll(async () => {
  await closeAll('file')
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  // The time zone of a test among them.
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value
})
