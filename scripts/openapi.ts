// Writes docs/openapi.json from the routes. `--check` writes nothing and exits with 1 if the file
// is
// out of date.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../server/composition/app.ts'
import { createLogger } from '../server/lib/logger.ts'
import { readConfig } from '../server/settings/config.ts'

const file = join(import.meta.dirname, '..', 'docs', 'openapi.json')
const described = await describe()

if (!process.argv.includes('--check')) writeFileSync(file, described)
else if (readFileSync(file, 'utf8') !== described) {
  console.error('docs/openapi.json is not what the routes say. Write it again: npm run openapi')
  process.exitCode = 1
}

/** Asks a running program for its description, so that no route can be missing. */
async function describe(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'kurir-openapi-'))
  const { config } = readConfig({ KURIR_HOME: home, KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0' })
  const app = await createApp(config, { logger: createLogger('silent') })
  try {
    await app.start()
    const answer = await fetch(`${app.apiUrl()}/openapi.json`)
    return `${JSON.stringify(await answer.json(), null, 2)}\n`
  } finally {
    await app.close()
    rmSync(home, { recursive: true, force: true })
  }
}
