import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { start, temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

const ROUNDS = 7
const MAIN = join(import.meta.dirname, '../dist/server/main.js')

/** Resolves with the milliseconds from starting the process to the line that says "ready". */
async function startKurir(home: string): Promise<number> {
  const env = { ...process.env, KURIR_HOME: home, KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0', KURIR_LOG_LEVEL: 'warn' }
  const began = performance.now()
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const text of child.stderr) if (String(text).includes('ready')) break
  const took = performance.now() - began
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
  return took
}

async function startBare(home: string): Promise<number> {
  const began = performance.now()
  const bare = await start('bare-express.ts', [home])
  const took = performance.now() - began
  await bare.stop()
  return took
}

/**
 * Measures a start with an empty folder until ready, relative to an Express program with one route
 * and one table.
 */
export async function benchStart(): Promise<string> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const folders = [temporaryFolder(), temporaryFolder()] as const
    const kurir = await startKurir(folders[0].path)
    rounds.push(kurir / (await startBare(folders[1].path)))
    if (process.env.BENCH_VERBOSE) console.error({ kurir })
    for (const folder of folders) folder.remove()
  }
  return table(['start to ready', 'time, ratio'], [['a first start, empty folder', ratio(median(rounds))]])
}

if (import.meta.main) console.log(await benchStart())
