import { spawnSync } from 'node:child_process'
import { root } from './paths.mjs'

/**
 * Packs a folder into a .tar.gz whose bytes depend only on the files, not on the order, umask or
 * time in which they were written.
 * @param {{ parent: string, name: string, file: string, seconds: number }} what `seconds`: time of
 * every file, since 1970
 */
export function packFolder({ parent, name, file, seconds }) {
  const same = ['--sort=name', `--mtime=@${seconds}`, '--mode=u=rwX,go=rX', '--owner=0', '--group=0', '--numeric-owner']
  const { status, error } = spawnSync(
    'tar',
    ['--create', '--gzip', ...same, `--file=${file}`, `--directory=${parent}`, name],
    { stdio: 'inherit' },
  )
  if (status !== 0) throw new Error(`tar ended with ${status ?? error}`)
}

/**
 * Returns the time of the sources' commit, in seconds since 1970. A constant time would not do,
 * because browsers would keep the pages of an older version.
 */
export function sourceTime() {
  if (process.env.SOURCE_DATE_EPOCH) return Number(process.env.SOURCE_DATE_EPOCH)
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  if (!/^\d+/.test(stdout ?? '')) throw new Error('This folder is no git checkout: set SOURCE_DATE_EPOCH, in seconds.')
  return Number(stdout)
}
