import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { accepted, judgeMessages, post, startNode } from '../cluster/node-alone.ts'
import { findPostgres, startPostgres } from '../support/postgres-server.ts'

const SIZE = 48 * 1024 * 1024

/** A disk of its own for the tables of a database; undefined where this user may not mount one. */
function smallDisk(): string | undefined {
  if (findPostgres() === undefined || process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'kurir-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  chownSync(folder, Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })), -1)
  return folder
}

const disk = smallDisk()

/** Leaves no room for anything else. */
function fill(): void {
  const file = join(disk ?? '', 'filler')
  for (let size = 1024 * 1024; size >= 4096; ) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      size /= 2
    }
  }
}

test.skipIf(disk === undefined)(
  'the disk of the database is full: accepts are refused with words, nothing is half-written; with room everything goes on',
  { timeout: 600_000 },
  async () => {
    onTestFinished(() => {
      execFileSync('umount', ['-l', disk ?? ''])
      rmSync(disk ?? '', { recursive: true })
    })
    const server = await startPostgres()
    onTestFinished(server.close)
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk}'`)
    await admin.query('CREATE DATABASE small TABLESPACE small')
    await admin.end()
    const url = new URL(server.url)
    url.pathname = '/small'
    const node = await startNode(url.href)
    const texts: string[] = []
    await accepted(node, 'before')
    texts.push('before')

    fill()
    // There is room on pages that are there already.
    let refused: Awaited<ReturnType<typeof post>> | undefined
    for (let n = 0; refused === undefined; n += 1) {
      const text = `${n} ${'kata '.repeat(300)}`.trim()
      const answer = await post(node, text)
      if (answer.status === 200) texts.push(text)
      else refused = answer
    }
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
    expect(refused.body.message).toMatch(/The disk is full.*Nothing was accepted/)
    const whileFull = texts.length
    console.log(`${whileFull} messages were accepted before the disk was full`)

    rmSync(join(disk ?? '', 'filler'))
    await accepted(node, 'after')
    texts.push('after')
    await judgeMessages(node, url.href, texts)
  },
)
