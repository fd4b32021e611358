// Starts a packed Kurir and waits until it accepts messages. Usage: node scripts/release/smoke.mjs
// <program> [argument…]. If that takes longer than two minutes or the program ends, prints the
// program's output and exits with 1.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const WAIT_MS = 120_000
const LOOK_EVERY_MS = 250

const [program, ...args] = process.argv.slice(2)
if (program === undefined) throw new Error('Name the program.')
const home = mkdtempSync(join(tmpdir(), 'kurir-smoke-'))
const port = await freePort()
const env = { ...process.env, KURIR_HOME: home, KURIR_PORT: String(port), KURIR_WEBHOOK_PORT: '0' }
const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
let printed = ''
let ended = false
for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (printed += chunk))
child.on('error', (error) => (printed += error.message))
const closed = new Promise((resolve) => child.on('close', resolve)).then(() => (ended = true))

const ready = await isReady(Date.now() + WAIT_MS)
child.kill()
await Promise.race([closed, setTimeout(15_000)])
rmSync(home, { recursive: true, force: true, maxRetries: 5 })
if (ready) console.log(`${program} accepts messages.`)
else console.error(`${program} does not accept messages. It printed:\n${printed}`)
process.exit(ready ? 0 : 1)

async function isReady(until) {
  while (!ended && Date.now() < until) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)
    if (answer?.ok) return true
    await setTimeout(LOOK_EVERY_MS)
  }
  return false
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: free } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return free
}
