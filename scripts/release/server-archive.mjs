// Kurir without a window in one file, with its Node: node scripts/release/server-archive.mjs. For the system it runs on,
// into release/; it unpacks to a folder `kurir`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inRoot } from '../lib/paths.mjs'
import { packageVersion } from '../lib/release-files.mjs'

const work = mkdtempSync(join(tmpdir(), 'kurir-server-'))
const file = inRoot('release', `kurir-server-${packageVersion()}-linux-${process.arch}.tar.gz`)
mkdirSync(inRoot('release'), { recursive: true })
try {
  run(process.execPath, inRoot('scripts', 'release', 'server-folder.mjs'), join(work, 'kurir'), '--with-node')
  run('tar', '--create', '--gzip', '--owner=0', '--group=0', `--file=${file}`, `--directory=${work}`, 'kurir')
  console.log(file)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status ?? error}`)
}
