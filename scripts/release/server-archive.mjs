// Packs Kurir without a window, with its Node, for the current system into release/. Usage: node
// scripts/release/server-archive.mjs. The archive unpacks to a folder `kurir`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder, sourceTime } from '../lib/archive.mjs'
import { inRoot } from '../lib/paths.mjs'
import { packageVersion } from '../lib/release-files.mjs'

const work = mkdtempSync(join(tmpdir(), 'kurir-server-'))
const file = inRoot('release', `kurir-server-${packageVersion()}-linux-${process.arch}.tar.gz`)
mkdirSync(inRoot('release'), { recursive: true })
try {
  layOut(join(work, 'kurir'))
  packFolder({ parent: work, name: 'kurir', file, seconds: sourceTime() })
  console.log(file)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function layOut(folder) {
  const script = inRoot('scripts', 'release', 'server-folder.mjs')
  const { status, error } = spawnSync(process.execPath, [script, folder, '--with-node'], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${script} ended with ${status ?? error}`)
}
