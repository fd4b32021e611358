import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { accepted, judgeMessages, post, startNode } from '../cluster/node-alone.ts'
import type { Program } from '../crash/program.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { mountSmallDisk } from './small-disk.ts'

const MEGABYTE = 1024 * 1024

/** Posts until one is refused. @returns the texts that were accepted, and the refusal */
async function postUntilRefused(node: Program) {
  const texts: string[] = []
  for (let n = 0; ; n += 1) {
    const text = `${n} ${'kata '.repeat(300)}`.trim()
    const answer = await post(node, text)
    if (answer.status !== 200) return { texts, text, answer }
    texts.push(text)
  }
}

const disk = mountSmallDisk(48 * MEGABYTE)
const logDisk = mountSmallDisk(32 * MEGABYTE)
afterAll(() => {
  disk?.remove()
  logDisk?.remove()
})

test.skipIf(disk === undefined)(
  'the disk of the database is full: accepts are refused with words, nothing is half-written; with room everything goes on',
  { timeout: 600_000 },
  async () => {
    const server = await startPostgres()
    onTestFinished(server.close)
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk?.folder}'`)
    await admin.query('CREATE DATABASE small TABLESPACE small')
    await admin.end()
    const url = new URL(server.url)
    url.pathname = '/small'
    const node = await startNode(url.href)
    await accepted(node, 'before')

    disk?.fill()
    // There is room on pages that are there already.
    const { texts, answer } = await postUntilRefused(node)
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
    expect(answer.body.message).toMatch(/The disk is full.*Nothing was accepted/)
    console.log(`${texts.length} messages were accepted before the disk was full`)

    disk?.empty()
    await accepted(node, 'after')
    await judgeMessages(node, url.href, ['before', ...texts, 'after'])
  },
)

test.skipIf(logDisk === undefined)(
  'the disk of the log is full, and the server ends: accepts are refused; when it is started again with room, everything goes on',
  { timeout: 600_000 },
  async () => {
    const server = await startPostgres(
      { min_wal_size: '4MB', max_wal_size: '8MB', restart_after_crash: 'off' },
      { logFolder: join(logDisk?.folder ?? '', 'log') },
    )
    onTestFinished(server.close)
    const node = await startNode(server.url)
    await accepted(node, 'before')

    logDisk?.fill()
    const { texts, text, answer } = await postUntilRefused(node)
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
    console.log(`${texts.length} messages were accepted before the log was full; then: ${answer.body.message}`)
    // It has ended by then.
    await eventually(async () =>
      /does not answer.*Nothing was accepted/.test((await post(node, 'meanwhile')).body.message),
    )

    logDisk?.empty()
    await server.start()
    // The last one was in doubt: repeated with its key it is there once.
    for (const each of [text, 'meanwhile', 'after']) await accepted(node, each)
    await judgeMessages(node, server.url, ['before', ...texts, text, 'meanwhile', 'after'])
  },
)
